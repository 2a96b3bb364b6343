package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/payload"
)

// killFacts is the number of facts that the notes of the killed agent write in turn.
const killFacts = 8

// killStages are the moments at which killAgents kills the server.
var killStages = []string{"start", "joined", "sent", "asked", "allowed", "called", "returned", "looked", "answered", "rest"}

// TestAgentsSurviveKills kills the server once at each stage. The soak test does it more often.
func TestAgentsSurviveKills(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) { killAgents(t, env, len(killStages), 1) })
}

// killAgents kills a server while users allow calls, while agents ask other agents and write facts, and while a trigger sends
// its event: one kill in each round, each with conversations of its own. Clients come back and repeat what was not
// acknowledged. At the end, each message has one answer, each call that was allowed was made at most once, each time of a
// trigger has one event, the facts are there, and no conversation waits in the state of its call.
func killAgents(t *testing.T, env []string, rounds int, seed uint64) {
	t.Helper()
	k := newKilled(t, env, seed)
	at := k.begin(t)
	if acked := false; !k.say(t, at, "seed", "hello", "", &acked, func(said []string) bool { return len(said) > 0 }) {
		t.Fatal("the first conversation has no answer")
	}
	k.server.kill(t)
	for r := range rounds {
		k.prepare(t, r)
		at := k.begin(t)
		stage := killStages[r%len(killStages)]
		k.mu.Lock()
		k.stage, k.pause = stage, time.Duration(k.random.Int64N(int64(20*time.Millisecond)))
		if stage == "start" {
			k.pause = time.Duration(k.random.Int64N(int64(1500 * time.Millisecond)))
		}
		k.mu.Unlock()
		k.reach("start")
		k.goOn(t, at)
		k.mu.Lock()
		if k.stage != "" { // it has not come
			k.stage = "rest"
		}
		k.mu.Unlock()
		k.reach("rest")
		<-k.server.done
		t.Logf("kill %d at %s; %d conversations are open", r+1, stage, len(k.open))
	}
	at = k.begin(t)
	waits := ""
	defer func() {
		if t.Failed() {
			t.Logf("open: %+v\n%s", k.open, waits)
		}
	}()
	eventually(t, "every conversation is over", func() bool {
		k.goOn(t, at)
		waits = k.waits(t)
		return len(k.open) == 0
	})
	eventually(t, "every state is left and every event has come", func() bool { waits = k.waits(t); return waits == "" })
	k.server.kill(t)
	k.check(t, rounds)
}

// killed is a server that is killed, with the world around it.
type killed struct {
	env    []string
	file   string
	random *rand.Rand
	dues   []time.Time // of the triggers, by round; zero in rounds without one
	first  time.Time   // the time of the first trigger
	unsent []int       // rounds whose trigger has not sent its event
	open   []*talked   // conversations that are not over

	mu     sync.Mutex // guards the following fields
	server *program
	stage  string // at which the server is killed
	pause  time.Duration
	paid   map[string]int // calls of the tool pay

	down atomic.Bool // the server was killed
}

// talked is a conversation of a round.
type talked struct {
	id, text string
	acked    bool // the server has acknowledged the text
	allowed  bool // and the permission
}

func newKilled(t *testing.T, env []string, seed uint64) *killed {
	t.Helper()
	k := &killed{random: rand.New(rand.NewPCG(seed, 1)), paid: map[string]int{}}
	type words struct {
		Text string `json:"text"`
	}
	bank := mcp.NewServer(&mcp.Implementation{Name: "bank", Version: "1"}, nil)
	mcp.AddTool(bank, &mcp.Tool{Name: "pay"}, func(_ context.Context, _ *mcp.CallToolRequest, w words) (*mcp.CallToolResult, any, error) {
		k.mu.Lock()
		k.paid[w.Text]++
		k.mu.Unlock()
		k.reach("called")
		defer func() { go k.reach("returned") }()
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "for " + w.Text}}}, nil, nil
	})
	mcp.AddTool(bank, &mcp.Tool{Name: "look"}, func(_ context.Context, _ *mcp.CallToolRequest, w words) (*mcp.CallToolResult, any, error) {
		k.reach("looked")
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a part for " + w.Text}}}, nil, nil
	})
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return bank },
		&mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: true}))
	t.Cleanup(h.Close)
	k.env = append(slices.Clone(env), "BANK="+h.URL)
	folder := t.TempDir()
	k.file = filepath.Join(folder, "agent.yaml")
	write(t, folder, "scout.yaml", `name: scout
tools: {mcp: [{name: bank, url: "${BANK}", tools: [look]}]}
states:
  look:
    initial: true
    body:
      - call: {tool: bank_look, arguments: {text: "{{.message}}"}, into: found}
      - reply: "{{.variables.found}}"
`, "agent.yaml", k.agent())
	return k
}

