package retrieve_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"docent/embed"
	"docent/index/bm25"
	"docent/index/chromem"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ranking is the expected result of the small corpus, one line per passage.
func ranking(t testing.TB, r *retrieve.Retriever, features bool) string {
	t.Helper()
	var b strings.Builder
	for _, q := range questions(t) {
		out := ask(t, r, retrieve.Query{Question: q, K: 3})
		fmt.Fprintf(&b, "%s\n", q)
		for _, result := range out.Results {
			p := result.Passage
			fmt.Fprintf(&b, "  %d. %s, %s (%.2f)", result.Rank, p.Document.Source, p.Heading(), result.Score)
			if features && result.Rank == 1 {
				for _, name := range retrieve.FeatureNames() {
					fmt.Fprintf(&b, " %s %.2f", name, result.Features[name])
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestRanking compares the ranking of a small corpus with a golden file. Review
// each change of that file. go test ./rag/retrieve -run Ranking -update writes
// it.
func TestRanking(t *testing.T) {
	t.Parallel()
	const path = "testdata/retrieval/golden.txt"
	got := ranking(t, load(t, small(t), ""), true)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the ranking has changed; run with -update and look at the difference. Now:\n%s", got)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	r := load(t, small(t), "")
	const q = "shared_buffers default"
	for mode, want := range map[retrieve.Mode][]string{
		retrieve.Keywords: {retrieve.FeatureBM25}, retrieve.Vectors: {retrieve.FeatureDense},
		retrieve.Hybrid: {retrieve.FeatureBM25, retrieve.FeatureDense},
		retrieve.Full:   retrieve.FeatureNames(), "": retrieve.FeatureNames(),
	} {
		out := ask(t, r, retrieve.Query{Question: q, Mode: mode})
		if len(out.Results) == 0 {
			t.Fatalf("%s finds nothing", mode)
		}
		for i, result := range out.Results {
			if result.Rank != i+1 || i > 0 && result.Score > out.Results[i-1].Score {
				t.Errorf("%s: result %d has rank %d and score %v", mode, i, result.Rank, result.Score)
			}
			if len(result.Features) != len(want) {
				t.Errorf("%s: features %v, want %v", mode, result.Features, want)
			}
			for name, v := range result.Features {
				if !slices.Contains(want, name) || v < 0 || v > 1 {
					t.Errorf("%s: feature %s is %v", mode, name, v)
				}
			}
		}
	}
	out := ask(t, r, retrieve.Query{Question: q, Without: []string{retrieve.FeatureDocument, retrieve.FeaturePairs}})
	if n := len(out.Results[0].Features); n != len(retrieve.FeatureNames())-2 {
		t.Errorf("without two there are %d features", n)
	}
}

func TestQueriesThatCannotBe(t *testing.T) {
	t.Parallel()
	r := load(t, small(t), "")
	for name, q := range map[string]retrieve.Query{
		"k": {Question: "x", K: -1}, "large k": {Question: "x", K: retrieve.MaxK + 1}, "mode": {Question: "x", Mode: "best"},
		"feature": {Question: "x", Without: []string{"beauty"}},
	} {
		if _, err := r.Retrieve(t.Context(), q); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want an Invalid fault", name, err)
		}
	}
	for _, q := range []string{"", "   ", "the of and", "?!", "\x00\xff", strings.Repeat("lock ", 5000)} {
		for _, mode := range []retrieve.Mode{retrieve.Keywords, retrieve.Vectors, retrieve.Hybrid, retrieve.Full} {
			ask(t, r, retrieve.Query{Question: q, Mode: mode})
		}
	}
}

func TestCollections(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.put(t, corpus.Document{Source: "/a", Collection: "a"}, corpus.Chunk{Text: "The lock is held by the writer until it has written."})
	c.put(t, corpus.Document{Source: "/b", Collection: "b"}, corpus.Chunk{Text: "The lock is held by the reader until it has read."})
	r := load(t, c, "")
	for _, want := range [][]string{{"a"}, {"b"}, {"a", "b"}, {"none"}} {
		out := ask(t, r, retrieve.Query{Question: "who holds the lock", Collections: want})
		for _, result := range out.Results {
			if !slices.Contains(want, result.Passage.Document.Collection) {
				t.Errorf("asked in %v, found one of %s", want, result.Passage.Document.Collection)
			}
		}
		if n := len(out.Results); want[0] != "none" && n != len(want) || want[0] == "none" && n != 0 {
			t.Errorf("found %d in %v", n, want)
		}
	}
}

func TestNearDuplicatesCollapse(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	const text = "The checkpoint writes all changed pages of tables to the disk, at the latest every five minutes, so that after a crash only the log since then has to be read again."
	c.put(t, corpus.Document{Source: "/v1", Title: "Version 1"}, corpus.Chunk{Text: text})
	c.put(t, corpus.Document{Source: "/v2", Title: "Version 2"}, corpus.Chunk{Text: text})
	c.put(t, corpus.Document{Source: "/other"}, corpus.Chunk{Text: "A checkpoint that comes too often is noted in the log."})
	out := ask(t, load(t, c, ""), retrieve.Query{Question: "how often is there a checkpoint"})
	if len(out.Results) != 2 {
		t.Errorf("found %d, want 2: one of the equal ones and the other", len(out.Results))
	}
}

func TestFollowUps(t *testing.T) {
	t.Parallel()
	r := load(t, small(t), "")
	out := ask(t, r, retrieve.Query{Question: "and for that?", Turns: []talk.Turn{
		{Role: talk.User, Text: "which lock mode does LOCK TABLE take?"}, {Role: talk.Assistant, Text: "ACCESS EXCLUSIVE."},
	}})
	if !strings.Contains(out.Question, "LOCK TABLE") || !strings.HasSuffix(out.Question, "ACCESS EXCLUSIVE\nand for that?") {
		t.Errorf("searched for %q, want the earlier turns in front", out.Question)
	}
	if len(out.Results) == 0 || out.Results[0].Passage.Document.Source != "/manual/locks.html" {
		t.Error("the follow-up does not find the locks")
	}
}

// failing is an embedder that always fails.
type failing struct{ *embed.Static }

var errFailing = errors.New("no answer")

func (failing) EmbedQuery(context.Context, string) ([]float32, error) { return nil, errFailing }

func TestEmbedderFails(t *testing.T) {
	t.Parallel()
	c := small(t)
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: failing{c.static}, Static: c.static, Words: bm25.New(), Nearest: chromem.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Retrieve(t.Context(), retrieve.Query{Question: "lock"}); !errors.Is(err, errFailing) {
		t.Errorf("%v, want the embedder's error", err)
	}
	ask(t, r, retrieve.Query{Question: "lock", Mode: retrieve.Keywords}) // needs no embedding
}

func TestConfig(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	whole := retrieve.Config{Corpus: c, Embedder: c.static, Static: c.static, Words: bm25.New(), Nearest: chromem.New()}
	for name, spoil := range map[string]func(*retrieve.Config){
		"Corpus": func(c *retrieve.Config) { c.Corpus = nil }, "Embedder": func(c *retrieve.Config) { c.Embedder = nil },
		"Static": func(c *retrieve.Config) { c.Static = nil }, "Words": func(c *retrieve.Config) { c.Words = nil },
		"Nearest": func(c *retrieve.Config) { c.Nearest = nil },
		"beauty": func(c *retrieve.Config) {
			c.Weights = retrieve.DefaultWeights(embed.StaticName)
			c.Weights[corpus.Prose]["beauty"] = 1
		},
		"table": func(c *retrieve.Config) {
			c.Weights = retrieve.DefaultWeights(embed.StaticName)
			delete(c.Weights, corpus.Table)
		},
	} {
		cfg := whole
		spoil(&cfg)
		if _, err := retrieve.New(cfg); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want an Invalid fault that names it", name, err)
		}
	}
}
