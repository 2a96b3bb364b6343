package pipeline_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"docent/embed"
	"docent/index/bm25"
	"docent/index/flat"
	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/evidence"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

// hostile are questions that are expensive for some step, without end.
var hostile = map[string]func(i int, r *rand.Rand) string{
	"numbers":     func(i int, _ *rand.Rand) string { return fmt.Sprintf("%d ", i) },
	"thousands":   func(i int, _ *rand.Rand) string { return fmt.Sprintf("%d,234,", i) },
	"addresses":   func(i int, _ *rand.Rand) string { return fmt.Sprintf("a%d@b%d.com 10.0.0.%d ", i, i, i%256) },
	"quotes":      func(i int, _ *rand.Rand) string { return fmt.Sprintf("\"a%d\" 'b%d' “c%d” ", i, i, i) },
	"open quotes": func(int, *rand.Rand) string { return "\"“„‘« a" },
	"brackets":    func(i int, _ *rand.Rand) string { return "([{<"[i%4 : i%4+1] },
	"URLs":        func(i int, _ *rand.Rand) string { return fmt.Sprintf("https://a%d.com/b?c=%d ", i, i) },
	"made-up":     func(_ int, r *rand.Rand) string { return letters(r, 'a', 26, 3) + " " },
	"misspelled":  func(_ int, r *rand.Rand) string { return "colum" + letters(r, 'a', 26, 1) + " pasword " },
	"names":       func(_ int, r *rand.Rand) string { return "Mongolia" + letters(r, 'a', 26, 2) + " " },
	"letters":     func(_ int, r *rand.Rand) string { return letters(r, 'a', 26, 1) + " " },
	"one word":    func(int, *rand.Rand) string { return "x" },
	"identifier":  func(i int, _ *rand.Rand) string { return fmt.Sprintf("a%d_b.", i) },
	"options":     func(i int, _ *rand.Rand) string { return fmt.Sprintf("--a%d ", i) },
	"same word":   func(int, *rand.Rand) string { return "shared_buffers " },
	"how often":   func(int, *rand.Rand) string { return "how often " },
	"clauses":     func(int, *rand.Rand) string { return "what is it, " },
	"references":  func(int, *rand.Rand) string { return "what vacuum. does it. is this too. how of the two. " },
	"follow-ups":  func(int, *rand.Rand) string { return "and on it, und ist das auch damit, et cela " },
	"marks":       func(int, *rand.Rand) string { return "?" },
	"lines":       func(int, *rand.Rand) string { return "what\n\n" },
	"Chinese":     func(_ int, r *rand.Rand) string { return letters(r, '一', 3000, 1) },
	"Thai":        func(_ int, r *rand.Rand) string { return letters(r, 'ก', 40, 1) },
	"Korean":      func(_ int, r *rand.Rand) string { return letters(r, '가', 3000, 2) + " " },
	"scripts":     func(_ int, r *rand.Rand) string { return letters(r, 'а', 30, 2) + letters(r, 'あ', 80, 2) + "a1 é " },
}

// letters returns n random characters of the range that begins with first.
func letters(r *rand.Rand, first rune, size, n int) string {
	var b strings.Builder
	for range n {
		b.WriteRune(first + r.Int32N(int32(size)))
	}
	return b.String()
}

// hostileText returns about n bytes of a kind of hostile text, the same ones for each call.
func hostileText(kind string, n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(hostile[kind](i, r))
	}
	return strings.ToValidUTF8(text.Head(b.String(), n), "")
}

// fixedCorpus is a corpus of documents with one chunk each. It never changes.
type fixedCorpus []corpus.Change

func (c fixedCorpus) Revision(context.Context) (corpus.Revision, error) {
	return corpus.Revision{Database: "one", Number: int64(len(c))}, nil
}

func (c fixedCorpus) Changes(_ context.Context, since int64, _ string) iter.Seq2[corpus.Change, error] {
	return func(yield func(corpus.Change, error) bool) {
		for _, change := range c[since:] {
			if !yield(change, nil) {
				return
			}
		}
	}
}

func (c fixedCorpus) Watch(context.Context) (<-chan struct{}, error) { return nil, nil }

func (c fixedCorpus) Passages(_ context.Context, ids []int64) (out []corpus.Passage, err error) {
	for _, id := range ids {
		out = append(out, corpus.Passage{Chunk: c[id-1].Chunks[0], Document: c[id-1].Document})
	}
	return out, nil
}

