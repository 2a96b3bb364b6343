package retrieve_test

import (
	"context"
	"path/filepath"
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

// stored is a Features without state. Like a database, it reads each candidate
// from the corpus.
type stored struct {
	static *embed.Static
	corpus *memoryCorpus
}

// all returns the rows of all chunks.
func (s *stored) all(ctx context.Context) ([]*retrieve.Row, error) {
	var out []*retrieve.Row
	for change, err := range s.corpus.Changes(ctx, 0, s.static.Name()) {
		if err != nil {
			return nil, err
		}
		d := change.Document
		doc := &retrieve.RowDocument{ID: d.ID, Source: d.Source, Collection: d.Collection, Language: d.Language}
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

// engineWords and engineNearest hide that an index is a Mirror. They stand for
// engines that keep their own data.
type (
	engineWords   struct{ index *bm25.Index }
	engineNearest struct{ index *chromem.Index }
)

func (e engineWords) Words(ctx context.Context, text string, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	return e.index.Words(ctx, text, k, filter)
}

func (e engineWords) Match(ctx context.Context, question string, ids []int64) ([]text.Term, []retrieve.Match, error) {
	return e.index.Match(ctx, question, ids)
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
	features := &stored{c.static, c}
	for _, x := range []retrieve.Features{features, retrieve.FeaturesOf(load(t, c, ""))} {
		indextest.RunFeatures(t, x, c.static, c.all(t))
	}
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: engineWords{words}, Nearest: engineNearest{vectors}, Features: features,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ranking(t, r, true), ranking(t, load(t, c, ""), true); got != want {
		t.Errorf("the ranking is\n%s\nwant\n%s", got, want)
	}
	// A retriever over engines derives nothing, so Load has nothing to do.
	if err := r.Load(t.Context()); err != nil || r.Len() != 0 {
		t.Errorf("%d chunks loaded, %v", r.Len(), err)
	}
}

// Features of their own free the memory for rows. The indexes in memory still
// follow the corpus, also from a snapshot.
func TestForeignFeatures(t *testing.T) {
	t.Parallel()
	c := small(t)
	_, vectors := filled(t, c)
	want := ranking(t, load(t, c, ""), true)
	for name, nearest := range map[string]func() retrieve.Nearest{
		"mirror": func() retrieve.Nearest { return chromem.New() },
		"engine": func() retrieve.Nearest { return engineNearest{vectors} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snapshot := filepath.Join(t.TempDir(), "index.bin")
			load(t, c, snapshot) // other rows, so it must not be used
			for range 2 {
				r, err := retrieve.New(retrieve.Config{
					Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: nearest(),
					Features: &stored{c.static, c}, Snapshot: snapshot,
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				if n := retrieve.TokensInMemory(r); n != 0 {
					t.Errorf("%d tokens are in memory", n)
				}
				if got := ranking(t, r, true); got != want {
					t.Errorf("the ranking is\n%s\nwant\n%s", got, want)
				}
				if err := r.Save(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
