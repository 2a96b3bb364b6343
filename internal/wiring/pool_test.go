package wiring

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docent/config"
	"docent/index/weaviate/weaviatetest"
	"docent/internal/fault"
	"docent/internal/pgtest"
)

// TestSmallPool: the smallest pool of connections suffices while all indexes are written at
// the same time, and a smaller one is refused.
func TestSmallPool(t *testing.T) {
	t.Parallel()
	node := weaviatetest.New(t)
	for name, c := range map[string]struct {
		database string
		conns    int
		writers  int // that wait for the changes
	}{
		config.IndexFlat:     {pgtest.URL(t), 1, 1},
		config.IndexPGVector: {pgtest.VectorURL(t), 3, 2},
		config.IndexWeaviate: {pgtest.URL(t), 4, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			load := func(conns int) config.Config {
				mark := "?"
				if strings.Contains(c.database, "?") {
					mark = "&"
				}
				cfg, err := config.Load(config.Sources{Program: map[string]string{
					"data": t.TempDir(), "database-url": fmt.Sprintf("%s%spool_max_conns=%d", c.database, mark, conns), "index": name,
					"weaviate.nodes": node.URL, "encoder": config.EncoderOff,
				}})
				if err != nil {
					t.Fatal(err)
				}
				return cfg
			}
			reached, gate := make(chan struct{}, 100), make(chan struct{})
			if c.conns > 1 {
				few := open(t, load(c.conns-1), reached, gate)
				_, err := NewServer(t.Context(), few.Store, few.Embedders, "test")
				if fault.TextOf(err).ID != "config_few_connections" {
					t.Errorf("with %d connections: %v", c.conns-1, err)
				}
			}
			p := open(t, load(c.conns), reached, gate)
			p.putTexts(t, "Lemons grow on small trees.")
			go func() {
				for range c.writers {
					<-reached
				}
				close(gate)
			}()
			url, stop := p.serve(t)
			for status := 0; status != http.StatusOK; {
				status, _ = request(t, http.MethodGet, url+"/api/ready", "")
			}
			p.putTexts(t, "Mint grows in wet soil.")
			status, body := request(t, http.MethodPost, url+"/api/ask", `{"question": "Where do lemons grow?"}`)
			if status != http.StatusOK || !strings.Contains(body, "small trees") {
				t.Errorf("a question: %d %s", status, body)
			}
			stop()
		})
	}
}
