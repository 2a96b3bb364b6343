package indextest

import (
	"reflect"
	"slices"
	"testing"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// RunFeatures tests a Features that has followed a corpus. changes are all
// documents of that corpus with the vectors of the embedder.
func RunFeatures(t *testing.T, x retrieve.Features, static *embed.Static, changes []corpus.Change) {
	t.Helper()
	rows := rowsOf(static, changes)
	if len(rows) < 2 {
		t.Fatalf("the corpus has %d chunks, want at least 2", len(rows))
	}
	t.Run("rows", func(t *testing.T) { testRows(t, x, rows) })
	t.Run("statistics", func(t *testing.T) { testStatistics(t, x, rows, static.Tokens()) })
}

// rowsOf makes the expected rows of a corpus.
func rowsOf(static *embed.Static, changes []corpus.Change) []*retrieve.Row {
	var out []*retrieve.Row
	for _, change := range changes {
		d := change.Document
		doc := &retrieve.RowDocument{ID: d.ID, Source: d.Source, Collection: d.Collection, Language: d.Language}
		from := len(out)
		for i := range change.Chunks {
			c := &change.Chunks[i]
			out = append(out, retrieve.NewRow(static, doc, c, corpus.HeadingLine(d.Title, c.Headings), change.Vectors[i]))
		}
		doc.SetMean(out[from:])
	}
	return out
}

func testRows(t *testing.T, x retrieve.Features, want []*retrieve.Row) {
	const unknown = 1 << 40
	want = append(slices.Clone(want), nil, want[0])
	asked := make([]int64, len(want))
	for i, w := range want {
		if asked[i] = unknown; w != nil {
			asked[i] = w.ID
		}
	}
	got, err := x.Rows(t.Context(), asked)
	if err != nil || len(got) != len(asked) {
		t.Fatalf("%d rows for %d ids, %v", len(got), len(asked), err)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("the row of chunk %d is %+v, want %+v", asked[i], got[i], want[i])
		}
	}
	if none, err := x.Rows(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("%d rows for no ids, %v", len(none), err)
	}
}

func testStatistics(t *testing.T, x retrieve.Features, rows []*retrieve.Row, vocabulary int) {
	want := retrieve.Statistics{Chunks: len(rows), Frequencies: make([]uint32, vocabulary)}
	for _, r := range rows {
		want.Tokens += len(r.Tokens)
		distinct := slices.Clone(r.Tokens)
		slices.Sort(distinct)
		for _, token := range slices.Compact(distinct) {
			want.Frequencies[token]++
		}
	}
	tokens := make([]uint16, vocabulary)
	for i := range tokens {
		tokens[i] = uint16(i)
	}
	got, err := x.Statistics(t.Context(), tokens)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d chunks, %d tokens, %d frequencies, %v; want %d, %d, %d, all equal",
			got.Chunks, got.Tokens, len(got.Frequencies), err, want.Chunks, want.Tokens, len(want.Frequencies))
	}
	// Frequencies follow the given tokens, with duplicates.
	some := []uint16{rows[0].Tokens[0], 0, rows[0].Tokens[0]}
	frequencies := []uint32{want.Frequencies[some[0]], want.Frequencies[0], want.Frequencies[some[0]]}
	if got, err = x.Statistics(t.Context(), some); err != nil || !slices.Equal(got.Frequencies, frequencies) {
		t.Errorf("the frequencies of %v are %v, %v", some, got.Frequencies, err)
	}
	if got, err = x.Statistics(t.Context(), nil); err != nil || got.Chunks != want.Chunks || len(got.Frequencies) != 0 {
		t.Errorf("without tokens: %d chunks and %d frequencies, %v", got.Chunks, len(got.Frequencies), err)
	}
}
