package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docent/api"
	"docent/auth/rights"
	"docent/internal/wstest"
	"docent/payload"
)

// TestReadConversations lets an administrator read a conversation of a user. The
// administrator sees the passages that the user may read, and each reading is recorded.
// Nothing of it changes the conversation, and all other ways stay closed.
func TestReadConversations(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		docs := t.TempDir()
		write(t, docs, "vault.md", "# Vault\n\nThe vault pump stops at Zqmidnight.\n")
		docent(t, env, 0, "ingest", "--collection", "vault", docs)
		s := guarded(t, env, "--read-conversations")
		ann, root := s.as(t, "user owner"), s.as(t, "user root")
		grant := func(level rights.Level) {
			t.Helper()
			if err := s.db.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: ann.ID, Level: level}); err != nil {
				t.Fatal(err)
			}
		}
		grant(rights.Read)
		get := func(w who, path string, want int) string {
			t.Helper()
			resp, body := w.Request(t, http.MethodGet, s.at+path, "")
			if resp.StatusCode != want {
				t.Errorf("%s gets %s: %d %s, want %d", w.Name, path, resp.StatusCode, body, want)
			}
			return body
		}
		c := ann.Dial(t, s.at+"/?protocol=docent.v1&session_id=anns")
		say(t, c, wstest.MessageText, frame(payload.HelloAction, `{}`))
		say(t, c, wstest.MessageText, frame(payload.UserMessage, `"When does the vault pump stop?"`))
		until(t, c, `"turn_finished"`)
		_ = c.CloseNow()
		own := get(ann, "/api/sessions/anns/messages", 200)

		const all, one = "/api/admin/conversations", "/api/admin/conversations/anns"
		var page struct{ Conversations []api.Conversation }
		if err := json.Unmarshal([]byte(get(root, all, 200)), &page); err != nil || len(page.Conversations) != 1 {
			t.Fatalf("the list is %+v, %v", page, err)
		}
		if l := page.Conversations[0]; l.SessionID != "anns" || l.Owner != "user:owner" || l.OwnerName != "owner" || l.First != "When does the vault pump stop?" {
			t.Errorf("the list has %+v", l)
		}
		for query, found := range map[string]bool{
			"?owner=user:owner": true, "?owner=user:eve": false, "?match=VAULT": true, "?match=valve": false,
			"?since=2020-01-01T00:00:00Z": true, "?until=2020-01-01T00:00:00Z": false,
		} {
			if got := strings.Contains(get(root, all+query, 200), `"anns"`); got != found {
				t.Errorf("%s finds it: %v", query, got)
			}
		}
		get(root, all+"?cursor=x", 400)
		if got := get(root, one+"/messages", 200); strings.Replace(got, `,"owner_name":"owner"`, "", 1) != own {
			t.Errorf("the administrator reads\n%s\nand the user\n%s", got, own)
		}
		if got := get(root, one+"/export?format=markdown", 200); !strings.Contains(got, "Zqmidnight") {
			t.Errorf("the export is %s", got)
		}
		grant(rights.None)
		if got := get(root, one+"/messages", 200); !strings.Contains(got, `"unavailable":true`) {
			t.Errorf("a passage that the user may not read now is in %s", got)
		}
		get(root, "/api/admin/conversations/none/messages", 404)
		get(ann, all, 403)
		get(root, "/api/sessions/anns/messages", 404)
		s.wantOthersClosed(t, root, "anns")
		if got := get(ann, "/api/sessions/anns/messages", 200); strings.Count(got, `"is_user":true`) != 1 {
			t.Errorf("the conversation has changed: %s", got)
		}
		s.wantAudit(t, get(root, "/api/admin/log?limit=3", 200))
		get(ann, "/api/admin/log", 403)

		// An operator deletes all conversations of the user.
		if out := docent(t, env, 0, "conversation", "delete", "user:owner"); !strings.Contains(out, "has 1 conversations") {
			t.Errorf("counted: %s", out)
		}
		docent(t, env, 0, "conversation", "delete", "user:owner", "--yes")
		get(ann, "/api/sessions/anns/messages", 404)
		if out := docent(t, env, 0, "audit", "--limit", "1"); !strings.Contains(out, "operator") || !strings.Contains(out, "user:owner") {
			t.Errorf("the audit log is %s", out)
		}
	})
}

// wantOthersClosed checks that protocols with one answer per request do not continue the
// session of another user.
func (s *site) wantOthersClosed(t *testing.T, w who, session string) {
	t.Helper()
	const chat, responses = "/v1/chat/completions", "/v1/responses"
	const said = `"model":"docent/default","messages":[{"role":"user","content":"When does the pump stop?"}]`
	for _, r := range []struct{ path, body, session string }{
		{chat, `{` + said + `}`, session},
		{chat, `{` + said + `,"metadata":{"session_id":"` + session + `"}}`, ""},
		{responses, `{"model":"docent/default","input":"When does the pump stop?"}`, session},
		{responses, `{"model":"docent/default","input":"When does the pump stop?","metadata":{"session_id":"` + session + `"}}`, ""},
	} {
		header := slices.Clone(asJSON)
		if r.session != "" {
			header = append(header, "X-Session-ID", r.session)
		}
		if resp, body := w.Request(t, http.MethodPost, s.at+r.path, r.body, header...); resp.StatusCode != http.StatusOK || strings.Contains(body, "Zqmidnight") {
			t.Errorf("%s %s with %q: %d %s", r.path, r.body, r.session, resp.StatusCode, body)
		}
	}
}

// wantAudit checks the last three readings of TestReadConversations.
func (s *site) wantAudit(t *testing.T, got string) {
	t.Helper()
	var log struct {
		Records []api.AuditRecord
		Before  int64
	}
	if err := json.Unmarshal([]byte(got), &log); err != nil || len(log.Records) != 3 || log.Before != log.Records[2].ID {
		t.Fatalf("the log is %s: %v", got, err)
	}
	for i, action := range []string{"conversation.read", "conversation.exported", "conversation.read"} {
		if r := log.Records[i]; r.Action != action || r.Object != "anns" || r.Actor != "user:root" || r.Address != "127.0.0.1" || r.Timestamp.IsZero() {
			t.Errorf("record %d is %+v", i, r)
		}
	}
	if !strings.Contains(s.server.log.String(), "msg=audit") {
		t.Error("the log of the server does not have the readings")
	}
}
