package rag

import (
	"docent/internal/fault"
)

// Weights say how much each feature of the second stage counts, by kind of
// chunk and feature. A feature that is not named counts nothing.
type Weights map[Kind]map[string]float64

// DefaultWeights are round numbers chosen on documentation, encyclopaedia
// articles and source code together; docs/evaluation.md has the measurements.
func DefaultWeights() Weights {
	prose := map[string]float64{
		FeatureBM25: .5, FeatureDense: .5, FeatureSentence: .5, FeatureSoft: .3,
		FeatureDocument: .3, FeatureHeading: .1, FeatureHeadingDense: .1, FeatureCoverage: .1,
	}
	code := map[string]float64{
		FeatureBM25: .5, FeatureDense: .5, FeatureSentence: .5, FeatureSoft: .3,
		FeatureDocument: .3, FeatureHeading: .1, FeatureHeadingDense: .1, FeatureCoverage: .1,
	}
	return Weights{Prose: prose, Code: code, Table: prose}
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
