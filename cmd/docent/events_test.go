package main

import (
	"net/http"
	"strings"
	"testing"

	"docent/internal/wstest"
)

const shopAgent = `
name: shop
states:
  open:
    initial: true
    on:
      - {event: shipped, to: shipped}
      - {event: notification, to: told}
      - {message: any, to: open}
  shipped:
    body: [{reply: 'Order {{.data.order}} is on its way.'}]
    then: open
  told:
    body: [{reply: 'News: {{.message}}'}]
    then: open
`

// TestEventsOfPrograms sends events over HTTP to a conversation of a YAML agent, to
// those of a user, and to all. An event with the same id is handled once, also
// after a restart, and also if no client is connected.
func TestEventsOfPrograms(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		agent := yamlAgent(t, shopAgent)
		s := guarded(t, env, "--agent", agent)
		owner, other, root := s.as(t, "token owner"), s.as(t, "token other"), s.as(t, "token root")
		send := func(w who, path, body string, want int) string {
			t.Helper()
			resp, got := w.Request(t, http.MethodPost, s.at+path, body, asJSON...)
			if resp.StatusCode != want {
				t.Errorf("%s sends %s to %s: %d %s, want %d", w.Name, body, path, resp.StatusCode, got, want)
			}
			return strings.TrimSpace(got)
		}
		joined := func(w who, session string) *wstest.Conn {
			t.Helper()
			c := w.Dial(t, s.at+"/?protocol=docent.v1&session_id="+session)
			say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
			until(t, c, `"synced"`)
			return c
		}
		c := joined(owner, "mine")
		theirs := joined(other, "theirs")
		const shipped = `{"name":"shipped","id":"e1","data":{"order":4711}}`
		if got := send(owner, "/api/sessions/mine/events", shipped, 200); got != `{"sessions":1}` {
			t.Errorf("sent to %s", got)
		}
		until(t, c, "Order 4711 is on its way.")
		send(owner, "/api/sessions/mine/events", shipped, 200) // once
		send(owner, "/api/sessions/mine/events", `{"name":"notification","id":"e1"}`, 409)
		send(owner, "/api/sessions/mine/events", `{"name":"lost"}`, 409)
		send(owner, "/api/sessions/theirs/events", shipped, 404)
		send(owner, "/api/events?everyone=true", shipped, 403)
		send(owner, "/api/events?owner=token:other", shipped, 403)
		if got := send(owner, "/api/events", `{"name":"shipped","data":{"order":"of mine"}}`, 200); got != `{"sessions":1}` {
			t.Errorf("sent to %s", got)
		}
		until(t, c, "Order of mine is on its way.")
		if got := send(root, "/api/events?everyone=true", `{"name":"shipped","id":"e2","data":{"order":"for all"}}`, 200); got != `{"sessions":2}` {
			t.Errorf("sent to %s", got)
		}
		until(t, c, "Order for all is on its way.")
		if got := until(t, theirs, "is on its way."); !strings.Contains(got, "Order for all") {
			t.Errorf("the other user hears %s", got)
		}
		send(root, "/api/sessions/mine/events", `{"name":"shipped","data":{"order":"from the shop"}}`, 200)
		until(t, c, "Order from the shop is on its way.")
		send(root, "/api/sessions/mine/events", `{"name":"receive_message_text","text":"Hello."}`, 404) // as the user
		send(root, "/api/events?everyone=true", `{"name":"receive_message_text","text":"Hello."}`, 403)
		send(owner, "/notify_websocket", `{"sessionId":"mine","message":"Lunch."}`, 200)
		until(t, c, "News: Lunch.")

		s.server.kill(t)
		_, s.at = serve(t, env, "--auth", "--agent", agent)
		send(owner, "/api/sessions/mine/events", shipped, 200)
		send(owner, "/api/sessions/mine/events", `{"name":"shipped","id":"e3","data":{"order":"without a client"}}`, 200)
		joined(owner, "mine")
		eventually(t, "the conversation has the answer", func() bool {
			_, got := owner.Request(t, http.MethodGet, s.at+"/api/sessions/mine/messages", "")
			if strings.Count(got, "Order 4711") != 1 {
				t.Fatalf("the event is answered again: %s", got)
			}
			return strings.Contains(got, "Order without a client is on its way.")
		})
	})
}
