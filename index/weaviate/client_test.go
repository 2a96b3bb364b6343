package weaviate_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"docent/index/weaviate"
	"docent/internal/fault"
	"docent/rag/retrieve"
)

// node is a server that answers each request with a status and a body.
type node struct {
	*httptest.Server
	status atomic.Int32
	body   string
	calls  atomic.Int32
}

func newNode(t *testing.T, status int, body string) *node {
	n := &node{body: body}
	n.status.Store(int32(status))
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n.calls.Add(1)
		w.WriteHeader(int(n.status.Load()))
		_, _ = w.Write([]byte(n.body)) // the client sees a failure
	}))
	t.Cleanup(n.Close)
	return n
}

const oneHit = `{"data":{"Get":{"DocentPassage":[{"chunk":7,"source":"a","ordinal":1,"_additional":{"distance":-0.5}}]}}}`

// TestFailover searches while nodes fail in different ways.
func TestFailover(t *testing.T) {
	t.Parallel()
	const dead = "http://127.0.0.1:1" // nobody listens there
	broken := newNode(t, http.StatusInternalServerError, `no leader`)
	partial := newNode(t, http.StatusOK, `{"data":{"Get":{"DocentPassage":null}},"errors":[{"message":"tried to browse non-existing index"}]}`)
	good := newNode(t, http.StatusOK, oneHit)
	x := open(t, weaviate.Config{Class: "DocentPassage", Nodes: []string{dead, broken.URL, partial.URL + "/", good.URL}})
	query := make([]float32, 64)
	query[0] = 2
	search := func() ([]retrieve.Hit, error) { return x.Nearest(t.Context(), query, 5, retrieve.Filter{}) }
	failures := func() int32 { return broken.calls.Load() + partial.calls.Load() }
	// Searches avoid the nodes that failed lately. On a busy machine, a search may come so late
	// that it tries them again. Each of four searches begins at another node.
	for tries, avoided := 0, false; !avoided; tries++ {
		if tries == 10 {
			t.Fatalf("the searches did not avoid the nodes that failed: %d, %d, and %d calls",
				broken.calls.Load(), partial.calls.Load(), good.calls.Load())
		}
		before := failures()
		for range 4 {
			hits, err := search()
			if err != nil || len(hits) != 1 || hits[0] != (retrieve.Hit{ID: 7, Score: .5}) {
				t.Fatalf("found %v, %v", hits, err)
			}
		}
		avoided = tries > 0 && failures() == before
	}
	if failures() == 0 {
		t.Error("no search tried the nodes that failed")
	}
	good.status.Store(http.StatusServiceUnavailable)
	_, err := search()
	if fault.KindOf(err) != fault.Unavailable || fault.TextOf(err).ID != "weaviate_unavailable" {
		t.Errorf("all nodes fail: %v", err)
	}
	if strings.Contains(fault.TextOf(err).Message, "127.0.0.1") {
		t.Errorf("the message has addresses: %v", fault.TextOf(err).Message)
	}
}

// TestRefusals: a starting node refuses requests that the others answer.
func TestRefusals(t *testing.T) {
	t.Parallel()
	starting := newNode(t, http.StatusUnprocessableEntity, `{"error":[{"message":"no graphql provider present"}]}`)
	good := newNode(t, http.StatusOK, oneHit)
	x := open(t, weaviate.Config{Class: "DocentPassage", Nodes: []string{starting.URL, good.URL}})
	query := make([]float32, 64)
	query[0] = 2
	if hits, err := x.Nearest(t.Context(), query, 5, retrieve.Filter{}); err != nil || len(hits) != 1 || starting.calls.Load() != 1 {
		t.Errorf("one node is starting: found %v after %d calls of it, %v", hits, starting.calls.Load(), err)
	}
	good.status.Store(http.StatusInternalServerError)
	if _, err := x.Nearest(t.Context(), query, 5, retrieve.Filter{}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("one node is starting, and the other fails: %v", err)
	}
	good.status.Store(http.StatusUnprocessableEntity)
	if _, err := x.Nearest(t.Context(), query, 5, retrieve.Filter{}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("all nodes are starting: %v", err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for nodes, want := range map[string]string{"": "config_weaviate_incomplete", "node1:8080": "config_weaviate_url", "ftp://a": "config_weaviate_url"} {
		cfg := weaviate.Config{Corpus: empty(), Leases: free{}, Embedder: "m", Dimensions: 3, Nodes: strings.Fields(nodes)}
		if _, err := weaviate.New(t.Context(), cfg); fault.TextOf(err).ID != want {
			t.Errorf("nodes %q: %v, want %s", nodes, err, want)
		}
	}
	x := open(t, weaviate.Config{Nodes: []string{"http://127.0.0.1:1"}})
	if _, err := x.Nearest(t.Context(), []float32{1}, 1, retrieve.Filter{}); fault.TextOf(err).ID != "weaviate_query_dimensions" {
		t.Errorf("a vector of another length: %v", err)
	}
}

// TestEqualScores: a search reads more objects only if equal scores reach the limit.
func TestEqualScores(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		step float64 // between the scores
		want int     // requests
	}{"different": {.001, 1}, "equal": {0, 2}} {
		calls := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls++
			body, _ := io.ReadAll(r.Body) // a search without a limit returns nothing
			limit := 0
			if _, after, ok := strings.Cut(string(body), "limit: "); ok {
				_, _ = fmt.Sscanf(after, "%d", &limit)
			}
			var objects []string
			for i := range min(limit, 300) {
				objects = append(objects, fmt.Sprintf(`{"chunk":%d,"source":"a","ordinal":%d,"_additional":{"distance":%g}}`, 300-i, 300-i, test.step*float64(i)))
			}
			_, _ = fmt.Fprintf(w, `{"data":{"Get":{"DocentPassage":[%s]}}}`, strings.Join(objects, ",")) // the client sees a failure
		}))
		t.Cleanup(server.Close)
		x := open(t, weaviate.Config{Class: "DocentPassage", Nodes: []string{server.URL}})
		query := make([]float32, 64)
		query[0] = 1
		hits, err := x.Nearest(t.Context(), query, 200, retrieve.Filter{})
		if err != nil || len(hits) != 200 || calls != test.want {
			t.Errorf("%s scores: %d hits after %d requests, want %d: %v", name, len(hits), calls, test.want, err)
		}
		if test.step == 0 && err == nil && hits[0].ID != 1 {
			t.Errorf("the first of equal scores is %d, want 1", hits[0].ID)
		}
	}
}
