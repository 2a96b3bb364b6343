package retrieve

import (
	"maps"
	"math"

	"docent/embed"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Weights maps a kind of chunk and a feature of the second stage to the weight of
// the feature. A missing feature has weight 0.
type Weights map[corpus.Kind]map[string]float64

// DefaultWeights are round numbers. They were chosen on documentation,
// encyclopedia articles, and source code together; docs/explanation/evaluation.md
// has the measurements. Halving or doubling any weight changes little. The cosine
// of the built-in embedder has less weight than that of other models, because the
// other features use its vectors too.
func DefaultWeights(embedder string) Weights {
	all := map[string]float64{
		FeatureBM25: .2, FeatureDense: .3, FeatureDocumentDense: .5, FeatureSentence: .3, FeatureSoftCount: .3,
		FeatureSoftSentence: .3, FeaturePairs: .2, FeatureDocument: .1, FeatureHeading: .1, FeatureCoverage: .2,
		FeatureEnrichment: .8, FeatureDefinition: .8,
	}
	if embedder != embed.StaticName {
		all[FeatureDense] = .8
	}
	return forAll(all)
}

// forAll returns the same weights for each kind of chunk.
func forAll(all map[string]float64) Weights {
	return Weights{corpus.Prose: all, corpus.Code: maps.Clone(all), corpus.Table: maps.Clone(all)}
}

// sumOfWeights is the sum of the weights for all languages, without that of
// enrichments, so that the scores of passages in two languages can be compared.
const sumOfWeights = 3

// equalWeights are the weights for a question and a passage in one language other
// than English. They were chosen on XQuAD. Vectors of English words do not count.
var equalWeights = forAll(map[string]float64{
	FeatureBM25: .2, FeatureDense: 1.3, FeatureSentence: .3, FeatureSoftCount: .3,
	FeatureSoftSentence: .3, FeaturePairs: .2, FeatureDocument: .1, FeatureHeading: .1, FeatureCoverage: .2,
	FeatureEnrichment: .8,
})

// maxCrossedWords is the share of the words in the score of a passage in another
// language than the question, if one passage contains all words of the question.
const maxCrossedWords = .8

// crossedWeights are the weights for a question and a passage in two languages.
// The similarity of the multilingual encoder decides. Technical questions share
// words with documents in another language, others share none. words is the
// largest share of the question's words in a candidate. They were chosen on XQuAD
// and on German translations of 30 questions of pgdocs.
func crossedWeights(words float64) Weights {
	share := maxCrossedWords * math.Sqrt(words)
	of := func(part float64) float64 { return sumOfWeights * share * part }
	return forAll(map[string]float64{
		FeatureDense: sumOfWeights * (1 - share),
		FeatureBM25:  of(.3), FeatureCoverage: of(.3), FeaturePairs: of(.2), FeatureHeading: of(.1), FeatureDocument: of(.1),
		FeatureEnrichment: .8,
	})
}

// withoutVectors returns the weights for passages in a language that the embedder does not know: the vectors of the passage and
// of its document do not count. The others count more, so that the scores of passages in two languages can be compared.
func (w Weights) withoutVectors() Weights {
	out := Weights{}
	for kind, list := range w {
		all, left := 0.0, 0.0
		for name, weight := range list {
			if name == FeatureEnrichment || name == FeatureDefinition {
				continue
			}
			all += weight
			if name != FeatureDense && name != FeatureDocumentDense {
				left += weight
			}
		}
		out[kind] = map[string]float64{}
		for name, weight := range list {
			switch {
			case name == FeatureEnrichment || name == FeatureDefinition:
				out[kind][name] = weight
			case name != FeatureDense && name != FeatureDocumentDense && left > 0:
				out[kind][name] = weight * all / left
			}
		}
	}
	return out
}

// validate reports the first unknown feature or missing kind.
func (w Weights) validate() error {
	for _, kind := range kinds {
		if w[kind] == nil {
			return fault.New(fault.Invalid, "config_retriever_weights", "retriever: no weights for %s chunks", kind)
		}
	}
	for kind, list := range w {
		for name := range list {
			if featureIndex(name) < 0 {
				return fault.New(fault.Invalid, "config_retriever_feature", "retriever: %s chunks: there is no feature %q", kind, name)
			}
		}
	}
	return nil
}
