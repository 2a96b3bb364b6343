package retrieve

import (
	"math"
	"testing"

	"docent/embed"
	"docent/rag/corpus"
)

// TestWithoutVectors: for a passage that the embedder cannot read, the other features take the place of the vectors.
func TestWithoutVectors(t *testing.T) {
	t.Parallel()
	sum := func(w map[string]float64) (all float64) {
		for name, weight := range w {
			if name != FeatureEnrichment && name != FeatureDefinition {
				all += weight
			}
		}
		return all
	}
	known := DefaultWeights(embed.StaticName)
	got := known.withoutVectors()
	for kind, list := range got {
		if list[FeatureDense] != 0 || list[FeatureDocumentDense] != 0 || list[FeatureDefinition] != known[kind][FeatureDefinition] ||
			math.Abs(sum(list)-sum(known[kind])) > 1e-9 {
			t.Errorf("%s: %v", kind, list)
		}
	}
	if len(got) != len(known) || got[corpus.Prose][FeatureBM25] <= known[corpus.Prose][FeatureBM25] {
		t.Errorf("%v", got)
	}
}
