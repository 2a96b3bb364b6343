package retrieve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"docent/embed"
	"docent/index"
	"docent/index/bm25"
	"docent/index/chromem"
	"docent/index/flat"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// memoryCorpus is a rag.Corpus in memory.
type memoryCorpus struct {
	static *embed.Static

	mu       sync.Mutex
	revision corpus.Revision
	nextID   int64
	live     map[string]corpus.Change // by source
	gone     []corpus.Change
	watchers []chan struct{}
	fail     error
	asked    int64 // since of the last Changes
	cut      int   // the number of changes after which reading fails once
	few      int   // the number of chunks that chromem searches
}

func newCorpus(t testing.TB) *memoryCorpus {
	t.Helper()
	return &memoryCorpus{static: newStatic(t), revision: corpus.Revision{Database: "one"}, live: map[string]corpus.Change{}}
}

var newStaticOnce = sync.OnceValues(embed.NewStatic)

func newStatic(t testing.TB) *embed.Static {
	t.Helper()
	s, err := newStaticOnce()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// vectorOf has the vectors of all texts of these tests, because most corpora have the same texts.
var vectorOf sync.Map

// embedded returns the vectors of texts.
func embedded(t testing.TB, static *embed.Static, texts []string) [][]float32 {
	t.Helper()
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if known, ok := vectorOf.Load(text); ok {
			out[i] = known.([]float32)
			continue
		}
		vectors, err := static.EmbedDocuments(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		out[i] = vectors[0]
		vectorOf.Store(text, vectors[0])
	}
	return out
}

// put stores a document, replaces an earlier one of the same source, and returns its id.
func (c *memoryCorpus) put(t testing.TB, d corpus.Document, chunks ...corpus.Chunk) int64 {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.Collection == "" {
		d.Collection = corpus.DefaultCollection
	}
	d.Status = corpus.Ready
	if old, ok := c.live[d.Source]; ok {
		d.ID = old.Document.ID
	} else {
		c.nextID++
		d.ID = c.nextID
	}
	texts := make([]string, len(chunks))
	for i := range chunks {
		c.nextID++
		chunks[i].ID, chunks[i].DocumentID, chunks[i].Ordinal = c.nextID, d.ID, i
		if chunks[i].Kind == "" {
			chunks[i].Kind = corpus.Prose
		}
		texts[i] = corpus.IndexText(d.Title, chunks[i])
	}
	vectors := embedded(t, c.static, texts)
	c.revision.Number++
	c.live[d.Source] = corpus.Change{Revision: c.revision.Number, Document: d, Chunks: chunks, Vectors: vectors}
	c.tell()
	return d.ID
}

func (c *memoryCorpus) remove(source string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision.Number++
	c.gone = append(c.gone, corpus.Change{
		Revision: c.revision.Number, Document: corpus.Document{ID: c.live[source].Document.ID}, Removed: true,
	})
	delete(c.live, source)
	c.tell()
}

func (c *memoryCorpus) tell() {
	for _, w := range c.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

func (c *memoryCorpus) Revision(context.Context) (corpus.Revision, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision, c.fail
}

func (c *memoryCorpus) Changes(_ context.Context, since int64, _ string) iter.Seq2[corpus.Change, error] {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = since
	var out []corpus.Change
	for _, change := range c.live {
		out = append(out, change)
	}
	if since > 0 {
		out = append(out, c.gone...)
	}
	out = slices.DeleteFunc(out, func(x corpus.Change) bool { return x.Revision <= since })
	slices.SortFunc(out, func(a, b corpus.Change) int { return int(a.Revision - b.Revision) })
	return func(yield func(corpus.Change, error) bool) {
		for _, change := range out {
			if c.cuts() {
				yield(corpus.Change{}, errFailing)
				return
			}
			if !yield(change, nil) {
				return
			}
		}
	}
}

func (c *memoryCorpus) cuts() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut--
	return c.cut == 0
}

// all returns all documents.
func (c *memoryCorpus) all(t testing.TB) []corpus.Change {
	t.Helper()
	var out []corpus.Change
	for change, err := range c.Changes(t.Context(), 0, c.static.Name()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, change)
	}
	return out
}

func (c *memoryCorpus) Watch(ctx context.Context) (<-chan struct{}, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := make(chan struct{}, 1)
	c.watchers = append(c.watchers, w)
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.watchers = slices.DeleteFunc(c.watchers, func(x chan struct{}) bool { return x == w })
		close(w)
	})
	return w, nil
}

func (c *memoryCorpus) Passages(_ context.Context, ids []int64) ([]corpus.Passage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wanted, known := map[int64]bool{}, map[int64]corpus.Passage{}
	for _, id := range ids {
		wanted[id] = true
	}
	for _, change := range c.live {
		for i := range change.Chunks {
			if chunk := &change.Chunks[i]; wanted[chunk.ID] {
				known[chunk.ID] = corpus.Passage{Chunk: *chunk, Document: change.Document}
			}
		}
	}
	var out []corpus.Passage
	for _, id := range ids {
		if p, ok := known[id]; ok {
			out = append(out, p)
		}
	}
	return out, nil
}

// small is the corpus of testdata/retrieval.
func small(t testing.TB) *memoryCorpus {
	t.Helper()
	f, err := os.Open("testdata/retrieval/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var order []string
	docs, chunks := map[string]corpus.Document{}, map[string][]corpus.Chunk{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l struct {
			Document, Title, Language, Text string
			Headings                        []string
			Kind                            corpus.Kind
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.Language == "" {
			l.Language = "en"
		}
		if _, ok := docs[l.Document]; !ok {
			order = append(order, l.Document)
			docs[l.Document] = corpus.Document{Source: l.Document, Title: l.Title, Language: l.Language}
		}
		chunks[l.Document] = append(chunks[l.Document], corpus.Chunk{Kind: l.Kind, Text: l.Text, Headings: l.Headings})
	}
	c := newCorpus(t)
	for _, source := range order {
		c.put(t, docs[source], chunks[source]...)
	}
	return c
}

// open makes a retriever; snapshot may be "".
func open(t testing.TB, c *memoryCorpus, snapshot string) *retrieve.Retriever {
	t.Helper()
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c.static, Static: c.static,
		Words: bm25.New(), Nearest: index.NewSized(c.few, chromem.New(), flat.New(flat.Config{})), Snapshot: snapshot,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func load(t testing.TB, c *memoryCorpus, snapshot string) *retrieve.Retriever {
	t.Helper()
	r := open(t, c, snapshot)
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func ask(t testing.TB, r *retrieve.Retriever, q retrieve.Query) retrieve.Retrieval {
	t.Helper()
	out, err := r.Retrieve(t.Context(), q)
	if err != nil {
		t.Fatalf("%q: %v", q.Question, err)
	}
	return out
}

func questions(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/retrieval/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
