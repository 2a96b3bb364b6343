package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"docent/internal/wstest"
	"docent/webhook"
)

// TestWebhooks: a receiver gets a signed message about each kind of event, from the server
// and from commands beside it. Deliveries are listed and replayed.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		type message struct {
			id, event string
			data      map[string]any
		}
		received := make(chan message, 100)
		var secret string
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var body struct {
				Type string
				Data map[string]any
			}
			raw, err := io.ReadAll(r.Body)
			if err != nil || json.Unmarshal(raw, &body) != nil {
				t.Errorf("got %s, %v", raw, err)
			}
			id := r.Header.Get("Webhook-Id")
			at, err := strconv.ParseInt(r.Header.Get("Webhook-Timestamp"), 10, 64)
			if err != nil {
				t.Error(err)
			}
			want, err := webhook.Sign(secret, id, time.Unix(at, 0), raw)
			if got := r.Header.Get("Webhook-Signature"); got != want || err != nil {
				t.Errorf("the signature is %q, want %q (%v)", got, want, err)
			}
			received <- message{id, body.Type, body.Data}
		}))
		t.Cleanup(receiver.Close)
		next := func(event string) message {
			t.Helper()
			select {
			case m := <-received:
				if m.event != event {
					t.Errorf("got %s %v, want %s", m.event, m.data, event)
				}
				return m
			case <-t.Context().Done():
				t.Fatalf("there is no %s", event)
				return message{}
			}
		}
		out := docent(t, env, 0, "webhook", "add", receiver.URL+"/hook", "--private", "--content")
		secret = regexp.MustCompile(`whsec_\S+`).FindString(out)
		if docent(t, env, 2, "webhook", "add", "ftp://example.org"); strings.Contains(docent(t, env, 0, "webhook", "ls"), secret) {
			t.Error("the list shows the secret")
		}
		docs := t.TempDir()
		write(t, docs, "pump.md", "# Pump\n\nThe feed pump stops at noon.\n")
		docent(t, env, 0, "ingest", docs)
		_, at := serve(t, env)
		if m := next("document.ingested"); !strings.HasSuffix(m.data["source"].(string), "pump.md") || m.data["collection"] != "default" {
			t.Errorf("ingested: %v", m.data)
		}
		write(t, docs, "broken.pdf", "%PDF-1.7 not a document")
		docent(t, env, 1, "ingest", docs)
		if m := next("document.failed"); !strings.HasSuffix(m.data["source"].(string), "broken.pdf") || m.data["reason"] == "" {
			t.Errorf("failed: %v", m.data)
		}
		docent(t, env, 1, "ingest", docs) // fails again, and is not told again
		var w who
		w.Request(t, http.MethodPost, at+"/api/ask", `{"question":"Who is the king of Zanzibar?"}`, "Content-Type", "application/json")
		if m := next("answer.unanswered"); m.data["question"] != "Who is the king of Zanzibar?" {
			t.Errorf("unanswered: %v", m.data)
		}
		c, _, err := w.TryDial(t, at+"/?protocol=docent.v1&session_id=talk")
		if err != nil {
			t.Fatal(err)
		}
		say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
		say(t, c, wstest.MessageText, `{"action":"user_message","message":"When does the feed pump stop?"}`)
		if m := next("session.started"); m.data["session_id"] != "talk" {
			t.Errorf("started: %v", m.data)
		}
		until(t, c, "turn_finished")
		say(t, c, wstest.MessageText, `{"action":"feedback","message":{"rating":1,"comment":"right"}}`)
		last := next("answer.rated")
		if last.data["rating"] != 1.0 || last.data["comment"] != "right" || last.data["session_id"] != "talk" {
			t.Errorf("rated: %v", last.data)
		}
		listed := docent(t, env, 0, "webhook", "deliveries")
		if strings.Count(listed, "delivered") < 4 {
			t.Errorf("deliveries:\n%s", listed)
		}
		docent(t, env, 0, "webhook", "replay", "1")
		if m := next("document.ingested"); m.id == last.id {
			t.Errorf("replayed: %v", m)
		}
		docent(t, env, 1, "webhook", "replay", "999")
		docent(t, env, 0, "webhook", "rm", "1")
		if out := docent(t, env, 0, "webhook", "ls"); !strings.Contains(out, "No webhooks yet") {
			t.Errorf("after the removal:\n%s", out)
		}
	})
}
