package servertest_test

import (
	"net/http"
	"strings"
	"testing"

	"docent/auth/rights"
	"docent/internal/servertest"
	"docent/rag/corpus"
)

// TestMoveDocument moves a document that a conversation cites into a collection that its owner may not read.
func TestMoveDocument(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		ctx, owner, mover := t.Context(), s.Person("user owner"), s.Person("user both")
		grant := func(collection, subject string, level rights.Level) {
			t.Helper()
			if err := s.DB.Rights.SetRight(ctx, collection, rights.Grant{Subject: subject, Level: level}); err != nil {
				t.Fatal(err)
			}
		}
		send := func(by who, status int, want, method, path, body string) string {
			t.Helper()
			resp, got := by.Request(t, method, s.URL+path, body, asJSON...)
			if resp.StatusCode != status || !strings.Contains(got, want) {
				t.Errorf("%s: %s %s: %d %s, want %d with %q", by.Name, method, path, resp.StatusCode, got, status, want)
			}
			return got
		}
		send(owner, 200, "Zqmidnight", http.MethodPost, "/agui",
			`{"threadId":"S","runId":"r","messages":[{"role":"user","content":"When does the vault pump stop?"}]}`)
		const messages = "/api/sessions/S/messages"
		send(owner, 200, `"document_id":1`, http.MethodGet, messages, "")

		const move = `{"ids":[1],"collection":"secret"}`
		post := func(status int, want string) {
			t.Helper()
			send(mover, status, want, http.MethodPost, "/api/documents/move", move)
		}
		grant("vault", rights.Everyone, rights.Read)
		post(403, "document_read_only")
		grant("vault", mover.ID, rights.Write)
		post(404, "no_collection")
		if err := s.DB.Collections.AddCollection(ctx, "secret", corpus.About{}); err != nil {
			t.Fatal(err)
		}
		grant("secret", mover.ID, rights.Read)
		post(403, "collection_read_only")
		send(owner, 200, `"collection":"vault"`, http.MethodGet, "/api/documents/1", "")
		grant("secret", mover.ID, rights.Write)
		post(200, `{"moved":1}`)

		// The owner of the conversation loses the passage at once, also while the indexes still have the old collection.
		for _, path := range []string{"/api/search?q=vault+pump&collection=vault", "/api/search?q=vault+pump", messages} {
			if got := send(owner, 200, "", http.MethodGet, path, ""); strings.Contains(got, `"document_id":1`) || strings.Contains(got, "vault.md") {
				t.Errorf("%s shows the document: %s", path, got)
			}
		}
		send(owner, 200, `"unavailable":true`, http.MethodGet, messages, "")
		send(owner, 404, "", http.MethodGet, "/api/documents/1", "")
		send(mover, 200, `"collection":"secret"`, http.MethodGet, "/api/documents/1", "")
		servertest.Eventually(t, "a search in the new collection finds the passage", func() bool {
			_, got := mover.Request(t, http.MethodGet, s.URL+"/api/search?q=vault+pump&collection=secret", "")
			return strings.Contains(got, "Zqmidnight")
		})
		send(s.Person("user root"), 200, `"object":"secret: 1"`, http.MethodGet, "/api/admin/log?action=documents.moved", "")
	})
}
