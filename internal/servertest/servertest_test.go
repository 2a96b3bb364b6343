package servertest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"docent/api"
	"docent/internal/servertest"
	"docent/rag/corpus"
)

// TestStart checks that each server has its own copy of the documents and users, and
// that Stop stops it.
func TestStart(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		first, second := guarded(t, servertest.Config{Store: store}), guarded(t, servertest.Config{Store: store})
		root := first.Person("token root")
		if resp, body := root.Request(t, http.MethodDelete, first.URL+"/api/documents/1", ""); resp.StatusCode != http.StatusNoContent {
			t.Errorf("delete: %d %s", resp.StatusCode, body)
		}
		for s, want := range map[*site]int{first: 0, second: 1} {
			documents, err := s.DB.Library.Documents(t.Context(), corpus.DocumentFilter{})
			if err != nil || len(documents) != want {
				t.Errorf("%d documents, want %d (%v)", len(documents), want, err)
			}
			if resp, body := root.Request(t, http.MethodGet, s.URL+"/api/documents", ""); strings.Contains(body, "pump.md") != (want == 1) {
				t.Errorf("GET /api/documents: %d %s, want %d", resp.StatusCode, body, want)
			}
		}
		first.Stop()
		if _, _, err := root.TryDial(t, first.URL); err == nil {
			t.Error("a stopped server accepts connections")
		}
		if !strings.Contains(first.Log(), "shutting down") {
			t.Errorf("the log is %s", first.Log())
		}
	})
}

// TestSettings checks that a server has the given agent and settings, and that settings
// of the environment do not count.
func TestSettings(t *testing.T) {
	t.Setenv("DOCENT_AUTH", "true")
	s := servertest.Start(t, servertest.Config{Agent: thinker, Settings: with(map[string]string{"origins": "https://app.example.com"}, map[string]string{
		"llm.url": "http://127.0.0.1:1", "llm.model": "none", "llm.key": "none",
	})})
	var info api.Info
	if getJSON(t, s.URL+"/api/info", &info); info.Agent != "thinker" || info.Auth || len(s.People) != 0 {
		t.Errorf("%+v with %d people", info, len(s.People))
	}
	resp, _ := who{}.Request(t, http.MethodOptions, s.URL+"/api/ask", "", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST")
	if got := resp.Header["Access-Control-Allow-Origin"]; !slices.Equal(got, []string{"https://app.example.com"}) {
		t.Errorf("an origin of the settings gets %v", got)
	}
}