// agent returns the agent's file. It has the triggers that have not sent their event. A session may still hold an event that
// was sent, so the agent takes the events of all rounds.
func (k *killed) agent() string {
	var notes, events []string
	ticks := "triggers:\n"
	for _, r := range k.unsent {
		ticks += fmt.Sprintf("  tick%d: {at: %q, for: everyone}\n", r, k.dues[r].Format("15:04"))
	}
	if len(k.unsent) == 0 {
		ticks = ""
	}
	routes, ticked := "", ""
	for r := range k.dues {
		events = append(events, fmt.Sprint("tick", r))
	}
	if len(events) > 0 {
		routes = "      - {event: [" + strings.Join(events, ", ") + "], to: ticked}\n"
		ticked = "  ticked: {body: [{reply: '{{.event}} {{.data.at}}'}], on: [{after: 1ms, to: idle}]}\n"
	}
	for i := range killFacts {
		routes += fmt.Sprintf("      - {matches: '^note %d ', to: note%d}\n", i, i)
		notes = append(notes, fmt.Sprintf(`  note%d:
    body:
      - remember: {fact%[1]d: "{{.message}}"}
      - recall: [fact%[1]d]
      - reply: "noted {{.variables.fact%[1]d}}"
    then: idle
`, i))
	}
	return `name: killed
timezone: UTC
tools: {mcp: [{name: bank, url: "${BANK}", tools: [pay]}]}
` + ticks + `states:
  idle:
    initial: true
    on:
      - {matches: '^pay ', to: pay}
      - {matches: '^ask ', to: ask}
` + routes + `      - {message: any, to: seen}
  seen: {body: [{reply: "seen {{.message}}"}], then: idle}
` + ticked + `  pay:
    body:
      - call: {tool: bank_pay, arguments: {text: "{{.message}}"}, into: receipt, approve: true, approve_within: 1h}
        else: [{reply: "refused"}]
      - reply: "paid {{.variables.receipt}}"
    on: [{when: {variable: receipt, is: "!=", value: null}, to: idle}, {after: 40s, to: idle}]
  ask:
    body:
      - ask_agent: {agent: scout.yaml, task: "{{.message}}", into: part}
      - reply: "found {{.variables.part}}"
    then: idle
` + strings.Join(notes, "")
}