// smallRetriever searches the corpus of the tests of rag/retrieve.
func smallRetriever(t testing.TB, static *embed.Static) *retrieve.Retriever {
	t.Helper()
	f, err := os.Open("../retrieve/testdata/retrieval/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var c fixedCorpus
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l struct{ Document, Title, Text string }
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		id := int64(len(c) + 1)
		d := corpus.Document{ID: id, Source: fmt.Sprint(l.Document, id), Title: l.Title, Language: "en", Collection: corpus.DefaultCollection, Status: corpus.Ready}
		chunk := corpus.Chunk{ID: id, DocumentID: id, Text: l.Text, Kind: corpus.Prose}
		vectors, err := static.EmbedDocuments(t.Context(), []string{corpus.IndexText(l.Title, chunk)})
		if err != nil {
			t.Fatal(err)
		}
		c = append(c, corpus.Change{Revision: id, Document: d, Chunks: []corpus.Chunk{chunk}, Vectors: vectors})
	}
	r, err := retrieve.New(retrieve.Config{Corpus: c, Embedder: static, Static: static, Words: bm25.New(), Nearest: flat.New(flat.Config{})})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	// growth is the maximum factor of work for a question of four times the length: 2.5 for each doubling. One doubling alone
	// can cost more, because slices grow in steps.
	growth = 2.5 * 2.5
	// noise are bytes that pools and maps may allocate at any time.
	noise = 512 << 10
)

// allocated returns the bytes that f allocates, the least of two runs. They count the steps of the work, except
// scans by regular expressions without matches. BenchmarkHostileQuestions measures those.
func allocated(f func()) float64 {
	least := ^uint64(0)
	for range 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return float64(least)
}

// asks returns a function that answers a question, once alone and once in a long conversation.
func asks(t testing.TB) func(question string) {
	t.Helper()
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.New(pipeline.Config{Retriever: smallRetriever(t, static), Static: static, MinEvidence: -1})
	if err != nil {
		t.Fatal(err)
	}
	return func(question string) {
		half := text.Head(question, len(question)/2)
		for _, turns := range [][]talk.Turn{
			nil,
			slices.Repeat([]talk.Turn{{Role: talk.User, Text: half}, {Role: talk.Assistant, Text: question}, {Role: talk.User, Text: "and " + half}}, 5),
		} {
			req := rag.Request{Question: question, Turns: turns, History: rag.MaxHistory}
			if _, err := p.Run(t.Context(), req); err != nil && fault.KindOf(err) != fault.Invalid {
				t.Fatal(err)
			}
		}
	}
}

// TestWorkGrowsWithTheQuestion does not run beside other tests, because it counts what the process allocates.
func TestWorkGrowsWithTheQuestion(t *testing.T) { //nolint:paralleltest // see above
	ask := asks(t)
	const n = 500
	for kind := range hostile {
		once := allocated(func() { ask(hostileText(kind, n)) })
		fourfold := allocated(func() { ask(hostileText(kind, 4*n)) })
		if fourfold > growth*once+noise {
			t.Errorf("%s: %.0f bytes for %d, %.0f for four times as many", kind, once, n, fourfold)
		}
	}
}

// TestEvidenceGrowsWithTheQuestion reads questions that no search has cut, except endless words: text.Searched cuts them.
func TestEvidenceGrowsWithTheQuestion(t *testing.T) { //nolint:paralleltest // as above
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	found, err := smallRetriever(t, static).Retrieve(t.Context(), retrieve.Query{Question: "shared_buffers default"})
	if err != nil || len(found.Results) == 0 {
		t.Fatalf("found %d passages: %v", len(found.Results), err)
	}
	var best []evidence.Passage
	for _, result := range found.Results {
		best = append(best, evidence.Passage{Text: result.Passage.Text})
	}
	const n = 500
	for kind := range hostile {
		if kind == "identifier" || kind == "Chinese" {
			continue
		}
		read := func(n int) func() {
			question := hostileText(kind, n)
			return func() { evidence.Read(static, question, 0, evidence.Corpus{}, best) }
		}
		if once, fourfold := allocated(read(n)), allocated(read(4*n)); fourfold > growth*once+noise {
			t.Errorf("%s: %.0f bytes for %d, %.0f for four times as many", kind, once, n, fourfold)
		}
	}
}

// BenchmarkHostileQuestions answers long questions. All kinds should take about as long.
func BenchmarkHostileQuestions(b *testing.B) {
	ask := asks(b)
	for kind := range hostile {
		question := hostileText(kind, rag.MaxQuestionBytes)
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				ask(question)
			}
		})
	}
}
