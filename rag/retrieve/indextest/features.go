package indextest

import (
	"slices"
	"testing"

	"docent/rag/retrieve"
)

// RunFeatures tests a Features over a corpus with chunks of the given ids. It matches question, which must share words
// with some of the chunks.
func RunFeatures(t *testing.T, x retrieve.Features, ids []int64, question string) {
	t.Helper()
	const unknown = 1 << 40
	asked := append(slices.Clone(ids), unknown, ids[0])
	rows, err := x.Rows(t.Context(), asked)
	if err != nil || len(rows) != len(asked) {
		t.Fatalf("%d rows for %d ids, %v", len(rows), len(asked), err)
	}
	if rows[len(ids)] != nil {
		t.Error("an unknown id has a row")
	}
	var tokens []uint16
	for i, r := range rows {
		if asked[i] == unknown {
			continue
		}
		if r == nil || r.ID != asked[i] || r.Document == nil || r.Document.Source == "" {
			t.Fatalf("row %d of chunk %d is %+v", i, asked[i], r)
		}
		last := r.Heading
		for _, end := range r.Sentences {
			if end < last {
				t.Errorf("chunk %d: a sentence ends at %d, after %d", r.ID, end, last)
			}
			last = end
		}
		if int(last) > len(r.Tokens) {
			t.Errorf("chunk %d has %d tokens and a sentence that ends at %d", r.ID, len(r.Tokens), last)
		}
		tokens = append(tokens, r.Tokens...)
	}
	stats, err := x.Statistics(t.Context(), tokens)
	if err != nil || len(stats.Frequencies) != len(tokens) || stats.Chunks < len(ids) || stats.Tokens < len(tokens)/2 {
		t.Fatalf("%d chunks, %d tokens, %d frequencies for %d tokens, %v", stats.Chunks, stats.Tokens, len(stats.Frequencies), len(tokens), err)
	}
	for i, n := range stats.Frequencies {
		if n < 1 || int(n) > stats.Chunks {
			t.Errorf("token %d is in %d of %d chunks", tokens[i], n, stats.Chunks)
		}
	}
	terms, matches, err := x.Match(t.Context(), question, asked)
	if err != nil || len(matches) != len(asked) || len(terms) == 0 {
		t.Fatalf("%d terms, %d matches for %d ids, %v", len(terms), len(matches), len(asked), err)
	}
	if matches[len(ids)] != (retrieve.Match{}) {
		t.Errorf("an unknown id matches: %+v", matches[len(ids)])
	}
	if !slices.ContainsFunc(matches, func(m retrieve.Match) bool { return m.Score > 0 }) {
		t.Error("nothing matches")
	}
}
