package definition_test

import (
	"encoding/json"
	"testing"

	"docent/agent"
	"docent/agent/definition"
	"docent/agent/session"
)

// TestEventData checks that templates can name the values of a user interface
// event. It also checks that templates in the greeting are filled in.
func TestEventData(t *testing.T) {
	t.Parallel()
	d := parse(t, `
name: form
greeting: Welcome, {{.username}}{{.data.none}}!
properties: {who: Ada}
states:
  fill:
    initial: true
    on:
      - {event: user_update_ui, to: filled}
      - {message: json, to: filled}
  filled: {body: [{html: "{{.event}}: {{.data.city}} {{.data.at.day}} {{.data.at}} {{.data.none.none}}"}], then: fill}
`, definition.Environment{})
	k, greeting := begin(t, d.Agent, session.RuntimeConfig{}, 1)
	equal(t, "greeting", greeting, []string{reply("Welcome, ada!")})
	if err := k.sub.SendEvent(t.Context(), agent.EventUI, json.RawMessage(`{"city": "<Rome>", "at": {"day": 3}}`), false); err != nil {
		t.Fatal(err)
	}
	equal(t, "event", k.heard(), []string{`agent_reply_html "user_update_ui: \u0026lt;Rome\u0026gt; 3 {\u0026#34;day\u0026#34;:3} "`})
	equal(t, "message", k.say(`{"city": "Oslo"}`), []string{`agent_reply_html "receive_message: Oslo   "`})
}
