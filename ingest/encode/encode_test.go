package encode_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/ingest/encode"
	"docent/ingest/intake"
	"docent/internal/sqlitetest"
	"docent/rag/corpus"
	"docent/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds the waits for a worker.
const patience = 30 * time.Second

// fake is an embedder that records the texts. It panics at a text with "bad".
type fake struct {
	// asked receives each text, if set. Encoding waits for its reader.
	asked chan string

	mu    sync.Mutex
	texts []string
}

func (f *fake) Name() string    { return "fake" }
func (f *fake) Dimensions() int { return 2 }

func (f *fake) EmbedQuery(context.Context, string) ([]float32, error) { return []float32{1, 0}, nil }

func (f *fake) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if strings.Contains(text, "bad") {
			panic(text)
		}
		if f.asked != nil {
			select {
			case f.asked <- text:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		f.mu.Lock()
		f.texts = append(f.texts, text)
		f.mu.Unlock()
		out[i] = []float32{0, 1}
	}
	return out, nil
}

// seen returns the embedded texts.
func (f *fake) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.texts)
}

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// put stores a document with n chunks and returns its id.
func put(t *testing.T, s *sqlite.Store, name, language string, n int) int64 {
	t.Helper()
	p := intake.Put{Document: corpus.Document{
		Collection: corpus.DefaultCollection, Source: name, Language: language, Status: corpus.Ready, Pipeline: "test/1",
	}}
	for i := range n {
		p.Chunks = append(p.Chunks, corpus.Chunk{Kind: corpus.Prose, Text: fmt.Sprintf("%s %d", name, i)})
	}
	ids, err := s.PutDocuments(t.Context(), []intake.Put{p})
	if err != nil {
		t.Fatal(err)
	}
	return ids[0]
}

// english is the language of the model in all tests.
var english = corpus.Languages{Listed: []string{"en"}}

// run starts a worker until the test ends, or until stop is called. It encodes
// with f and then with more models.
func run(t *testing.T, s *sqlite.Store, f *fake, more ...encode.Model) (w *encode.Worker, stop func()) {
	t.Helper()
	models := append([]encode.Model{{Embedder: f, Languages: english}}, more...)
	w, err := encode.NewWorker(encode.Config{Store: s, Corpus: s, Models: models})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return w, stop
}

// await waits until so many chunks have a vector, and no more are missing.
func await(t *testing.T, s *sqlite.Store, want int) {
	t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		done, total, err := s.CountEncodings(t.Context(), "fake", english)
		if err != nil {
			t.Fatal(err)
		}
		if done == want && total == want {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("%d of %d chunks have a vector, want %d", done, total, want)
		}
	}
}

func TestNewestFirst(t *testing.T) {
	t.Parallel()
	s := open(t, sqlitetest.Path(t))
	put(t, s, "old", "en", 2)
	put(t, s, "german", "de", 2)
	put(t, s, "new", "en", 40)
	f := &fake{}
	run(t, s, f)
	await(t, s, 42)
	texts := f.seen()
	if len(texts) != 42 || !strings.Contains(texts[0], "new 0") || !strings.Contains(texts[41], "old 1") {
		t.Errorf("encoded %q", texts)
	}
	put(t, s, "newest", "en", 3)
	await(t, s, 45)
}

// second is a fake with another name.
type second struct{ *fake }

func (second) Name() string { return "second" }

func TestOneModelAfterTheOther(t *testing.T) {
	t.Parallel()
	s := open(t, sqlitetest.Path(t))
	put(t, s, "english", "en", 40)
	put(t, s, "german", "de", 40)
	f, all := &fake{}, second{&fake{asked: make(chan string)}}
	run(t, s, f, encode.Model{Embedder: all, Languages: corpus.Languages{Except: true}})
	for i := range 80 {
		<-all.asked
		if n := len(f.seen()); i == 0 && n != 40 {
			t.Errorf("the second model begins after %d chunks of the first, want 40", n)
		}
	}
}

func TestAskedFirst(t *testing.T) {
	t.Parallel()
	s := open(t, sqlitetest.Path(t))
	put(t, s, "asked", "en", 2)
	put(t, s, "new", "en", 100)
	f := &fake{asked: make(chan string)}
	w, _ := run(t, s, f)
	<-f.asked // the first batch has begun
	passages, err := s.Unencoded(t.Context(), corpus.EncodingQuery{Model: "fake", Languages: english, Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(passages, func(p corpus.Passage) bool { return p.Text == "asked 1" })
	w.Computed("fake", passages[i:i+1], [][]float32{{.6, .8}})
	at := 0
	for n := 1; n < 101; n++ { // one of the 102 was computed
		if text := <-f.asked; strings.Contains(text, "asked 0") {
			at = n
		}
	}
	await(t, s, 102)
	if at < 1 || at > 40 {
		t.Errorf("the document of the question was encoded at place %d of 101, want the second batch", at)
	}
	for e, err := range s.Encoded(t.Context(), "fake", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.ChunkID == passages[i].ID && e.Vector[0] < .5 {
			t.Errorf("vector of the question: %v", e.Vector)
		}
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	s := open(t, sqlitetest.Path(t))
	put(t, s, "a", "en", 100)
	first := &fake{asked: make(chan string)}
	_, stop := run(t, s, first)
	for range 40 {
		<-first.asked
	}
	stop()
	done, _, err := s.CountEncodings(t.Context(), "fake", english)
	if err != nil || done == 0 {
		t.Fatalf("%d chunks have a vector, %v", done, err)
	}
	second := &fake{}
	run(t, s, second)
	await(t, s, 100)
	if n := len(second.seen()); n != 100-done {
		t.Errorf("the second worker encoded %d chunks, want %d", n, 100-done)
	}
}

func TestOneOfTwo(t *testing.T) {
	t.Parallel()
	path := sqlitetest.Path(t)
	a, b := open(t, path), open(t, path)
	put(t, a, "a", "en", 100)
	first, second := &fake{asked: make(chan string)}, &fake{}
	_, stop := run(t, a, first)
	<-first.asked // it has the lease
	run(t, b, second)
	for range 60 {
		<-first.asked
	}
	if n := len(second.seen()); n > 0 {
		t.Errorf("the second process encoded %d chunks", n)
	}
	stop() // it gives the lease back
	put(t, a, "b", "en", 1)
	await(t, b, 101)
}

func TestAll(t *testing.T) {
	t.Parallel()
	s := open(t, sqlitetest.Path(t))
	put(t, s, "good", "en", 300)
	put(t, s, "bad", "en", 1)
	put(t, s, "fine", "en", 1)
	f := &fake{}
	if err := encode.All(t.Context(), s, encode.Model{Embedder: f, Languages: english}); err != nil {
		t.Fatal(err)
	}
	await(t, s, 302)
	zeros := 0
	for e, err := range s.Encoded(t.Context(), "fake", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(e.Vector, []float32{0, 0}) {
			zeros++
		}
	}
	if zeros != 1 {
		t.Errorf("%d chunks have a zero vector, want the one that made the encoder panic", zeros)
	}
}
