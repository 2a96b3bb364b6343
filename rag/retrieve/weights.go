package retrieve

import (
	"maps"

	"docent/embed"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Weights say how much each feature of the second stage counts, by kind of
// chunk and feature. A feature that is not named counts nothing.
type Weights map[corpus.Kind]map[string]float64

// DefaultWeights are round numbers chosen on documentation, encyclopaedia
// articles and source code together; docs/explanation/evaluation.md has the measurements.
// They are flat: half or twice of any changes little. The built-in embedder's
// cosine adds less to what else is computed with its vectors than that of
// another model does.
func DefaultWeights(embedder string) Weights {
	all := map[string]float64{
		FeatureBM25: .2, FeatureDense: .3, FeatureDocumentDense: .5, FeatureSentence: .3, FeatureSoftCount: .3,
		FeatureSoftSentence: .3, FeaturePairs: .2, FeatureDocument: .1, FeatureHeading: .1, FeatureCoverage: .2,
	}
	if embedder != embed.StaticName {
		all[FeatureDense] = .8
	}
	return Weights{corpus.Prose: all, corpus.Code: maps.Clone(all), corpus.Table: maps.Clone(all)}
}

// validate names the first feature or kind that does not exist.
func (w Weights) validate() error {
	for _, kind := range kinds {
		if w[kind] == nil {
			return fault.New(fault.Invalid, "retriever: no weights for %s chunks", kind)
		}
	}
	for kind, list := range w {
		for name := range list {
			if featureIndex(name) < 0 {
				return fault.New(fault.Invalid, "retriever: %s chunks: no feature is called %q", kind, name)
			}
		}
	}
	return nil
}