// prepare adds the trigger of a round, as if its time had come while the server was down. It removes those that have sent
// their event. If too many have not, the round has none.
func (k *killed) prepare(t *testing.T, r int) {
	t.Helper()
	db := databaseOf(t, k.env)
	defer db.Close()
	last := func(r int, now time.Time) time.Time {
		key, due := journal.TriggerKey{Agent: "killed", Event: fmt.Sprint("tick", r)}, k.dues[r]
		done, err := db.Triggers.LastTrigger(t.Context(), key, due.Format("15:04")+" UTC", now)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	k.unsent = slices.DeleteFunc(k.unsent, func(r int) bool { return !last(r, time.Now()).Before(k.dues[r]) })
	if r == 0 {
		k.first = time.Now().UTC().Truncate(time.Minute).Add(-30 * time.Minute)
	}
	k.dues = append(k.dues, time.Time{})
	if len(k.unsent) < agent.MaxTriggers {
		k.dues[r] = k.first.Add(-time.Duration(r) * time.Minute)
		last(r, k.dues[r].Add(-time.Hour))
		k.unsent = append(k.unsent, r)
	}
	write(t, filepath.Dir(k.file), "agent.yaml", k.agent())
	k.open = append(k.open, &talked{id: fmt.Sprint("pay", r), text: fmt.Sprintf("pay %d", r)},
		&talked{id: fmt.Sprint("ask", r), text: fmt.Sprintf("ask %d", r)},
		&talked{id: fmt.Sprint("note", r), text: fmt.Sprintf("note %d of %d", r%killFacts, r)})
}

// begin starts the server and returns its address.
func (k *killed) begin(t *testing.T) string {
	t.Helper()
	k.down.Store(false)
	server, at := serve(t, k.env, "--agent", k.file)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.server = server
	return at
}

// reach kills the server if the stage is that of this round.
func (k *killed) reach(stage string) {
	k.mu.Lock()
	here, pause, server := stage != "" && k.stage == stage, k.pause, k.server
	if here {
		k.stage = "" // one kill for each server
	}
	k.mu.Unlock()
	if here {
		time.AfterFunc(pause, func() {
			k.down.Store(true)
			_ = server.cmd.Process.Kill()
		})
	}
}

// goOn continues the conversations that are not over, until the server is killed.
func (k *killed) goOn(t *testing.T, at string) {
	t.Helper()
	k.open = slices.DeleteFunc(k.open, func(c *talked) bool {
		if k.down.Load() {
			return false
		}
		return k.converse(t, at, c)
	})
}

// converse continues one conversation, and reports whether it is over.
func (k *killed) converse(t *testing.T, at string, c *talked) (over bool) {
	t.Helper()
	ends := func(said []string) bool { return slices.ContainsFunc(said, isOutcome) }
	if !strings.HasPrefix(c.id, "pay") {
		return k.say(t, at, c.id, c.text, "", &c.acked, ends)
	}
	asked := func(said []string) bool {
		return ends(said) || slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, "May I call") })
	}
	if !k.say(t, at, c.id, c.text, "asked", &c.acked, asked) {
		return false
	}
	return k.say(t, at, c.id, "Allow", "answered", &c.allowed, ends)
}

// isOutcome reports whether a reply ends a conversation.
func isOutcome(reply string) bool {
	return slices.ContainsFunc([]string{"paid ", "refused", "found ", "noted ", "seen ", "docent was stopped"}, func(begin string) bool {
		return strings.Contains(reply, begin)
	})
}

