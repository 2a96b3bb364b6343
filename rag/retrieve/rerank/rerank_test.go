package rerank_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docent/internal/openai"
	"docent/rag/corpus"
	"docent/rag/retrieve/indextest"
	"docent/rag/retrieve/rerank"
)

const key = "jina_secret"

// body is the body of a request.
type body struct {
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

// newServer returns the client of a scripted server.
func newServer(t *testing.T, cfg rerank.Config, serve func(http.ResponseWriter, *http.Request, body)) *rerank.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b body
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
			t.Error(err)
		}
		serve(w, r, b)
	}))
	t.Cleanup(server.Close)
	cfg.BaseURL = server.URL + "/v1/"
	s, err := rerank.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// overlap answers like a server that counts shared words, best first.
func overlap(w http.ResponseWriter, _ *http.Request, b body) {
	type result struct {
		Index int     `json:"index"`
		Score float64 `json:"relevance_score"`
	}
	var results []result
	for i, d := range b.Documents {
		n := 0.0
		for _, word := range strings.Fields(b.Query) {
			if strings.Contains(d, word) {
				n++
			}
		}
		results = append(results, result{i, n})
	}
	slices.SortFunc(results, func(a, b result) int { return int(b.Score - a.Score) })
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "1", "results": results[:b.TopN], "meta": map[string]any{}})
}

func passages(texts ...string) []corpus.Passage {
	out := make([]corpus.Passage, len(texts))
	for i, text := range texts {
		out[i] = corpus.Passage{Chunk: corpus.Chunk{ID: int64(i), Text: text}}
	}
	return out
}

func TestConformance(t *testing.T) {
	t.Parallel()
	indextest.RunReranker(t, newServer(t, rerank.Config{}, overlap))
}

func TestRequest(t *testing.T) {
	t.Parallel()
	var got body
	s := newServer(t, rerank.Config{APIKey: key, Model: "m"}, func(w http.ResponseWriter, r *http.Request, b body) {
		got = b
		if r.Method != http.MethodPost || r.URL.Path != "/v1/rerank" || r.Header.Get("Authorization") != "Bearer "+key ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
		}
		overlap(w, r, b)
	})
	asked := passages("The valve opens.", strings.Repeat("ä", 8<<10))
	asked[0].Document.Title, asked[0].Headings = "Manual", []string{"Valves"}
	if _, err := s.Score(t.Context(), "valve", asked); err != nil {
		t.Fatal(err)
	}
	if got.Model != "m" || got.Query != "valve" || got.TopN != 2 || got.Documents[0] != "Manual › Valves\nThe valve opens." {
		t.Errorf("the request is %+v", got)
	}
	if long := got.Documents[1]; len(long) > 8<<10 || strings.ContainsRune(long, '\uFFFD') {
		t.Errorf("the long passage has %d bytes", len(long))
	}
}

