package retrieve_test

import (
	"context"
	"slices"
	"testing"

	"docent/embed"
	"docent/index/bm25"
	"docent/index/chromem"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
	"docent/rag/text"
)

// stored is a Features without state. Like a database, it reads each candidate from the corpus.
type stored struct {
	static *embed.Static
	corpus *memoryCorpus
	words  *bm25.Index
}

// all returns the rows of all chunks.
func (s *stored) all(ctx context.Context) ([]*retrieve.Row, error) {
	var out []*retrieve.Row
	for change, err := range s.corpus.Changes(ctx, 0, s.static.Name()) {
		if err != nil {
			return nil, err
		}
		d := change.Document
		doc := &retrieve.RowDocument{ID: d.ID, Source: d.Source, Collection: d.Collection}
		from := len(out)
		for i := range change.Chunks {
			c := &change.Chunks[i]
			out = append(out, retrieve.NewRow(s.static, doc, c, corpus.HeadingLine(d.Title, c.Headings), change.Vectors[i]))
		}
		doc.SetMean(out[from:])
	}
	return out, nil
}

func (s *stored) Rows(ctx context.Context, ids []int64) ([]*retrieve.Row, error) {
	all, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*retrieve.Row, len(ids))
	for i, id := range ids {
		if at := slices.IndexFunc(all, func(r *retrieve.Row) bool { return r.ID == id }); at >= 0 {
			out[i] = all[at]
		}
	}
	return out, nil
}

func (s *stored) Statistics(ctx context.Context, tokens []uint16) (retrieve.Statistics, error) {
	all, err := s.all(ctx)
	if err != nil {
		return retrieve.Statistics{}, err
	}
	out := retrieve.Statistics{Chunks: len(all), Frequencies: make([]uint32, len(tokens))}
	for _, r := range all {
		out.Tokens += len(r.Tokens)
		for i, t := range tokens {
			if slices.Contains(r.Tokens, t) {
				out.Frequencies[i]++
			}
		}
	}
	return out, nil
}

func (s *stored) Match(ctx context.Context, question string, ids []int64) ([]text.Term, []retrieve.Match, error) {
	return s.words.Match(ctx, question, ids)
}

// engineWords and engineNearest hide that an index is a Mirror. They represent
// engines that store their own data.
type (
	engineWords   struct{ index *bm25.Index }
	engineNearest struct{ index *chromem.Index }
)

func (e engineWords) Words(ctx context.Context, text string, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	return e.index.Words(ctx, text, k, filter)
}

func (e engineNearest) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	return e.index.Nearest(ctx, vector, k, filter)
}

// filled makes the indexes of a corpus.
func filled(t *testing.T, c *memoryCorpus) (*bm25.Index, *chromem.Index) {
	t.Helper()
	words, vectors := bm25.New(), chromem.New()
	r, err := retrieve.New(retrieve.Config{Corpus: c, Embedder: c.static, Static: c.static, Words: words, Nearest: vectors})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return words, vectors
}

// A retriever over engines that store their own data ranks like one in memory.
func TestForeignIndexes(t *testing.T) {
	t.Parallel()
	c := small(t)
	words, vectors := filled(t, c)
	features := &stored{c.static, c, words}
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: engineWords{words}, Nearest: engineNearest{vectors}, Features: features,
	})
	if err != nil {
		t.Fatal(err)
	}
	ids := []int64{}
	for _, result := range ask(t, r, retrieve.Query{Question: questions(t)[0]}).Results {
		ids = append(ids, result.Passage.ID)
	}
	for _, x := range []retrieve.Features{features, retrieve.FeaturesOf(load(t, c, ""))} {
		indextest.RunFeatures(t, x, ids, questions(t)[0])
	}
	if got, want := ranking(t, r, true), ranking(t, load(t, c, ""), true); got != want {
		t.Errorf("the ranking is\n%s\nwant\n%s", got, want)
	}
	// The retriever derives nothing, so there is nothing to load.
	if err := r.Load(t.Context()); err != nil || r.Len() != 0 {
		t.Errorf("%d chunks loaded, %v", r.Len(), err)
	}
	if _, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: engineWords{words}, Nearest: vectors,
	}); err == nil {
		t.Error("without Features and Matcher a retriever is made")
	}
}
