package hub

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"docent/embed/encoder"
)

// reference is the result of transformers for a text, or for two texts.
type reference struct {
	Texts  []string
	IDs    []int32
	Vector []float32
	Logits []float64
}

func references(t *testing.T, model string) (out []reference) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", model, "references.json"))
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestReferences compares models of each architecture with transformers: the ids,
// and the vectors or logits in float32 and with the weights rounded to int8.
func TestReferences(t *testing.T) {
	t.Parallel()
	for _, model := range []string{
		"bert", "bert-first", "bert-unigram", "bert-reranker", "bert-entailment",
		"roberta", "roberta-reranker", "roberta-entailment", "xlm-roberta-reranker", "xlm-roberta-entailment",
	} {
		for name, c := range map[string]struct {
			exact     bool
			tolerance float64
		}{"float32": {true, 1e-3}, "int8": {false, .1}} {
			t.Run(model+"/"+name, func(t *testing.T) {
				t.Parallel()
				m, err := open(filepath.Join("testdata", model), model, Config{Config: encoder.Config{AllowPlain: true}, Exact: c.exact})
				if err != nil {
					t.Fatal(err)
				}
				worst := 0.
				for _, r := range references(t, model) {
					ids, off := compare(t, m, r)
					if !slices.Equal(ids, r.IDs) {
						t.Errorf("%.60q: ids %v, want %v", r.Texts, ids, r.IDs)
					}
					if worst = max(worst, off); off > c.tolerance {
						t.Errorf("%.60q: off by %g", r.Texts, off)
					}
				}
				t.Logf("off by at most %g", worst)
			})
		}
	}
}

// compare returns the ids of a model for the texts of a reference, and the largest
// difference of its vector or logits.
func compare(t *testing.T, m *Model, r reference) (ids []int32, off float64) {
	t.Helper()
	if len(r.Texts) == 2 {
		logits, err := m.logits(t.Context(), r.Texts[:1], r.Texts[1:])
		if err != nil {
			t.Fatal(err)
		}
		if len(logits[0]) != len(r.Logits) {
			t.Fatalf("%d classes, want %d", len(logits[0]), len(r.Logits))
		}
		ids = m.tokenizer.pair(r.Texts[0], r.Texts[1], m.shape.MaxTokens)
		for i := range ids {
			ids[i] &^= encoder.SecondText
		}
		for i, l := range r.Logits {
			off = max(off, math.Abs(logits[0][i]-l))
		}
		return ids, off
	}
	vectors, err := m.vectors(t.Context(), "", r.Texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range r.Vector {
		off = max(off, math.Abs(float64(v-vectors[0][i])))
	}
	return m.tokenizer.text(r.Texts[0], m.shape.MaxTokens), off
}
