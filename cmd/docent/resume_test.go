package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/client"
	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/llm/llmtest"
	"docent/payload"
)

// ponderer reasons in each turn: it stores steps and streams its answer.
const ponderer = `name: ponderer
states:
  begin: {initial: true, body: [{reply: Hi.}], on: [{message: any, to: think}]}
  think: {body: [reason], on: [{message: any, to: think}]}
`

// trickle is a model that answers slowly in pieces. It plans before every third
// answer.
func trickle(t *testing.T, pause time.Duration) *llmtest.Server {
	t.Helper()
	wait := func(ctx context.Context, _ int) error {
		select {
		case <-time.After(pause):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	m := llmtest.NewServer(func(_ int, r llmtest.Request) llmtest.Reply {
		question, called := "", 0
		for _, msg := range r.Messages {
			switch msg.Role {
			case "user":
				question, called = msg.Content, 0
			case "tool":
				called++
			}
		}
		switch {
		case strings.HasSuffix(question, "0") && called == 0:
			return calling("add_tasks", `{"descriptions":["find it"]}`)
		case strings.HasSuffix(question, "0") && called == 1:
			return calling("complete_task", `{"task_id":1,"result":"found"}`)
		}
		pieces := []string{"About "}
		for _, c := range question {
			pieces = append(pieces, string(c))
		}
		return llmtest.Reply{Text: append(pieces, "."), Wait: wait}
	})
	t.Cleanup(m.Close)
	return m
}

// resume is a test of coming back.
type resume struct {
	t        *testing.T
	env      []string
	file     string
	proxy    *proxy
	servers  []*program
	ctx      context.Context
	stop     context.CancelFunc
	sessions [][]*tab
	said     []map[string]bool // the texts said in each session
	again    []map[int64]bool  // turns whose message was said again, of each session
	stored   []int64           // the seq of the last message in each session
	saying   sync.WaitGroup
	turns    atomic.Int64
	revising bool
	quiet    atomic.Bool // nobody says more
}

// cutting is how a test of coming back goes.
type cutting struct {
	replicas       int // servers that share the database; 0 means one
	sessions, tabs int
	cuts           int
	killEvery      int           // so many cuts, one of which is a kill -9 of the server
	between        time.Duration // the time between cuts; 0 means a few milliseconds
	restart        func() error  // restarts the database with every twentieth cut; nil does not
	revising       bool
	seed           uint64
}

// TestResume: connections are cut while answers stream, and the server is
// killed. In the end the clients have the stored messages. The soak test runs
// longer.
func TestResume(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		resumeAll(t, env, cutting{sessions: 2, tabs: 3, cuts: 40, killEvery: 20, seed: 1})
	})
}

// TestResumeRevised is TestResume with edits, regenerations, stops and resets.
func TestResumeRevised(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		resumeAll(t, env, cutting{sessions: 2, tabs: 2, cuts: 30, killEvery: 15, revising: true, seed: 2})
	})
}

// TestResumeReplicas is TestResume with three servers behind a proxy, so the tabs of a session are at
// different servers. Servers are killed, or stopped for a while, and the others go on.
func TestResumeReplicas(t *testing.T) {
	t.Parallel()
	env := []string{"DOCENT_DATA=" + t.TempDir(), "DATABASE_URL=" + pgtest.URL(t)}
	resumeAll(t, env, cutting{replicas: 3, sessions: 3, tabs: 3, cuts: 20, killEvery: 10, seed: 3})
}

func resumeAll(t *testing.T, env []string, c cutting) {
	t.Helper()
	t.Logf("seed %d", c.seed)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(stop)
	model := trickle(t, 2*time.Millisecond)
	r := &resume{
		t: t, file: yamlAgent(t, ponderer), ctx: ctx, stop: stop, revising: c.revising,
		env: append(env, "DOCENT_LLM_URL="+model.URL, "DOCENT_MODEL=scripted", "OPENAI_API_KEY=none"),
	}
	var hosts []string
	for range max(c.replicas, 1) {
		server, at := serve(t, r.env, "--agent", r.file)
		r.servers, hosts = append(r.servers, server), append(hosts, hostOf(at))
	}
	r.proxy = newProxy(t, hosts...)
	for i := range c.sessions {
		var tabs []*tab
		for k := range c.tabs {
			tabs = append(tabs, newTab(ctx, t, r.proxy.at, fmt.Sprint("session ", i), fmt.Sprintf("session %d, tab %d", i, k)))
		}
		r.sessions = append(r.sessions, tabs)
		r.said, r.again, r.stored = append(r.said, map[string]bool{}), append(r.again, map[int64]bool{}), append(r.stored, 0)
	}
	for i := range r.sessions {
		r.saying.Go(func() { r.converse(i, rand.New(rand.NewPCG(c.seed, uint64(i)))) })
	}
	r.cut(c)
	r.quiet.Store(true)
	r.saying.Wait()
	r.compare()
	stop()
}

