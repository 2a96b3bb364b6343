package main

import (
	"slices"
	"strings"
	"testing"
)

// shop is an agent with intents, options, and a state with a timeout.
const shop = `name: shop
greeting: Welcome!
entities:
  city: {values: {Bilbao: [], Luxembourg: [Lux, Lëtzebuerg]}}
intents:
  opening:
    examples: [when are you open in CITY, opening hours, CITY]
    parameters: {city: {entity: city, fragment: CITY}}
  pause:
    examples: [be right back, one moment please, wait a minute]
states:
  choose:
    initial: true
    body: [{options: [Opening hours, One moment]}]
    on: &routes
      - {intent: opening, to: open}
      - {intent: pause, to: pause}
    fallback: [{reply: "I do not know {{.message}}."}]
  open:
    body: [{reply: "In {{.parameters.city}} we open at nine."}]
    then: choose
  pause:
    body: [{reply: I wait.}]
    on:
      - {after: 10s, to: late} # a kill before then does not meet this turn
      - {message: any, to: choose}
  late:
    body: [{reply: "Are you still there?"}]
    then: choose
`

const options = `{"0": "Opening hours", "1": "One moment"}`

// TestAgentOfAFile talks with an agent from a file: intents with parameters,
// options, a fallback, and a timeout that passes while no client is connected
// or the server is down.
func TestAgentOfAFile(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		file := yamlAgent(t, shop)
		server, at := serve(t, env, "--agent", file)
		plain := join(t, at, "S", false)
		plain.waitReply(t, "Welcome!")
		if got := plain.wait(t, "agent_reply_options").text(); squeezed(got) != squeezed(options) {
			t.Errorf("options are %s", got)
		}
		plain.tell(t, "When are you open in lëtzebuerg?", "")
		plain.waitReply(t, "In Luxembourg we open at nine.")
		plain.tell(t, "gibberish of the highest order", "")
		plain.waitReply(t, "I do not know gibberish of the highest order.")
		plain.leave()

		g := join(t, at, "S", true)
		g.tell(t, "be right back", "a")
		g.wait(t, "turn_finished")
		g.leave()
		late := func(at string, times int) func() bool {
			return func() bool {
				return strings.Count(strings.Join(recordOf(t, at, "S").said(false), "\n"), "Are you still there?") >= times
			}
		}
		eventually(t, "time passes while nobody is there", late(at, 1))

		g = join(t, at, "S", true)
		g.tell(t, "one moment please", "b")
		g.wait(t, "turn_finished")
		server.kill(t)
		_, at = serve(t, env, "--agent", file)
		eventually(t, "time passes although the server was down", late(at, 2))

		g = join(t, at, "S", true)
		if welcome := g.wait(t, "welcome"); welcome.get("resumed") != "true" {
			t.Errorf("welcome: %s", welcome.Message)
		}
		g.tell(t, "Opening hours, Bilbao", "c")
		g.waitReply(t, "In Bilbao we open at nine.")
		g.wait(t, "turn_finished")
		r := recordOf(t, at, "S")
		r.checkSeq(t, 1)
		var got []string
		for _, m := range r.Messages {
			got = append(got, squeezed(m.text()))
		}
		want := []string{
			"Welcome!", options,
			"When are you open in lëtzebuerg?", "In Luxembourg we open at nine.", options,
			"gibberish of the highest order", "I do not know gibberish of the highest order.",
			"be right back", "I wait.", "Are you still there?", options,
			"one moment please", "I wait.", "Are you still there?", options,
			"Opening hours, Bilbao", "In Bilbao we open at nine.", options,
		}
		for i := range want {
			want[i] = squeezed(want[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("stored are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// squeezed returns a text without spaces, because the stores format JSON
// differently.
func squeezed(s string) string { return strings.ReplaceAll(s, " ", "") }

// TestTwoSocketsOneReset: all sockets of a session receive the same frames. A
// reset by one resets all of them. The session keeps its names.
func TestTwoSocketsOneReset(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		_, at := serve(t, env, "--agent", yamlAgent(t, shop))
		const names = "&user_id=ada&session_name=Talk"
		v1, plain := join(t, at, "S", true, names), join(t, at, "S", false, names)
		v1.tell(t, "opening hours in Bilbao", "a")
		const reply = "In Bilbao we open at nine."
		v1.waitReply(t, reply)
		plain.waitReply(t, reply)
		plain.tell(t, "nonsense 17", "")
		v1.waitFor(t, "what the other socket said", func(l line) bool {
			return l.Action == "user_message" && l.text() == "nonsense 17" && !l.History
		})
		v1.waitReply(t, "I do not know nonsense 17.")
		plain.waitReply(t, "I do not know nonsense 17.")
		v1.until(t, "the end of both turns", func(heard []line) bool { return tally(heard, "turn_finished") == 2 })
		before := len(v1.lines())
		plain.send(t, map[string]any{"action": "reset"})
		twice := func(heard []line) bool {
			n := 0
			for _, l := range heard {
				if l.text() == "Welcome!" {
					n++
				}
			}
			return n == 2 && heard[len(heard)-1].Action == "agent_reply_options"
		}
		v1.until(t, "the greeting again", twice)
		// The BAF client joined later, and was not greeted then.
		plain.waitReply(t, "Welcome!")
		if got := v1.lines()[before:]; got[0].Action != "session_reset" || got[1].text() != "Welcome!" || got[1].Seq == nil || *got[1].Seq != 8 {
			t.Errorf("after the reset:\n%s", transcript(got))
		}
		r := recordOf(t, at, "S")
		r.checkSeq(t, 8) // numbers are not given twice
		if len(r.Messages) != 2 {
			t.Errorf("after a reset %d messages are stored: %q %q", len(r.Messages), r.said(true), r.said(false))
		}
		v1.tell(t, "opening hours in Luxembourg", "a") // an id that the reset has forgotten
		v1.waitReply(t, "In Luxembourg we open at nine.")
		plain.waitReply(t, "In Luxembourg we open at nine.")
		s, _, _ := inDatabase(t, env, "shop", "S")
		if s.Name != "Talk" || s.Username != "ada" {
			t.Errorf("after a reset the session is %q of %q", s.Name, s.Username)
		}
	})
}