// TestForms has servers with other requests and responses than Cohere's. The form is found once.
func TestForms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, field, refusedField, says, answer string }{
		"Voyage": {"/v1/rerank", "documents", "top_n", "Argument 'top_n' is not supported by our API", `{"object":"list","data":[{"relevance_score":2,"index":1},{"relevance_score":-1.5,"index":0}]}`},
		"TEI":    {"/v1/rerank", "texts", "documents", "missing field `texts`", `[{"index":1,"score":2},{"index":0,"score":-1.5}]`},
		"vLLM":   {"/v1/score", "text_2", "query", "Not Found", `{"object":"list","data":[{"index":0,"object":"score","score":-1.5},{"index":1,"object":"score","score":2}]}`},
	} {
		var calls atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			var fields map[string]any
			if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
				t.Error(err)
			}
			if r.URL.Path != c.path || fields[c.refusedField] != nil || fields[c.field] == nil {
				http.Error(w, c.says, http.StatusUnprocessableEntity)
				return
			}
			_, _ = io.WriteString(w, c.answer)
		}))
		t.Cleanup(server.Close)
		s, err := rerank.New(rerank.Config{BaseURL: server.URL + "/v1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := s.Score(t.Context(), "q", passages("a", "b"))
			if err != nil || got[0].Relevance != -1.5 || got[1].Relevance != 2 {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
		before := calls.Load()
		if _, err := s.Score(t.Context(), "q", passages("a", "b")); err != nil || calls.Load() != before+1 {
			t.Errorf("%s: %d calls again, %v", name, calls.Load()-before, err)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const first, second = `{"index":0,"relevance_score":-1.5}`, `{"index":1,"relevance_score":2}`
	for name, c := range map[string]struct{ answer, problem string }{
		"other order": {`{"results":[` + second + `,` + first + `]}`, ""},
		"missing":     {`{"results":[` + first + `]}`, "1 scores for 2 passages"},
		"twice":       {`{"results":[` + first + `,` + first + `]}`, "index 0"},
		"outside":     {`{"results":[` + first + `,{"index":2,"relevance_score":1}]}`, "index 2"},
		"negative":    {`{"results":[` + first + `,{"index":-1,"relevance_score":1}]}`, "index -1"},
		"no index":    {`{"results":[` + first + `,{"relevance_score":1}]}`, "lacks"},
		"no score":    {`{"results":[` + first + `,{"index":1}]}`, "lacks"},
		"no JSON":     {`<html>`, "read the answer"},
		"cut":         {`{"results":[` + first, "read the answer"},
		"endless":     {`{"id":"` + strings.Repeat("x", 5<<20) + `"}`, "too long"},
	} {
		calls := 0
		s := newServer(t, rerank.Config{}, func(w http.ResponseWriter, _ *http.Request, _ body) {
			calls++
			_, _ = io.WriteString(w, c.answer)
		})
		got, err := s.Score(t.Context(), "q", passages("a", "b"))
		switch {
		case calls != 1:
			t.Errorf("%s: %d calls", name, calls)
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%s: %v", name, err)
		case c.problem == "" && (err != nil || got[0].Relevance != -1.5 || got[1].Relevance != 2):
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for status, calls := range map[int]int32{429: 2, 503: 2, 401: 1, 302: 1, 404: 4, 422: 4} { // 404 and 422 may refuse the form
		var n atomic.Int32
		s := newServer(t, rerank.Config{APIKey: key}, func(w http.ResponseWriter, _ *http.Request, _ body) {
			n.Add(1)
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"detail":"no, %s"}`, key)
		})
		_, err := s.Score(t.Context(), "q", passages("a"))
		var refusal *openai.StatusError
		if !errors.As(err, &refusal) || refusal.Status != status || n.Load() != calls || strings.Contains(err.Error(), key) {
			t.Errorf("%d: %d calls, %v", status, n.Load(), err)
		}
	}
	var n atomic.Int32
	recovers := newServer(t, rerank.Config{}, func(w http.ResponseWriter, r *http.Request, b body) {
		if n.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		overlap(w, r, b)
	})
	if got, err := recovers.Score(t.Context(), "a", passages("a")); err != nil || got[0].Relevance != 1 {
		t.Errorf("after a retry: %v, %v", got, err)
	}
	// The server asks for a longer wait than the timeout.
	n.Store(0)
	busy := newServer(t, rerank.Config{}, func(w http.ResponseWriter, _ *http.Request, _ body) {
		n.Add(1)
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if _, err := busy.Score(t.Context(), "a", passages("a")); err == nil || n.Load() != 1 {
		t.Errorf("with a long wait: %d calls, %v", n.Load(), err)
	}
}

// TestServerLimits has servers that take few documents at once, or no long ones.
func TestServerLimits(t *testing.T) {
	t.Parallel()
	texts := make([]string, 30)
	for i := range texts {
		texts[i] = fmt.Sprintf("passage %d", i)
	}
	texts[3] = strings.Repeat("nothing of interest ", 60) + "valve"
	calls := 0
	s := newServer(t, rerank.Config{}, func(w http.ResponseWriter, r *http.Request, b body) {
		calls++
		for _, d := range b.Documents {
			if len(b.Documents) > 10 || len(d) > 512 {
				w.WriteHeader(http.StatusUnprocessableEntity)
				return
			}
		}
		overlap(w, r, b)
	})
	for _, want := range []int{-1, 5} { // requests of the second call: 30 documents with one in four parts
		calls = 0
		got, err := s.Score(t.Context(), "valve", passages(texts...))
		if err != nil || len(got) != 30 || got[3].Relevance != 1 || got[4].Relevance != 0 {
			t.Fatalf("%v, %v", got, err)
		}
		if want > 0 && calls != want {
			t.Errorf("%d requests, want %d", calls, want)
		}
	}
}

// TestBatches has a number of documents for each request, as --rerank-batch sets it. The scores are in the order of the
// passages, whatever request they were in.
func TestBatches(t *testing.T) {
	t.Parallel()
	texts := make([]string, 20)
	for i := range texts {
		texts[i] = strings.Repeat("valve ", i%5) + fmt.Sprint("passage ", i)
	}
	var sizes []int
	s := newServer(t, rerank.Config{Documents: 8}, func(w http.ResponseWriter, _ *http.Request, b body) {
		sizes = append(sizes, len(b.Documents))
		if b.TopN != len(b.Documents) {
			t.Errorf("top_n is %d for %d documents", b.TopN, len(b.Documents))
		}
		type result struct {
			Index int     `json:"index"`
			Score float64 `json:"relevance_score"`
		}
		var out struct {
			Results []result `json:"results"`
		}
		for i := len(b.Documents) - 1; i >= 0; i-- { // servers sort by score
			out.Results = append(out.Results, result{i, float64(strings.Count(b.Documents[i], "valve"))})
		}
		_ = json.NewEncoder(w).Encode(out)
	})
	got, err := s.Score(t.Context(), "valve", passages(texts...))
	if err != nil || len(got) != len(texts) || !slices.Equal(sizes, []int{8, 8, 4}) {
		t.Fatalf("%d scores in requests of %v, %v", len(got), sizes, err)
	}
	for i, score := range got {
		if score.Relevance != float64(i%5) {
			t.Errorf("passage %d has %v", i, score.Relevance)
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request, _ body) { <-r.Context().Done() }
	s := newServer(t, rerank.Config{Timeout: 50 * time.Millisecond}, hang)
	if _, err := s.Score(t.Context(), "q", passages("a")); err == nil || !strings.Contains(err.Error(), "within 50ms") {
		t.Errorf("a slow server: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s = newServer(t, rerank.Config{}, func(w http.ResponseWriter, r *http.Request, b body) {
		cancel()
		hang(w, r, b)
	})
	if _, err := s.Score(ctx, "q", passages("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled call: %v", err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]rerank.Config{
		"no address": {}, "no scheme": {BaseURL: "localhost:1"}, "password": {BaseURL: "http://u:p@x"},
		"negative": {BaseURL: "http://x", Timeout: -1},
	} {
		if _, err := rerank.New(cfg); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
