package rag_test

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
	"docent/rag"
)

// updating reports whether golden files are to be written anew; the flag is
// that of the tests inside the package.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ranking is what the small corpus answers, one line per result.
func ranking(t testing.TB, r *rag.Retriever, features bool) string {
	t.Helper()
	var b strings.Builder
	for _, q := range questions(t) {
		out := ask(t, r, rag.Query{Question: q, K: 3})
		fmt.Fprintf(&b, "%s\n", q)
		for _, result := range out.Results {
			p := result.Passage
			fmt.Fprintf(&b, "  %d. %s, %s (%.2f)", result.Rank, p.Document.Source, p.Heading(), result.Score)
			if features && result.Rank == 1 {
				for _, name := range rag.FeatureNames() {
					fmt.Fprintf(&b, " %s %.2f", name, result.Features[name])
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestRanking compares the ranking of a small corpus with a golden file. A
// change of it has to be looked at; go test ./rag -run Ranking -update writes it.
func TestRanking(t *testing.T) {
	t.Parallel()
	const path = "testdata/retrieval/golden.txt"
	got := ranking(t, load(t, small(t), ""), true)
	if updating() {
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
	for mode, want := range map[rag.Mode][]string{
		rag.Keywords: {rag.FeatureBM25}, rag.Vectors: {rag.FeatureDense}, rag.Hybrid: {rag.FeatureBM25, rag.FeatureDense},
		rag.Full: rag.FeatureNames(), "": rag.FeatureNames(),
	} {
		out := ask(t, r, rag.Query{Question: q, Mode: mode})
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
	out := ask(t, r, rag.Query{Question: q, Without: []string{rag.FeatureDocument, rag.FeaturePairs}})
	if n := len(out.Results[0].Features); n != len(rag.FeatureNames())-2 {
		t.Errorf("without two there are %d features", n)
	}
}

func TestQueriesThatCannotBe(t *testing.T) {
	t.Parallel()
	r := load(t, small(t), "")
	for name, q := range map[string]rag.Query{
		"k": {Question: "x", K: -1}, "large k": {Question: "x", K: rag.MaxK + 1}, "mode": {Question: "x", Mode: "best"},
		"feature": {Question: "x", Without: []string{"beauty"}},
	} {
		if _, err := r.Retrieve(t.Context(), q); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want an Invalid fault", name, err)
		}
	}
	for _, q := range []string{"", "   ", "the of and", "?!", "\x00\xff", strings.Repeat("lock ", 5000)} {
		for _, mode := range []rag.Mode{rag.Keywords, rag.Vectors, rag.Hybrid, rag.Full} {
			ask(t, r, rag.Query{Question: q, Mode: mode})
		}
	}
}

func TestCollections(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	c.put(t, rag.Document{Source: "/a", Collection: "a"}, rag.Chunk{Text: "The lock is held by the writer until it has written."})
	c.put(t, rag.Document{Source: "/b", Collection: "b"}, rag.Chunk{Text: "The lock is held by the reader until it has read."})
	r := load(t, c, "")
	for _, want := range [][]string{{"a"}, {"b"}, {"a", "b"}, {"none"}} {
		out := ask(t, r, rag.Query{Question: "who holds the lock", Collections: want})
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
	c.put(t, rag.Document{Source: "/v1", Title: "Version 1"}, rag.Chunk{Text: text})
	c.put(t, rag.Document{Source: "/v2", Title: "Version 2"}, rag.Chunk{Text: text})
	c.put(t, rag.Document{Source: "/other"}, rag.Chunk{Text: "A checkpoint that comes too often is noted in the log."})
	out := ask(t, load(t, c, ""), rag.Query{Question: "how often is there a checkpoint"})
	if len(out.Results) != 2 {
		t.Errorf("found %d, want 2: one of the equal ones and the other", len(out.Results))
	}
}

func TestFollowUps(t *testing.T) {
	t.Parallel()
	r := load(t, small(t), "")
	out := ask(t, r, rag.Query{Question: "and for that?", Turns: []rag.Turn{
		{Role: rag.User, Text: "which lock mode does LOCK TABLE take?"}, {Role: rag.Assistant, Text: "ACCESS EXCLUSIVE."},
	}})
	if !strings.Contains(out.Question, "LOCK TABLE") || strings.Contains(out.Question, "EXCLUSIVE.") {
		t.Errorf("searched for %q, want the user's earlier turn in front", out.Question)
	}
	if len(out.Results) == 0 || out.Results[0].Passage.Document.Source != "/manual/locks.html" {
		t.Error("the follow-up does not find the locks")
	}
}

// failing is an embedder that does not answer.
type failing struct{ *embed.Static }

var errFailing = errors.New("no answer")

func (failing) EmbedQuery(context.Context, string) ([]float32, error) { return nil, errFailing }

func TestEmbedderFails(t *testing.T) {
	t.Parallel()
	c := small(t)
	r, err := rag.NewRetriever(rag.RetrieverConfig{Corpus: c, Embedder: failing{c.static}, Static: c.static, Keywords: bm25.New(), Vectors: chromem.New()})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Retrieve(t.Context(), rag.Query{Question: "lock"}); !errors.Is(err, errFailing) {
		t.Errorf("%v, want the embedder's error", err)
	}
	ask(t, r, rag.Query{Question: "lock", Mode: rag.Keywords}) // needs none
}

func TestConfig(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	whole := rag.RetrieverConfig{Corpus: c, Embedder: c.static, Static: c.static, Keywords: bm25.New(), Vectors: chromem.New()}
	for name, spoil := range map[string]func(*rag.RetrieverConfig){
		"Corpus": func(c *rag.RetrieverConfig) { c.Corpus = nil }, "Embedder": func(c *rag.RetrieverConfig) { c.Embedder = nil },
		"Static": func(c *rag.RetrieverConfig) { c.Static = nil }, "Keywords": func(c *rag.RetrieverConfig) { c.Keywords = nil },
		"Vectors": func(c *rag.RetrieverConfig) { c.Vectors = nil },
		"beauty": func(c *rag.RetrieverConfig) {
			c.Weights = rag.DefaultWeights(embed.StaticName)
			c.Weights[rag.Prose]["beauty"] = 1
		},
		"table": func(c *rag.RetrieverConfig) {
			c.Weights = rag.DefaultWeights(embed.StaticName)
			delete(c.Weights, rag.Table)
		},
	} {
		cfg := whole
		spoil(&cfg)
		if _, err := rag.NewRetriever(cfg); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want an Invalid fault that names it", name, err)
		}
	}
}
