package retrieve_test

import (
	"context"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"docent/index/bm25"
	"docent/index/chromem"
	"docent/index/flat"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// memoryEncodings stores the vectors of one model in memory.
type memoryEncodings struct {
	corpus.Encodings // nil: retrievers only call Encoded

	mu       sync.Mutex
	revision int64
	all      []corpus.Encoding
	asked    []int64 // since of each Encoded
	fail     int     // the number of vectors after which reading fails once
}

func (m *memoryEncodings) put(vector []float32, ids ...int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.revision++
	for _, id := range ids {
		m.all = append(m.all, corpus.Encoding{ChunkID: id, Revision: m.revision, Vector: vector})
	}
}

func (m *memoryEncodings) Encoded(_ context.Context, _ string, since int64) iter.Seq2[corpus.Encoding, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, since)
	first := sort.Search(len(m.all), func(i int) bool { return m.all[i].Revision > since })
	later := slices.Clone(m.all[first:])
	return func(yield func(corpus.Encoding, error) bool) {
		for _, e := range later {
			if m.fails() {
				yield(corpus.Encoding{}, errFailing)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (m *memoryEncodings) fails() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail--
	return m.fail == 0
}

// topic is an encoder with two dimensions. Every question is about the first.
type topic struct{}

func (topic) Name() string    { return "topic" }
func (topic) Dimensions() int { return 2 }

func (topic) EmbedQuery(context.Context, string) ([]float32, error) { return []float32{1, 0}, nil }

func (topic) EmbedDocuments(context.Context, []string) ([][]float32, error) { panic("not used") }

// english is the encoder of the function encoded.
func english() retrieve.Encoder {
	return retrieve.Encoder{
		Embedder: topic{}, Languages: corpus.Languages{Listed: []string{"en", ""}}, Index: flat.New(flat.Config{}),
	}
}

// encoders makes a retriever with encoders. It does not load it.
func encoders(t testing.TB, c *memoryCorpus, e corpus.Encodings, snapshot string, list ...retrieve.Encoder) *retrieve.Retriever {
	t.Helper()
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: chromem.New(), Snapshot: snapshot,
		Encodings: e, Encoders: list,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// encoded makes a retriever with an encoder for English documents.
func encoded(t testing.TB, c *memoryCorpus, e *memoryEncodings, snapshot string) *retrieve.Retriever {
	t.Helper()
	r := encoders(t, c, e, snapshot, english())
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// chunkIDs returns the ids of the chunks in documents of a language.
func chunkIDs(t testing.TB, c *memoryCorpus, language string) []int64 {
	t.Helper()
	var out []int64
	for _, change := range c.all(t) {
		for _, chunk := range change.Chunks {
			if change.Document.Language == language {
				out = append(out, chunk.ID)
			}
		}
	}
	return out
}

func TestEncoder(t *testing.T) {
	t.Parallel()
	c, e := small(t), &memoryEncodings{}
	c.put(t, corpus.Document{Source: "/de", Language: "de"}, corpus.Chunk{Text: "Ein Absatz in einer anderen Sprache."})
	plain := load(t, c, "")
	r := encoded(t, c, e, "")
	ids := chunkIDs(t, c, "en")
	const question = "shared_buffers default"
	before := found(ask(t, plain, retrieve.Query{Question: question}))
	same := func(what string) {
		t.Helper()
		if got := found(ask(t, r, retrieve.Query{Question: question})); !slices.Equal(got, before) {
			t.Errorf("%s: %v, want %v", what, got, before)
		}
	}
	same("without vectors")

	// The chunk that fits least by all other features fits best by the encoder.
	last := ids[len(ids)-1]
	e.put([]float32{0, 1}, ids[:len(ids)/2]...)
	e.put([]float32{1, 0}, last, 1<<40) // and a deleted chunk
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	same("with half of the vectors")
	want := retrieve.EncoderProgress{Model: "topic", Done: len(ids)/2 + 1, Total: len(ids)}
	if got := r.Encoders()[0]; got != want {
		t.Errorf("progress %+v, want %+v", got, want)
	}
	if v, err := r.Stored(t.Context(), "topic", []int64{last, 1 << 40}); err != nil || v[0] == nil || v[1] != nil {
		t.Errorf("stored vectors: %v, %v", v, err)
	}

	e.put([]float32{0, 1}, ids[len(ids)/2:len(ids)-1]...)
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !r.Encoded("topic") {
		t.Fatalf("all chunks have vectors, but searches do not use them: %+v", r.Encoders())
	}
	out := ask(t, r, retrieve.Query{Question: question, K: 50})
	i := slices.Index(found(out), last)
	if i < 0 || out.Results[i].Features[retrieve.FeatureDense] != 1 {
		t.Errorf("the nearest chunk of the encoder is at place %d of %v", i, found(out))
	}
	german := ask(t, r, retrieve.Query{Question: "Wie ist der Wert von shared_buffers?", K: 50})
	i = slices.Index(found(german), last)
	if i < 0 || german.Results[i].Features[retrieve.FeatureDense] != 1 || german.Signs.Similarity != 0 {
		t.Errorf("without a model for German, the encoder is not asked: %v", found(german))
	}
	restarted := encoded(t, c, e, "")
	if got := found(ask(t, restarted, retrieve.Query{Question: question, K: 50})); !slices.Equal(got, found(out)) {
		t.Errorf("after a restart: %v, want %v", got, found(out))
	}
}

func TestEncoderFollows(t *testing.T) {
	t.Parallel()
	c, e := small(t), &memoryEncodings{}
	snapshot := t.TempDir() + "/index.bin"
	e.put([]float32{0, 1}, chunkIDs(t, c, "en")...)
	r := encoded(t, c, e, snapshot)
	total := len(chunkIDs(t, c, "en"))
	progress := func(r *retrieve.Retriever, done, total int) {
		t.Helper()
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := r.Encoders()[0]; got.Done != done || got.Total != total {
			t.Errorf("progress %+v, want %d of %d", got, done, total)
		}
	}
	progress(r, total, total)
	c.put(t, corpus.Document{Source: "/new", Language: "en"}, corpus.Chunk{Text: "A new page."}, corpus.Chunk{Text: "And more."})
	progress(r, total, total+2)
	if err := r.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	ids := chunkIDs(t, c, "en")
	e.put([]float32{0, 1}, ids[len(ids)-2:]...)
	progress(r, total+2, total+2)
	c.remove("/new")
	progress(r, total, total)
	// The snapshot is older than the removal.
	progress(encoded(t, c, e, snapshot), total, total)
}

func TestEncoderNeedsItsStore(t *testing.T) {
	t.Parallel()
	c := small(t)
	_, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: chromem.New(),
		Encoders: []retrieve.Encoder{{Embedder: topic{}, Index: flat.New(flat.Config{})}},
	})
	if err == nil || !strings.Contains(err.Error(), "Encodings") {
		t.Errorf("error %v", err)
	}
}
