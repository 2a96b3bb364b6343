package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// reranking is a server that prefers documents with a word. It fails while the
// word is empty.
func reranking(t *testing.T, word string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Documents []string `json:"documents"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || word == "" || r.URL.Path != "/rerank" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		var results []map[string]any
		for i, d := range in.Documents {
			results = append(results, map[string]any{"index": i, "relevance_score": strings.Count(d, word)})
		}
		slices.Reverse(results)
		_ = json.NewEncoder(w).Encode(map[string]any{"results": results})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestRerankingServer: the server decides the order of the passages. If it fails,
// search works without it and doctor reports it.
func TestRerankingServer(t *testing.T) {
	t.Parallel()
	docs := t.TempDir()
	write(t, docs, "pump.md", "# Pump\n\nThe feed pump moves 40 litres per minute.\n")
	write(t, docs, "other.md", "# Basin\n\nThe server has a basin, which the feed pump fills.\n")
	env := []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_ADDR=127.0.0.1:0"}
	if p := start(t, env, "ingest", docs); p.wait() != 0 {
		t.Fatalf("ingest: %s", p.log)
	}
	first := func(with ...string) string {
		var out searchLine
		said := docent(t, append(with, env...), 0, "search", "--json", "how many litres does the feed pump move?")
		if err := json.Unmarshal([]byte(said), &out); err != nil || len(out.Results) == 0 {
			t.Fatalf("%v in %s", err, said)
		}
		return out.Results[0].Source
	}
	basin, broken := "DOCENT_RERANK_URL="+reranking(t, "basin"), "DOCENT_RERANK_URL="+reranking(t, "")
	if got := first(); !strings.HasSuffix(got, "pump.md") {
		t.Errorf("without a server: %s", got)
	}
	if got := first(basin); !strings.HasSuffix(got, "other.md") {
		t.Errorf("with a server: %s", got)
	}
	if got := first(broken); !strings.HasSuffix(got, "pump.md") {
		t.Errorf("with a broken server: %s", got)
	}
	for with, c := range map[string]struct {
		code int
		want string
	}{
		"DOCENT_RERANK_URL=": {0, "ok    reranker  none"},
		"DOCENT_RERANK_URL=" + reranking(t, "server is on"): {0, "orders the best passages in place of the encoder"},
		basin:  {1, "is it a reranking model?"},
		broken: {1, "FAIL  reranker  rerank: status 400"},
	} {
		if out := docent(t, append([]string{with}, env...), c.code, "doctor"); !strings.Contains(out, c.want) {
			t.Errorf("%s: there is no %q in\n%s", with, c.want, out)
		}
	}
}
