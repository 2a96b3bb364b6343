package retrieve

import (
	"maps"

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
		FeatureEnrichment: .8,
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

// The weights of pairs that only a multilingual encoder knows. They were chosen
// on XQuAD. Their sum is the same as that of the weights with an English encoder,
// so that passages in different languages can be compared. Vectors of English
// words do not count; across languages, only equal words such as names do.
var (
	equalWeights = forAll(map[string]float64{
		FeatureBM25: .2, FeatureDense: 1.3, FeatureSentence: .3, FeatureSoftCount: .3,
		FeatureSoftSentence: .3, FeaturePairs: .2, FeatureDocument: .1, FeatureHeading: .1, FeatureCoverage: .2,
		FeatureEnrichment: .8,
	})
	crossedWeights = forAll(map[string]float64{
		FeatureBM25: .2, FeatureDense: 2.5, FeaturePairs: .1, FeatureCoverage: .2, FeatureEnrichment: .8,
	})
)

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
