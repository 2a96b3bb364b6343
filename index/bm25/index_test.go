package bm25_test

import (
	"bytes"
	"testing"

	"docent/index/bm25"
	"docent/rag"
	"docent/rag/ragtest"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	ragtest.Run(t, func(*testing.T) rag.Index { return bm25.New() })
	ragtest.RunMatcher(t, func(*testing.T) rag.Matcher { return bm25.New() })
}

func FuzzLoad(f *testing.F) {
	x := bm25.New()
	if err := x.Put(f.Context(), ragtest.Entries(5)); err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := x.Save(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("DBM5"))
	f.Fuzz(func(t *testing.T, data []byte) { ragtest.UseAnything(t, bm25.New(), data) })
}

func entry(id int64, language, heading, text string) rag.Entry {
	e := ragtest.Entry(id, text)
	e.Language, e.Heading = language, heading
	return e
}

func found(t *testing.T, x *bm25.Index, q string) []int64 {
	t.Helper()
	hits, err := x.Search(t.Context(), rag.Search{Text: q, K: 100})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]int64, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}
