package definition_test

import (
	"encoding/json"
	"fmt"
	"strings"
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

// TestOtherEvents leaves messages to the fallback, and takes all else.
func TestOtherEvents(t *testing.T) {
	t.Parallel()
	const file = `
name: other
states:
  idle:
    initial: true
    on: [{event: other, to: told}]
    fallback: [{reply: "Sorry, {{.message}}?"}]
  told: {body: [{reply: "{{.event}} {{.data.n}}"}], then: idle}
`
	d := parse(t, file, definition.Environment{})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 0)
	equal(t, "a message", k.say("what"), []string{reply("Sorry, what?")})
	if err := k.rt.Dispatch(t.Context(), "s", agent.Event{Name: "shipped", Data: json.RawMessage(`{"n":3}`)}); err != nil {
		t.Fatal(err)
	}
	equal(t, "an event", k.heard(), []string{reply("shipped 3")})
	if len(d.Warnings) > 0 {
		t.Errorf("warnings: %q", d.Warnings)
	}
	d = parse(t, strings.Replace(file, "event: other", "event: any", 1), definition.Environment{})
	if len(d.Warnings) != 1 || !strings.HasPrefix(d.Warnings[0], "agent.yaml:6: ") {
		t.Errorf("warnings: %q", d.Warnings)
	}
	for _, dead := range []string{"{event: [any], to: idle}, {event: other, to: told}", "{event: other, to: idle}, {event: shipped, to: told}"} {
		text := strings.Replace(file, "{event: other, to: told}", dead+", {message: any, to: told}", 1)
		if errs := wrong(t, text, definition.Environment{}); !strings.Contains(errs[0], "never taken") {
			t.Errorf("%s: %q", dead, errs)
		}
	}
}

// TestForms sends a user interface and takes its submitted form.
func TestForms(t *testing.T) {
	t.Parallel()
	d := parse(t, `
name: trips
states:
  ask:
    initial: true
    body: [{gui: {id: trip, model: {name: "For {{.username}}"}}}]
    on:
      - {form: trip, to: book}
      - {form: any, to: other}
      - {event: user_update_ui, to: ask}
  book: {body: [{reply: "To {{.variables.gui_inputs.trip.city}} from {{.data.value.city}}"}], on: [{form: any, to: other}]}
  other: {body: [{reply: "Another form."}]}
`, definition.Environment{})
	k, _ := begin(t, d.Agent, session.RuntimeConfig{}, 1)
	submit := func(id, action string) []string {
		t.Helper()
		event := fmt.Sprintf(`{"messageId": %q, "action": %q, "value": {"city": "Oslo"}}`, id, action)
		// Another program sends it, as POST /api/sessions/{id}/events does.
		if err := k.rt.Dispatch(t.Context(), "s", agent.Event{Name: agent.EventUI, Data: json.RawMessage(event)}); err != nil {
			t.Fatal(err)
		}
		return k.heard()
	}
	gui := []string{`agent_reply_gui {"name":"For ada"}`}
	equal(t, "a click", submit("trip", "onClick"), gui)
	equal(t, "the form", submit("trip", "onSubmit"), []string{reply("To Oslo from Oslo")})
	equal(t, "another form", submit("other", "onSubmit"), []string{reply("Another form.")})
}

// TestTriggers reads triggers, and refuses one whose event no state takes.
func TestTriggers(t *testing.T) {
	t.Parallel()
	const file = `
name: clock
timezone: Europe/Madrid
triggers:
  morning: {at: "9:00", days: weekdays, for: everyone}
  review: {at: "16:30", days: [fri], for: "group:sales"}
states:
  idle: {initial: true, on: [{event: [morning, review], to: told}]}
  told: {body: [{reply: "{{.event}} {{.data.at}}"}], then: idle}
`
	d := parse(t, file, definition.Environment{})
	var got []string
	for _, g := range d.Agent.Triggers() {
		got = append(got, g.Event+" "+g.Clock.String()+" "+g.For)
	}
	equal(t, "triggers", got, []string{"morning 09:00 Mon Tue Wed Thu Fri everyone", "review 16:30 Fri group:sales"})
	_, err := definition.Parse(t.Context(), "clock.yaml", []byte(strings.Replace(file, "[morning, review]", "morning", 1)), definition.Environment{})
	if err == nil || !strings.Contains(err.Error(), `no state takes the event of trigger "review": add a transition on it`) {
		t.Errorf("a trigger whose event no state takes: %v", err)
	}
}
