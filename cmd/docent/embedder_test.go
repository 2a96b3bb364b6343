package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// embeddings is a server whose model "m" makes vectors of the given length.
func embeddings(t *testing.T, length int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		type row struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		rows := make([]row, len(in.Input))
		for i, text := range in.Input {
			v := make([]float32, length)
			for _, b := range []byte(text) {
				v[int(b)%length]++
			}
			rows[i] = row{i, v}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": rows})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestOtherEmbedder: vectors of another length mean another embedder, even with
// the same name. docent embeds everything again and reports it.
func TestOtherEmbedder(t *testing.T) {
	t.Parallel()
	docs := t.TempDir()
	write(t, docs, "pump.md", "# Pump\n\nThe feed pump moves 40 litres per minute.\n")
	env := []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_EMBEDDER_MODEL=m"}
	for i, length := range []int{64, 96} {
		with := append([]string{"DOCENT_EMBEDDER_URL=" + embeddings(t, length)}, env...)
		p := start(t, with, "ingest", docs)
		if code := p.wait(); code != 0 {
			t.Fatalf("ingest: %d\n%s", code, p.log)
		}
		if said := strings.Contains(p.log.String(), "the embedder is now openai/m@96: embedding 1 passage again"); said != (i == 1) {
			t.Errorf("length %d: %s", length, p.log)
		}
		if out := docent(t, with, 0, "search", "--json", "--mode", "vectors", "feed pump"); !strings.Contains(out, "40 litres") {
			t.Errorf("length %d: %s", length, out)
		}
	}
	// Back to the built-in one.
	if out := docent(t, env[:1], 0, "ask", "how much does the feed pump move?"); !strings.Contains(out, "40 litres") {
		t.Errorf("built-in: %s", out)
	}
}
