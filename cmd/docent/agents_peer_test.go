package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"docent/llm/llmtest"
)

// desk is an agent that asks another agent. library is that other agent, which
// asks a model.
const (
	desk = `name: desk
states:
  idle:
    initial: true
    on: [{message: any, from: human, to: ask}]
  ask:
    body: [{send_to_peer: {url: "%s/?user_id=desk", message: "{{.message}}"}}]
    on:
      - {message: any, from: agent, to: tell}
      - {message: any, from: human, to: ask}
  tell:
    body: [{reply: "The library says: {{.message}}"}]
    on: [{message: any, from: human, to: ask}]
`
	library = `name: library
states:
  think:
    initial: true
    body: [{reason: {planning: false}}]
    on: [{message: any, to: think}]
`
)

// twoAgents are a desk and a library, each a process with a database of its own.
type twoAgents struct {
	model                 *model
	deskEnv, libraryEnv   []string
	deskFile, libraryFile string
	desk, library         *program
	deskAt, libraryAt     string
	proxy                 *proxy // from the desk to the library
}

// newTwoAgents starts both. The library's model repeats each question, and
// pauses at questions that begin with slow.
func newTwoAgents(t *testing.T, deskEnv, libraryEnv []string) *twoAgents {
	t.Helper()
	a := &twoAgents{
		model:   &model{asked: make(chan struct{}, 100), free: make(chan struct{})},
		deskEnv: deskEnv, libraryFile: yamlAgent(t, library),
	}
	m := a.model
	m.Server = llmtest.NewServer(func(_ int, r llmtest.Request) llmtest.Reply {
		question := ""
		for _, msg := range r.Messages {
			if msg.Role == "user" {
				question = msg.Content
			}
		}
		if strings.HasPrefix(question, "slow") {
			m.hold()
		}
		return llmtest.Say("about ", question)
	})
	t.Cleanup(func() {
		m.release()
		m.Close()
	})
	a.libraryEnv = append(slices.Clone(libraryEnv), "DOCENT_LLM_URL="+m.URL, "DOCENT_MODEL=scripted", "OPENAI_API_KEY=none")
	a.library, a.libraryAt = serve(t, a.libraryEnv, "--agent", a.libraryFile)
	a.proxy = newProxy(t, hostOf(a.libraryAt))
	a.deskFile = yamlAgent(t, fmt.Sprintf(desk, a.proxy.at))
	a.startDesk(t)
	return a
}

func (a *twoAgents) startDesk(t *testing.T) {
	t.Helper()
	a.desk, a.deskAt = serve(t, a.deskEnv, "--agent", a.deskFile)
}

// killLibrary kills it. The desk reaches nobody until startLibrary.
func (a *twoAgents) killLibrary(t *testing.T) {
	t.Helper()
	a.proxy.move(0, nobody)
	a.library.kill(t)
}

// startLibrary starts it again.
func (a *twoAgents) startLibrary(t *testing.T) {
	t.Helper()
	a.library, a.libraryAt = serve(t, a.libraryEnv, "--agent", a.libraryFile)
	a.proxy.move(0, hostOf(a.libraryAt))
}

// asked compares the questions and answers in the library's only session.
func (a *twoAgents) asked(t *testing.T, want ...string) {
	t.Helper()
	var sessions []struct {
		ID string `json:"session_id"`
	}
	getJSON(t, a.libraryAt+"/api/sessions?agent_name=library", &sessions)
	if len(sessions) != 1 {
		t.Fatalf("the library has %d sessions: %v", len(sessions), sessions)
	}
	r := recordOf(t, a.libraryAt, sessions[0].ID)
	r.checkSeq(t, 1)
	if got := r.said(true); !slices.Equal(got, want) {
		t.Errorf("the library was asked %q, want %q", got, want)
	}
	answers := make([]string, len(want))
	for i, question := range want {
		answers[i] = "about " + question
	}
	if got := r.said(false); !slices.Equal(got, answers) {
		t.Errorf("the library answered %q, want %q", got, answers)
	}
}

// onBothPairs runs a test with both agents on SQLite, and on Postgres.
func onBothPairs(t *testing.T, f func(t *testing.T, a *twoAgents)) {
	onBothStores(t, func(t *testing.T, env []string) {
		second := slices.Clone(env) // of the same database, if it is a server's
		second[0] = "DOCENT_DATA=" + dataFolder(t)
		f(t, newTwoAgents(t, env, second))
	})
}

// TestPeerIsKilled kills the answering agent in the middle of its answer. The
// asking agent connects again, in the same session, and gets its answer.
func TestPeerIsKilled(t *testing.T) {
	t.Parallel()
	onBothPairs(t, func(t *testing.T, a *twoAgents) {
		g := join(t, a.deskAt, "S", true)
		g.tell(t, "first", "a")
		g.waitReply(t, "The library says: about first")
		g.tell(t, "slow second", "b")
		a.model.heldUp(t)
		a.killLibrary(t)
		a.model.release()
		a.startLibrary(t)
		g.waitReply(t, "The library says: about slow second")
		g.tell(t, "third", "c")
		g.waitReply(t, "The library says: about third")
		a.asked(t, "first", "slow second", "third")
		recordOf(t, a.deskAt, "S").checkSeq(t, 1)
	})
}

// TestAskerIsKilled kills the asking agent while it waits for an answer. After
// a restart it continues the same session of the other agent.
func TestAskerIsKilled(t *testing.T) {
	t.Parallel()
	onBothPairs(t, func(t *testing.T, a *twoAgents) {
		g := join(t, a.deskAt, "S", true)
		g.tell(t, "first", "a")
		g.waitReply(t, "The library says: about first")
		g.tell(t, "slow second", "b")
		a.model.heldUp(t)
		g.until(t, "the end of the request", func(heard []line) bool { return tally(heard, "turn_finished") >= 3 })
		a.desk.kill(t)
		a.model.release()
		a.startDesk(t)
		g = join(t, a.deskAt, "S", true)
		g.tell(t, "third", "c")
		g.waitReply(t, "The library says: about third")
		a.asked(t, "first", "slow second", "third")
		recordOf(t, a.deskAt, "S").checkSeq(t, 1)
	})
}

// TestAskerIsKilledUnheard kills the asking agent before the other one gets the
// question. After a restart it asks.
func TestAskerIsKilledUnheard(t *testing.T) {
	t.Parallel()
	onBothPairs(t, func(t *testing.T, a *twoAgents) {
		g := join(t, a.deskAt, "S", true)
		g.tell(t, "first", "a")
		g.waitReply(t, "The library says: about first")
		a.killLibrary(t)
		g.tell(t, "second", "b")
		g.waitFor(t, "an acknowledgement", func(l line) bool { return l.Action == "ack" && l.ID == "b" })
		a.desk.kill(t)
		a.startLibrary(t)
		a.startDesk(t)
		g = join(t, a.deskAt, "S", true)
		g.waitReply(t, "The library says: about second")
		a.asked(t, "first", "second")
		recordOf(t, a.deskAt, "S").checkSeq(t, 1)
	})
}
