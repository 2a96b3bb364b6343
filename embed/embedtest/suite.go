// Package embedtest has the tests that every embedder must pass, and a server to
// test remote embedders.
package embedtest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"docent/embed"
)

// tolerance is the allowed difference between two embeddings of one text, per
// component.
const tolerance = 1e-5

// Run tests an embedder. open returns a new one for each part.
func Run(t *testing.T, open func(t *testing.T) embed.Embedder) {
	t.Helper()
	for name, part := range map[string]func(*testing.T, embed.Embedder){
		"identity": identity, "order": order, "blank": blank, "meaning": meaning,
		"any text": anyText, "canceled": canceled, "concurrent": concurrent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t, open(t))
		})
	}
}

func documents(t *testing.T, e embed.Embedder, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.EmbedDocuments(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(vectors), len(texts))
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != e.Dimensions() {
			t.Fatalf("vector %d has %d elements, the embedder %d dimensions", i, len(v), e.Dimensions())
		}
	}
	return vectors
}

func length(v []float32) float64 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return math.Sqrt(square)
}

func equal(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x)-float64(y)) <= tolerance })
}

// identity checks that the name exists and never changes, and that known dimensions never change.
func identity(t *testing.T, e embed.Embedder) {
	name := e.Name()
	if name == "" || strings.TrimSpace(name) != name {
		t.Errorf("name %q", name)
	}
	documents(t, e, "first")
	d := e.Dimensions()
	documents(t, e, "second", "third")
	if e.Name() != name || e.Dimensions() != d {
		t.Errorf("%s with %d dimensions has become %s with %d", name, d, e.Name(), e.Dimensions())
	}
}

// order: each text has its own vector at its own position, of length 1. The
// vector is the same alone, with other texts, and as a question.
func order(t *testing.T, e embed.Embedder) {
	if v, err := e.EmbedDocuments(t.Context(), nil); err != nil || len(v) != 0 {
		t.Errorf("no texts: %d vectors, %v", len(v), err)
	}
	words := []string{"password", "database", "banana", "mountain", "network", "yellow", "engine"}
	var texts []string
	for i := range 300 {
		texts = append(texts, words[i%7]+" "+words[i/7%7]+" "+words[i/49%7])
	}
	vectors := documents(t, e, texts...)
	for i := 0; i < len(texts); i += 23 {
		if got := length(vectors[i]); math.Abs(got-1) > 1e-3 {
			t.Errorf("%q: length %g", texts[i], got)
		}
		q, err := e.EmbedQuery(t.Context(), texts[i])
		if err != nil {
			t.Fatal(err)
		}
		if !equal(q, vectors[i]) {
			t.Errorf("%q: other vector as a question than as document %d", texts[i], i)
		}
	}
}

// blank: texts without meaning have the zero vector, also among others.
func blank(t *testing.T, e embed.Embedder) {
	only := documents(t, e, "", " \n\t")
	mixed := documents(t, e, "", "password", "  ", "banana")
	for _, v := range [][]float32{only[0], only[1], mixed[0], mixed[2]} {
		if length(v) != 0 {
			t.Errorf("a blank text has length %g", length(v))
		}
	}
	if alone := documents(t, e, "banana"); !equal(alone[0], mixed[3]) {
		t.Error("blank texts move the vectors of others")
	}
}

// meaning: a text is closer to a text with the same meaning than to others.
func meaning(t *testing.T, e embed.Embedder) {
	v := documents(t, e, "How do I reset my password?", "resetting passwords of users", "ripe bananas are yellow")
	near, far := embed.Dot(v[0], v[1]), embed.Dot(v[0], v[2])
	if near <= far {
		t.Errorf("similarity to the same %g, to something else %g", near, far)
	}
}

// anyText: no string makes it fail.
func anyText(t *testing.T, e embed.Embedder) {
	texts := []string{
		"a\x00b", "\xff\xfe\xc3", "\u202e right to left \u200b", "🙂", "日本語", strings.Repeat("x", 5000),
		strings.Repeat("many words ", 5000), "<|endoftext|>", `{"json": "\u0000"}`, "\u0301", "line\r\nbreak",
	}
	for i, v := range documents(t, e, texts...) {
		if l := length(v); math.IsNaN(l) || l != 0 && math.Abs(l-1) > 1e-3 {
			t.Errorf("%.20q: length %g", texts[i], l)
		}
	}
}

// canceled: a canceled call fails with the error of the context and returns
// nothing.
func canceled(t *testing.T, e embed.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := e.EmbedDocuments(ctx, []string{"a", "b"}); !errors.Is(err, context.Canceled) || v != nil {
		t.Errorf("documents: %d vectors, %v", len(v), err)
	}
	if v, err := e.EmbedQuery(ctx, "a"); !errors.Is(err, context.Canceled) || v != nil {
		t.Errorf("query: %d elements, %v", len(v), err)
	}
}

// concurrent: concurrent calls do not affect each other.
func concurrent(t *testing.T, e embed.Embedder) {
	texts := []string{"password", "database tables", "a longer text about mountains and networks", "", "engine"}
	want := documents(t, e, texts...)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := e.EmbedDocuments(t.Context(), texts)
			if err != nil || !slices.EqualFunc(got, want, equal) {
				t.Errorf("at the same time: other vectors, %v", err)
			}
		})
	}
	wg.Wait()
}
