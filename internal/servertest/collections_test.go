package servertest_test

import (
	"net/http"
	"strings"
	"testing"

	"docent/ingest/source"
	"docent/internal/servertest"
)

// TestCollectionRecords describes, empties, and removes collections over HTTP. Documents keep their collection and their ids.
func TestCollectionRecords(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Config{Documents: []servertest.Document{vault, {Collection: "vault", Name: "more.md", Content: "# More\n\nMore.\n"}}})
	send := func(status int, want, method, path, body string) {
		t.Helper()
		resp, got := servertest.Person{}.Request(t, method, s.URL+path, body, asJSON...)
		if resp.StatusCode != status || !strings.Contains(got, want) {
			t.Errorf("%s %s: %d %s, want %d with %q", method, path, resp.StatusCode, got, status, want)
		}
	}
	send(204, "", http.MethodPost, "/api/collections", `{"name":"new","description":"Nothing yet."}`)
	send(200, `"name":"new","title":"new","description":"Nothing yet."`, http.MethodGet, "/api/info", "")
	send(409, "there is already", http.MethodPost, "/api/collections", `{"name":"vault"}`)
	send(400, "", http.MethodPost, "/api/collections", `{"name":"a/b"}`)
	send(400, "is not a color", http.MethodPatch, "/api/collections/vault", `{"color":"loud"}`)
	send(204, "", http.MethodPatch, "/api/collections/vault", `{"title":"The vault","questions":["When does the pump stop?"]}`)
	send(200, `"title":"The vault","questions":["When does the pump stop?"]`, http.MethodGet, "/api/collections", "")
	send(200, `"collection":"vault"`, http.MethodGet, "/api/documents/1", "")
	feed, err := s.DB.Sources.AddSource(t.Context(), source.Record{Name: "feed", Kind: "folder", Location: "/x", Collection: "vault", Schedule: "manual"})
	if err != nil {
		t.Fatal(err)
	}
	send(409, "remove the source first", http.MethodDelete, "/api/collections/vault", "")
	send(200, `"collection":"vault"`, http.MethodGet, "/api/documents/1", "") // nothing was removed
	if err := s.DB.Sources.RemoveSource(t.Context(), feed); err != nil {
		t.Fatal(err)
	}
	send(200, `"removed":2`, http.MethodPost, "/api/collections/vault/empty", "")
	send(200, `"title":"The vault"`, http.MethodGet, "/api/collections", "")
	send(404, "", http.MethodGet, "/api/documents/1", "")
	send(200, `"removed":0`, http.MethodDelete, "/api/collections/vault", "")
	send(404, "there is no collection", http.MethodPost, "/api/collections/vault/empty", "")
	send(409, "cannot be removed", http.MethodDelete, "/api/collections/default", "")
}