// cut ends connections, at moments in the middle of answers.
func (r *resume) cut(c cutting) {
	chance := rand.New(rand.NewPCG(c.seed, 1<<32))
	done := map[string]int{}
	for n := 0; n < c.cuts && !r.t.Failed(); {
		<-time.After(max(c.between, time.Duration(5+chance.IntN(60))*time.Millisecond))
		var what string
		switch {
		case c.restart != nil && n%20 == 15:
			what = "restart of the database"
			if err := c.restart(); err != nil {
				r.t.Error(err)
			}
		case n%c.killEvery == c.killEvery-1:
			what = "kill"
			var at string
			i := chance.IntN(len(r.servers))
			r.proxy.move(i, nobody)
			r.servers[i].kill(r.t)
			r.servers[i], at = serve(r.t, r.env, "--agent", r.file)
			r.proxy.move(i, hostOf(at))
		case c.replicas > 1 && n%c.killEvery == c.killEvery/2:
			what = "stop"
			r.pause(r.servers[chance.IntN(len(r.servers))])
		case chance.IntN(10) == 0:
			what = "tab opened again"
			tabs := r.sessions[chance.IntN(len(r.sessions))]
			tabs[chance.IntN(len(tabs))].reopen()
		default:
			what = r.proxy.cut(chance)
		}
		if what != "" {
			n++
			done[what]++
		}
	}
	losses := 0
	for _, tabs := range r.sessions {
		for _, v := range tabs {
			v.mu.Lock()
			losses += v.losses
			v.mu.Unlock()
		}
	}
	r.t.Logf("%v: %d lost connections in %d turns", done, losses, r.turns.Load())
}

// pause stops a server for longer than its lease, so that others take over its sessions. Then it
// continues in the middle of its turns.
func (r *resume) pause(p *program) {
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		r.t.Error(err)
	}
	<-time.After(4500 * time.Millisecond)
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		r.t.Error(err)
	}
}

// converse sends messages in a session, from any of its tabs and sometimes
// several at once.
func (r *resume) converse(i int, chance *rand.Rand) {
	tabs := r.sessions[i]
	for n := 0; !r.quiet.Load() && !r.t.Failed(); n++ {
		v := tabs[chance.IntN(len(tabs))]
		text := fmt.Sprintf("question %d of session %d", n, i)
		receipt, err := v.tell(text, fmt.Sprint("id ", n))
		if err != nil {
			r.t.Errorf("%s: %q: %v", v.name, text, err)
			return
		}
		r.said[i][text] = true
		r.again[i][receipt.Turn] = receipt.again
		r.stored[i] = max(r.stored[i], receipt.Seq)
		r.turns.Add(1)
		if r.revising {
			<-time.After(time.Duration(chance.IntN(60)) * time.Millisecond)
			r.revise(i, tabs[chance.IntN(len(tabs))], receipt, chance)
		}
		if chance.IntN(3) > 0 && !v.await(receipt) {
			return
		}
	}
}

// revise changes a turn. Another tab may have changed it first.
func (r *resume) revise(i int, v *tab, receipt told, chance *rand.Rand) {
	s := v.session()
	var revised client.Receipt
	var err error
	switch chance.IntN(8) {
	case 0:
		if err = s.Stop(r.ctx, 0); fault.KindOf(err) == fault.Unavailable {
			err = nil // its connection was cut
		}
	case 1:
		err = s.Stop(r.ctx, receipt.Turn)
	case 2:
		revised, err = s.Edit(r.ctx, receipt.Turn, "better said")
	case 3:
		revised, err = s.Regenerate(r.ctx, receipt.Turn)
	case 4:
		if chance.IntN(3) == 0 {
			err = s.Reset(r.ctx)
		}
	}
	if revised.Duplicate {
		r.again[i][revised.Turn] = true
	}
	switch fault.KindOf(err) {
	case fault.Canceled, fault.NotFound, fault.Conflict: // opened again, reset, or replaced
	default:
		if err != nil {
			r.t.Errorf("%s: %v", v.name, err)
		}
	}
}

