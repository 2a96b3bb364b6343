package embed_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docent/embed"
	"docent/embed/embedtest"
	"docent/internal/fault"
)

// words returns a text of n words that begins with a number.
func words(number, n int) string {
	return fmt.Sprint(number, strings.Repeat(" river", n))
}

// TestServerLimits has servers that refuse many or long texts, with the words and the
// statuses of real ones.
func TestServerLimits(t *testing.T) {
	t.Parallel()
	var short, mixed []string
	for i := range 70 {
		short, mixed = append(short, words(i, 3)), append(mixed, words(i, 3))
	}
	mixed[5], mixed[40] = words(5, 400), words(40, 150)
	for name, c := range map[string]struct {
		texts    []string
		refuse   func(r embedtest.Request) bool
		status   int
		message  string
		max      int // found limit of texts; 0 if it stays
		bytes    bool
		requests int // of a second call with the same texts
	}{
		"10 texts": {
			short, func(r embedtest.Request) bool { return len(r.Input) > 10 }, 400,
			"batch size is invalid, it should not be larger than 10.: input.contents", 8, false, 9,
		},
		"25 texts": {
			short, func(r embedtest.Request) bool { return len(r.Input) > 25 }, 422,
			"batch size 64 > maximum allowed batch size 25", 16, false, 5,
		},
		"32 texts": {
			short, func(r embedtest.Request) bool { return len(r.Input) > 32 }, 413,
			"batch size 64 > maximum allowed batch size 32", 32, false, 3,
		},
		"512 tokens": {
			mixed, func(r embedtest.Request) bool { return longest(r) > 512 }, 413,
			"Input validation error: `inputs` must have less than 512 tokens. Given: 600", 0, true, 2,
		},
		"512 tokens with status 500": {
			mixed, func(r embedtest.Request) bool { return longest(r) > 512 }, 500,
			"input is too large to process. increase the physical batch size", 0, true, -1,
		},
		"both": {
			mixed, func(r embedtest.Request) bool { return longest(r) > 512 || len(r.Input) > 32 }, 400,
			"invalid", 0, true, -1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := embedtest.NewServer(t)
			intercept := func(w http.ResponseWriter, r embedtest.Request, _ int) bool {
				refused := c.refuse(r)
				if refused {
					embedtest.Refuse(w, c.status, c.message)
				}
				return refused
			}
			server.Intercept(intercept)
			o, waits := newOpenAI(t, server, nil)
			got, err := o.EmbedDocuments(t.Context(), c.texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				one, err := o.EmbedQuery(t.Context(), c.texts[i])
				if err != nil || len(v) != 64 || dot(v, one) < .999 {
					t.Fatalf("text %d has %d elements, similarity %g, %v", i, len(v), dot(v, one), err)
				}
			}
			texts, bytes := o.Limits()
			if c.max > 0 && texts != c.max || c.bytes != (bytes > 0) || len(*waits) > 0 {
				t.Errorf("the limits are %d texts and %d bytes after %d waits", texts, bytes, len(*waits))
			}
			server.Intercept(intercept)
			if _, err := o.EmbedDocuments(t.Context(), c.texts); err != nil {
				t.Fatal(err)
			}
			if n := len(server.Requests()); c.requests >= 0 && n != c.requests {
				t.Errorf("the second call takes %d requests, want %d", n, c.requests)
			}
		})
	}
}

// longest returns the length of the longest text.
func longest(r embedtest.Request) int {
	n := 0
	for _, text := range r.Input {
		n = max(n, len(text))
	}
	return n
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestSetLimits has limits from the settings, which no request exceeds.
func TestSetLimits(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	o, _ := newOpenAI(t, server, func(c *embed.Config) { c.Texts, c.TextBytes = 4, 600 })
	if _, err := o.EmbedDocuments(t.Context(), []string{words(1, 300), words(2, 2), words(3, 2)}); err != nil {
		t.Fatal(err)
	}
	for _, r := range server.Requests() {
		if len(r.Input) > 4 || longest(r) > 600 {
			t.Errorf("a request has %d texts with up to %d bytes", len(r.Input), longest(r))
		}
	}
}

func TestServerWithoutEncodingFormat(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	server.Intercept(func(w http.ResponseWriter, r embedtest.Request, _ int) bool {
		if r.EncodingFormat != "" {
			embedtest.Refuse(w, http.StatusBadRequest, "encoding_format not supported")
		}
		return r.EncodingFormat != ""
	})
	o, _ := newOpenAI(t, server, nil)
	for range 2 {
		if _, err := o.EmbedQuery(t.Context(), "hello"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(server.Requests()); n != 3 {
		t.Errorf("%d requests for two texts", n)
	}
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	names := map[string]bool{}
	for _, c := range []struct{ model, query, passage, wantQuery, wantPassage string }{
		{"m", "", "", "q", "p"},
		{"m", "Q: ", "P: ", "Q: q", "P: p"},
		{"m", "", "Text: ", "q", "Text: p"},
		{"intfloat/multilingual-E5-small", "", "", "query: q", "passage: p"},
		{"intfloat/multilingual-E5-small", "none", "none", "q", "p"},
		{"nomic-embed-text:latest", "", "", "search_query: q", "search_document: p"},
		{"BAAI/bge-small-en-v1.5", "", "", "Represent this sentence for searching relevant passages: q", "p"},
	} {
		server.Intercept(nil)
		o, _ := newOpenAI(t, server, func(cfg *embed.Config) {
			cfg.Model, cfg.QueryPrefix, cfg.PassagePrefix = c.model, c.query, c.passage
		})
		_, err := o.EmbedQuery(t.Context(), "q")
		if err == nil {
			_, err = o.EmbedDocuments(t.Context(), []string{"p"})
		}
		if err != nil {
			t.Fatal(err)
		}
		got := server.Requests()
		if !slices.Equal(got[0].Input, []string{c.wantQuery}) || !slices.Equal(got[1].Input, []string{c.wantPassage}) {
			t.Errorf("%+v: %q and %q", c, got[0].Input, got[1].Input)
		}
		names[o.Name()] = true
	}
	if len(names) != 7 { // each prefix of passages has a name of its own; the first model has three
		t.Errorf("the names are %v", names)
	}
}

func TestCheckOfVectors(t *testing.T) {
	t.Parallel()
	server := embedtest.NewServer(t)
	o, _ := newOpenAI(t, server, nil)
	if err := o.Check(t.Context()); err != nil {
		t.Error(err)
	}
	server.Intercept(func(w http.ResponseWriter, _ embedtest.Request, _ int) bool {
		_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[1,2]}]}`)
		return true
	})
	o, _ = newOpenAI(t, server, func(c *embed.Config) { c.Settings.Model = "EMBED_MODEL" })
	if err := o.Check(t.Context()); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "EMBED_MODEL") {
		t.Errorf("equal vectors: %v", err)
	}
	for _, vector := range []string{"[0,0]", "[0.5,0.5]", "[0.1,null]", "[NaN,0.1]", `"AADAfwAAAD8="`} {
		server.Intercept(func(w http.ResponseWriter, _ embedtest.Request, _ int) bool {
			_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":`+vector+`}]}`)
			return true
		})
		o, _ = newOpenAI(t, server, nil)
		if err := o.Check(t.Context()); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), server.URL) {
			t.Errorf("the vector %s: %v; want an error that names %s", vector, err, server.URL)
		}
	}
}