// say sends a text unless it is acknowledged, and waits for replies. It returns false if the server is gone before.
func (k *killed) say(t *testing.T, at, id, text, stage string, acked *bool, enough func(said []string) bool) bool {
	t.Helper()
	g := visit(t, at, id)
	if g == nil {
		return false
	}
	defer g.leave()
	k.reach("joined")
	if !*acked {
		g.tell(t, text, id+" "+text)
		k.reach("sent")
		if text == "Allow" {
			k.reach("allowed")
		}
		*acked = g.until(t, "the acknowledgment of "+text, func(heard []line) bool { return tally(heard, "ack") > 0 })
		if !*acked {
			return false
		}
	}
	for {
		said, ok := peek(t, at, id)
		if !ok {
			return false
		}
		if enough(said) {
			k.reach(stage)
			return true
		}
		select {
		case <-g.gone:
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// peek returns the replies in a session, or false if the server is gone.
func peek(t *testing.T, at, id string) (said []string, ok bool) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/api/sessions/"+id+"/messages", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	var r record
	if resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&r) != nil {
		return nil, false
	}
	return r.said(false), true
}

// sessions returns the stored sessions with their replies.
func (k *killed) sessions(t *testing.T) map[string]*talkRecord {
	t.Helper()
	db := databaseOf(t, k.env)
	defer db.Close()
	out := map[string]*talkRecord{}
	all, err := db.Sessions.Sessions(t.Context(), journal.SessionFilter{Agent: "killed", Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		messages, err := db.Sessions.Messages(t.Context(), s.RowID, journal.MessageQuery{})
		if err != nil {
			t.Fatal(err)
		}
		one := &talkRecord{state: s.State}
		for _, m := range messages {
			text := row{Content: m.Content}.text()
			switch {
			case m.IsUser:
				one.heard = append(one.heard, text)
			case m.Type != payload.TypeOptions: // those of a question about a call
				one.said = append(one.said, text)
			}
		}
		out[s.Key.ID] = one
	}
	return out
}

// talkRecord is a session in the database.
type talkRecord struct {
	state       string
	heard, said []string
}

// tick returns the reply to the trigger of a round.
func (k *killed) tick(r int) string {
	return fmt.Sprintf("tick%d %s", r, k.dues[r].Format(time.RFC3339))
}

// waits returns the sessions that are not idle, and the missing events of triggers.
func (k *killed) waits(t *testing.T) string {
	t.Helper()
	var out []string
	missing := map[string]bool{}
	for r, due := range k.dues {
		if !due.IsZero() {
			missing[k.tick(r)] = true
		}
	}
	for id, s := range k.sessions(t) {
		if s.state != "idle" {
			out = append(out, fmt.Sprintf("%s: %+v", id, s))
		}
		for _, text := range s.said {
			delete(missing, text)
		}
	}
	if len(missing) > 0 {
		out = append(out, fmt.Sprintf("these events are missing: %q", slices.Sorted(maps.Keys(missing))))
	}
	return strings.Join(out, "\n")
}

// check compares the stored sessions and facts with the rounds.
func (k *killed) check(t *testing.T, rounds int) {
	t.Helper()
	sessions := k.sessions(t)
	ticks := map[string]int{}
	for id, s := range sessions {
		s.said = slices.DeleteFunc(s.said, func(text string) bool {
			if !strings.HasPrefix(text, "tick") {
				return false
			}
			ticks[text]++
			return true
		})
		if want := max(1, len(s.heard)); len(s.said) != want {
			t.Errorf("session %s has %q, and the answers %q", id, s.heard, s.said)
		}
	}
	want, cut := map[string]int{}, 0
	for r, due := range k.dues {
		if !due.IsZero() {
			want[k.tick(r)] = 1
		}
	}
	if !maps.Equal(ticks, want) {
		t.Errorf("the events of triggers are %v, want %v", ticks, want)
	}
	for r := range rounds {
		k.checkRound(t, sessions, r)
		if s := sessions[fmt.Sprint("pay", r)]; s != nil && strings.Contains(strings.Join(s.said, " "), "docent was stopped") {
			cut++
		}
	}
	db := databaseOf(t, k.env)
	defer db.Close()
	facts, err := db.Memories.Memories(t.Context(), "", "killed")
	if err != nil {
		t.Fatal(err)
	}
	if len(facts) != min(rounds, killFacts) {
		t.Errorf("there are %d facts", len(facts))
	}
	for i, f := range facts {
		last := rounds - 1 - (rounds-1-i)%killFacts
		if want := fmt.Sprintf("note %d of %d", i, last); f.Key != fmt.Sprint("fact", i) || string(f.Content) != `"`+want+`"` {
			t.Errorf("the fact %s is %s, want %s", f.Key, f.Content, want)
		}
	}
	t.Logf("%d kills, %d triggers: %d calls were made, and %d allowed calls were cut short", rounds, len(ticks), len(k.paid), cut)
}

// checkRound checks the conversations of a round.
func (k *killed) checkRound(t *testing.T, sessions map[string]*talkRecord, r int) {
	t.Helper()
	for id, want := range map[string][2]string{
		fmt.Sprint("ask", r):  {fmt.Sprintf("ask %d", r), fmt.Sprintf("found a part for ask %d", r)},
		fmt.Sprint("note", r): {fmt.Sprintf("note %d of %d", r%killFacts, r), fmt.Sprintf("noted note %d of %d", r%killFacts, r)},
	} {
		s := sessions[id]
		if s == nil || !slices.Equal(s.heard, []string{want[0]}) || !slices.Equal(s.said, []string{want[1]}) {
			t.Errorf("session %s is %+v", id, s)
		}
	}
	id := fmt.Sprint("pay", r)
	s, paid := sessions[id], k.paid[fmt.Sprintf("pay %d", r)]
	if s == nil || !slices.Equal(s.heard, []string{fmt.Sprintf("pay %d", r), "Allow"}) || len(s.said) != 2 || !strings.HasPrefix(s.said[0], "May I call") {
		t.Errorf("session %s is %+v", id, s)
		return
	}
	switch outcome := s.said[1]; {
	case outcome == fmt.Sprintf("paid for pay %d", r) && paid == 1:
	case strings.Contains(outcome, "while it called bank_pay; check whether the call took effect") && paid <= 1:
	case strings.Contains(outcome, "after it had called bank_pay; do not ask for this call again") && paid == 1:
	default:
		t.Errorf("session %s says %q after %d calls", id, outcome, paid)
	}
}
