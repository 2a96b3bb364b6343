package wiring

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"docent/config"
	"docent/index/weaviate/weaviatetest"
	"docent/internal/pgtest"
	"docent/rag/corpus"
)

// gated is a corpus whose changes wait at a gate.
type gated struct {
	corpus.Corpus
	reached chan<- struct{}
	gate    <-chan struct{}
}

func (c gated) Changes(ctx context.Context, since int64, embedder string) iter.Seq2[corpus.Change, error] {
	return func(yield func(corpus.Change, error) bool) {
		c.reached <- struct{}{}
		select {
		case <-c.gate:
		case <-ctx.Done():
			yield(corpus.Change{}, ctx.Err())
			return
		}
		c.Corpus.Changes(ctx, since, embedder)(yield)
	}
}

// TestServeWhileFilling serves while the indexes outside of the process are filled, stops
// meanwhile, and continues at the next start.
func TestServeWhileFilling(t *testing.T) {
	t.Parallel()
	node := weaviatetest.New(t)
	for name, database := range map[string]string{
		config.IndexWeaviate: pgtest.URL(t), config.IndexPGVector: pgtest.VectorURL(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Load(config.Sources{Program: map[string]string{
				"data": t.TempDir(), "database-url": database, "index": name, "weaviate.nodes": node.URL, "encoder": config.EncoderOff,
			}})
			if err != nil {
				t.Fatal(err)
			}
			reached, gate := make(chan struct{}, 100), make(chan struct{})
			p := open(t, cfg, reached, gate)
			p.putTexts(t, "Lemons grow on small trees.")
			url, stop := p.serve(t)
			<-reached // by the keyword index
			<-reached // by the vector index
			for _, index := range []string{"vector_index", "keyword_index"} {
				if status, body := request(t, http.MethodGet, url+"/api/ready", ""); status != http.StatusServiceUnavailable ||
					!strings.Contains(body, `"`+index+`":"the `) || !strings.Contains(body, "is being filled, and 0 % are done") {
					t.Errorf("ready: %d %s", status, body)
				}
			}
			const question = `{"question": "Where do lemons grow?"}`
			if status, body := request(t, http.MethodPost, url+"/api/ask", question); status != http.StatusOK {
				t.Errorf("a question while the indexes are empty: %d %s", status, body)
			}
			p.putTexts(t, "Mint grows in wet soil.")
			stop()

			close(gate)
			url, stop = open(t, cfg, reached, gate).serve(t)
			for status := 0; status != http.StatusOK; {
				status, _ = request(t, http.MethodGet, url+"/api/ready", "")
			}
			if status, body := request(t, http.MethodPost, url+"/api/ask", question); status != http.StatusOK || !strings.Contains(body, "small trees") {
				t.Errorf("a question after that: %d %s", status, body)
			}
			stop()
		})
	}
}

// parts are the parts that servers and commands begin with.
type parts struct {
	*Store
	*Embedders
}

// openParts opens the database and the embedder. The test closes them.
func openParts(t *testing.T, cfg config.Config) parts {
	t.Helper()
	s, err := OpenStore(t.Context(), New(cfg, slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(t.Context()) })
	e, err := OpenEmbedders(t.Context(), s.Base)
	if err != nil {
		t.Fatal(err)
	}
	return parts{s, e}
}

// open is openParts with a database whose changes wait for the gate.
func open(t *testing.T, cfg config.Config, reached chan<- struct{}, gate <-chan struct{}) parts {
	t.Helper()
	p := openParts(t, cfg)
	p.DB.Corpus = gated{p.DB.Corpus, reached, gate}
	return p
}

// serve runs a server of the parts, and returns its URL and a function that stops it.
func (p parts) serve(t *testing.T) (url string, stop func()) {
	t.Helper()
	s, err := NewServer(t.Context(), p.Store, p.Embedders, "test")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.Serve(ctx, nil, listener, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	return "http://" + listener.Addr().String(), func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		s.Close(t.Context())
	}
}

func request(t *testing.T, method, url, body string) (status int, response string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