// compare waits for the end of every turn and compares all transcripts with the
// database.
func (r *resume) compare() {
	for i, tabs := range r.sessions {
		for _, v := range tabs {
			// A tab knows the open turns only after it is synced. It may not know the most
			// recent messages yet.
			if !v.until("quiet", func() bool { return v.last >= max(1, r.stored[i]) && v.synced && len(v.made.Running()) == 0 }) {
				r.t.Errorf("%s: %+v", v.name, v.made.Running())
				return
			}
		}
		want := entriesOf(r.t, r.env, "ponderer", fmt.Sprint("session ", i))
		for _, v := range tabs {
			v.until("at the end", func() bool { return v.last >= int64(len(want)) || r.revising })
			v.mu.Lock()
			same(r.t, v.name, v.made.Record(), want)
			for turn, outcomes := range v.finished {
				if len(outcomes) > 1 && !r.again[i][turn] { // or it ran or ended again
					r.t.Errorf("%s: turn %d ended %d times: %v", v.name, turn, len(outcomes), outcomes)
				}
			}
			v.mu.Unlock()
		}
		if !r.revising {
			r.answered(i, want)
		}
	}
}

// answered checks that all that was said was answered, once.
func (r *resume) answered(i int, record []client.Entry) {
	asked, replies := map[string]int{}, map[int64]int{}
	for _, e := range record {
		switch {
		case e.Action == payload.UserMessage:
			asked[e.Text()]++
		case e.Action != payload.ReplyReasoningStep && e.Action != payload.ReplyTaskList:
			replies[e.Turn]++
		}
	}
	for text := range r.said[i] {
		if asked[text] != 1 {
			r.t.Errorf("%q is stored %d times", text, asked[text])
		}
	}
	if len(asked) != len(r.said[i]) {
		r.t.Errorf("%d messages are stored, want %d", len(asked), len(r.said[i]))
	}
	for turn, n := range replies {
		if n != 1 {
			r.t.Errorf("session %d: turn %d has %d replies", i, turn, n)
		}
	}
	if len(replies) != len(asked)+1 {
		r.t.Errorf("session %d: %d turns have replies, want %d:", i, len(replies), len(asked)+1)
		for _, e := range record {
			r.t.Logf("seq %d, turn %d: %s %q", e.Seq, e.Turn, e.Action, e.Text())
		}
	}
}

// entriesOf returns the stored entries of a session.
func entriesOf(t *testing.T, env []string, name, sessionID string) []client.Entry {
	t.Helper()
	db := databaseOf(t, env)
	defer db.Close()
	s, err := db.Sessions.Session(t.Context(), journal.SessionKey{Agent: name, ID: sessionID})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := db.Sessions.Messages(t.Context(), s.RowID, journal.MessageQuery{Replaced: true})
	if err != nil {
		t.Fatal(err)
	}
	steps, err := db.Sessions.(journal.Reasonings).Steps(t.Context(), s.RowID, journal.MessageQuery{Replaced: true})
	if err != nil {
		t.Fatal(err)
	}
	var out []client.Entry
	for len(messages)+len(steps) > 0 {
		if len(steps) == 0 || len(messages) > 0 && messages[0].Seq < steps[0].Seq {
			m := messages[0]
			action, _ := payload.ReplayAction(m.Type, m.IsUser)
			out = append(out, client.Entry{Seq: m.Seq, Turn: m.Turn, Action: action, Message: m.Content, Replaces: m.Replaces, ID: m.ClientID})
			messages = messages[1:]
			continue
		}
		action, _ := payload.ReplayStep(steps[0].Kind)
		out = append(out, client.Entry{Seq: steps[0].Seq, Turn: steps[0].Turn, Action: action, Message: steps[0].Payload})
		steps = steps[1:]
	}
	return out
}

// same compares a transcript with the record.
func same(t *testing.T, name string, got, want []client.Entry) {
	t.Helper()
	line := func(e client.Entry) string {
		text := e.Text()
		if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") { // Postgres writes JSON anew
			var v any
			if json.Unmarshal(e.Message, &v) == nil {
				again, _ := json.Marshal(v)
				text = string(again)
			}
		}
		action := e.Action
		if action == payload.ErrorAction { // which is stored as words
			action, text = payload.ReplyStr, "Sorry, that did not work: "+text
		}
		return fmt.Sprintf("%d turn %d %s %.300s replaces %d", e.Seq, e.Turn, action, text, e.Replaces)
	}
	for i := range max(len(got), len(want)) {
		a, b := "nothing", "nothing"
		if i < len(got) {
			a = line(got[i])
		}
		if i < len(want) {
			b = line(want[i])
		}
		if a != b {
			t.Errorf("%s: entry %d of %d and %d stored:\n heard %s\nstored %s", name, i, len(got), len(want), a, b)
			return
		}
	}
}
