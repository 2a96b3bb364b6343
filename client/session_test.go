package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docent/client"
	"docent/internal/fault"
	"docent/internal/wstest"
	"docent/payload"
)

// script is a docent.v1 server whose frames the test controls.
type script struct {
	t     *testing.T
	url   string
	lines chan *scriptLine
}

// scriptLine is one connection to it.
type scriptLine struct {
	t       *testing.T
	conn    *wstest.Conn
	request *http.Request
}

func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{t: t, lines: make(chan *scriptLine, 100)}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := wstest.Accept(w, r, "docent.v1")
		if err != nil {
			return
		}
		conn.SetReadLimit(-1)
		s.lines <- &scriptLine{t, conn, r}
	}))
	s.url = "ws" + strings.TrimPrefix(h.URL, "http")
	t.Cleanup(h.Close)
	return s
}

// next returns the next connection, after its hello with the given last_seq; -1
// means none.
func (s *script) next(last int64) *scriptLine {
	s.t.Helper()
	select {
	case l := <-s.lines:
		s.t.Cleanup(func() { _ = l.conn.CloseNow() })
		f := l.read("hello")
		var hello payload.Hello
		if err := json.Unmarshal(f.Message, &hello); err != nil {
			s.t.Fatal(err)
		}
		got := int64(-1)
		if hello.LastSeq != nil {
			got = *hello.LastSeq
		}
		if got != last {
			s.t.Errorf("hello has last_seq %d, want %d", got, last)
		}
		return l
	case <-time.After(patience):
		s.t.Fatal("nobody connected")
		return nil
	}
}

// read returns the next frame, which must have the given action.
func (l *scriptLine) read(action payload.Action) payload.Frame {
	l.t.Helper()
	f, err := payload.DecodeV1([]byte(read(l.t, l.conn)))
	if err != nil || f.Action != action {
		l.t.Fatalf("got %s (%v), want %s", f.Action, err, action)
	}
	return f
}

// say sends frames: action, message, and more keys, as in
// `agent_reply_str "Hi" "seq":1,"turn":0`.
func (l *scriptLine) say(frames ...string) {
	l.t.Helper()
	for _, f := range frames {
		action, rest, _ := strings.Cut(f, " ")
		message, keys, ok := strings.Cut(rest, " | ")
		if ok {
			keys = "," + keys
		}
		say(l.t, l.conn, fmt.Sprintf(`{"action":%q,"message":%s,"history":false,"timestamp":"2026-11-21 07:30:15"%s}`, action, message, keys))
	}
}

func welcome(seq, reset int64) string {
	return fmt.Sprintf(`welcome {"session_id":"S","seq":%d,"reset_seq":%d,"resumed":true,"limits":{"message_bytes":100000000},"models":[],"collections":[]}`, seq, reset)
}

func (l *scriptLine) cut() { _ = l.conn.CloseNow() }

// tab is a client under test: its session, what it heard, and its transcript.
type tab struct {
	t      *testing.T
	s      *client.Session
	events chan client.Event
	err    chan error
	made   client.Transcript
}

func (s *script) config() client.SessionConfig {
	return client.SessionConfig{URL: s.url, RetryMin: time.Millisecond, RetryMax: 5 * time.Millisecond}
}

// openTab opens a session while play acts as the server.
func openTab(t *testing.T, cfg client.SessionConfig, play func()) *tab {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); play() }()
	s, err := client.Open(t.Context(), cfg)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	v := &tab{t: t, s: s}
	t.Cleanup(func() { _ = s.Close() })
	return v
}

// listen reads the events from now on.
func (v *tab) listen() {
	v.events, v.err = make(chan client.Event, 10_000), make(chan error, 1)
	go func() {
		var last error
		for e, err := range v.s.Events(context.WithoutCancel(v.t.Context())) {
			if last = err; err == nil {
				v.events <- e
			}
		}
		v.err <- last
	}()
}

// hears checks the next event, in the form of show.
func (v *tab) hears(want ...string) {
	v.t.Helper()
	if v.events == nil {
		v.listen()
	}
	for _, w := range want {
		select {
		case e := <-v.events:
			v.made.Apply(e)
			if got := show(e); got != w {
				v.t.Errorf("heard %q, want %q", got, w)
			}
		case err := <-v.err:
			v.t.Fatalf("it ended with %v, want %q", err, w)
		case <-time.After(patience):
			v.t.Fatalf("heard nothing, want %q", w)
		}
	}
}

// ends checks how the session ends.
func (v *tab) ends(kind fault.Kind, says string) {
	v.t.Helper()
	select {
	case err := <-v.err:
		if fault.KindOf(err) != kind || !strings.Contains(fmt.Sprint(err), says) {
			v.t.Errorf("it ended with %s %v, want %s %q", fault.KindOf(err), err, kind, says)
		}
	case <-time.After(patience):
		v.t.Fatal("it did not end")
	}
}

// show returns an event as a short text.
func show(e client.Event) string {
	stored := func(kind string, e client.Entry, n int64) string {
		if n != 0 {
			return fmt.Sprintf("%s of %d: %s", kind, e.Turn, e.Text())
		}
		out := fmt.Sprintf("%d %s of %d: %s", e.Seq, kind, e.Turn, e.Text())
		if e.Replaces != 0 {
			out += fmt.Sprint(" replaces ", e.Replaces)
		}
		return out
	}
	switch e := e.(type) {
	case *client.UserMessage:
		return stored("user", e.Entry, 0)
	case *client.Reply:
		return stored("reply", e.Entry, 0)
	case *client.Step:
		return stored("step", e.Entry, e.N)
	case *client.TasksUpdated:
		return stored("tasks", e.Entry, e.N)
	case *client.Error:
		return stored("error "+e.Code, e.Entry, 0)
	case *client.Status:
		return fmt.Sprintf("status of %d: %s", e.Turn, e.Phase)
	case *client.Delta:
		return fmt.Sprintf("delta of %d: %s", e.Turn, e.Text)
	case *client.Snapshot:
		return fmt.Sprintf("snapshot of %d: %s", e.Turn, e.Text)
	case *client.TurnFinished:
		if e.Missed {
			return fmt.Sprintf("missed: %d %s", e.Turn, e.Outcome)
		}
		return fmt.Sprintf("finished %d %s", e.Turn, e.Outcome)
	case *client.SessionReset:
		return fmt.Sprint("reset ", e.Seq)
	case *client.Connected:
		return fmt.Sprint("connected ", e.Seq)
	case *client.Synced:
		return fmt.Sprint("synced ", e.Seq, e.Turns)
	case *client.Disconnected:
		return "disconnected"
	}
	return fmt.Sprintf("%T", e)
}

// begin opens a session that has three entries.
func begin(t *testing.T) (*script, *tab, *scriptLine) {
	t.Helper()
	s := newScript(t)
	var l *scriptLine
	v := openTab(t, s.config(), func() {
		l = s.next(-1)
		l.say(welcome(3, 0), `synced {"seq":3,"turns":[]}`)
	})
	v.hears("connected 3", "synced 3 []")
	return s, v, l
}

// sent is a call of Send on its way.
type sent struct {
	receipt client.Receipt
	err     error
}

func (v *tab) send(message string) chan sent {
	out := make(chan sent, 1)
	go func() {
		r, err := v.s.Send(context.WithoutCancel(v.t.Context()), message)
		out <- sent{r, err}
	}()
	return out
}

func wait[T any](t *testing.T, c chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	panic("not reached")
}

// The handshake has the user and the session.
func TestSessionHandshake(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	cfg := s.config()
	cfg.URL += "/ws?a=b"
	cfg.SessionID, cfg.Token, cfg.User, cfg.Name = "my session", "secret", "ada", "About pumps"
	var l *scriptLine
	v := openTab(t, cfg, func() {
		l = s.next(-1)
		l.say(welcome(0, 0))
	})
	query := l.request.URL.Query()
	for what, got := range map[string][2]string{
		"session_id":   {query.Get("session_id"), "my session"},
		"session_name": {query.Get("session_name"), "About pumps"},
		"a":            {query.Get("a"), "b"},
		"user":         {l.request.Header.Get("X-User-ID"), "ada"},
		"token":        {l.request.Header.Get("Authorization"), "Bearer secret"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s is %q, want %q", what, got[0], got[1])
		}
	}
	if v.s.ID() != "S" {
		t.Errorf("the session is %q", v.s.ID())
	}
}

// Every kind of frame becomes an event, in order.
func TestSessionEvents(t *testing.T) {
	t.Parallel()
	_, v, l := begin(t)
	done := v.send("hello")
	f := l.read(payload.UserMessage)
	l.say(`ack {"id":"`+f.ID+`","seq":4,"duplicate":false} | "turn":2,"seq":4`,
		`status {"phase":"searching"} | "turn":2,"n":1`,
		`agent_reply_reasoning_step {"kind":"llm_text","step":0,"summary":"thinks"} | "turn":2,"n":2`,
		`agent_reply_delta {"text":"He"} | "turn":2,"n":3`,
		`user_message "from another tab" | "turn":3,"seq":5,"id":"x"`,
		`agent_reply_reasoning_step {"kind":"llm_text","step":0,"summary":"thinks"} | "turn":2,"seq":6`,
		`agent_reply_task_list_update [] | "turn":2,"seq":7`,
		`agent_reply_rag {"answer":"He is.","docs":[],"sentences":[]} | "turn":2,"seq":8`,
		`turn_finished {"outcome":"done"} | "turn":2`,
		`something_new {"a":1} | "turn":3`,
		`error {"code":"unavailable","message":"No model.","retryable":true} | "turn":3,"seq":9`,
		`turn_finished {"outcome":"failed"} | "turn":3`,
		`session_reset {"seq":9}`,
		`agent_reply_str "Hi" | "turn":0,"seq":10`)
	if got := wait(t, done); got.err != nil || got.receipt != (client.Receipt{ID: f.ID, Seq: 4, Turn: 2}) {
		t.Errorf("%+v", got)
	}
	v.hears("4 user of 2: hello", "status of 2: searching",
		`step of 2: {"kind":"llm_text","step":0,"summary":"thinks"}`, "delta of 2: He",
		"5 user of 3: from another tab",
		`6 step of 2: {"kind":"llm_text","step":0,"summary":"thinks"}`, "7 tasks of 2: []", "8 reply of 2: He is.",
		"finished 2 done", "9 error unavailable of 3: No model.", "finished 3 failed", "reset 9", "10 reply of 0: Hi")
	if err := v.s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := wait(t, v.err); err != nil {
		t.Errorf("Close ends the loop with %v", err)
	}
}

// After a lost connection the client reconnects. Missed entries come once,
// finished turns are reported, and unacknowledged messages are sent again.
func TestSessionComesBack(t *testing.T) {
	t.Parallel()
	s, v, l := begin(t)
	first := v.send("one")
	f := l.read(payload.UserMessage)
	l.say(`ack {"id":"`+f.ID+`","seq":4,"duplicate":false} | "turn":2`, `agent_reply_delta {"text":"He"} | "turn":2,"n":1`)
	wait(t, first)
	v.hears("4 user of 2: one", "delta of 2: He")
	second := v.send("two")
	two := l.read(payload.UserMessage) // stored, but the ack is lost
	third := v.send("three")
	three := l.read(payload.UserMessage) // lost
	l.cut()
	v.hears("disconnected")
	l = s.next(4)
	l.say(welcome(7, 0),
		`agent_reply_str "Hello" | "turn":2,"seq":5,"history":true`,
		`user_message "two" | "turn":3,"seq":6,"id":"`+two.ID+`"`,
		`error {"code":"internal","message":"Oh.","retryable":false} | "turn":3,"seq":7`,
		`synced {"seq":7,"turns":[]}`)
	v.hears("connected 7", "5 reply of 2: Hello", "6 user of 3: two", "7 error internal of 3: Oh.", "missed: 2 done", "missed: 3 failed", "synced 7 []")
	if got := wait(t, second); got.err != nil || got.receipt.Seq != 6 || got.receipt.Turn != 3 {
		t.Errorf("%+v", got)
	}
	if again := l.read(payload.UserMessage); again.ID != three.ID || string(again.Message) != `"three"` {
		t.Errorf("sent again: %+v", again)
	}
	l.say(`ack {"id":"` + three.ID + `","seq":8,"duplicate":false} | "turn":4`)
	wait(t, third)
	l.cut()
	v.hears("8 user of 4: three", "disconnected")
	l = s.next(8)
	l.say(welcome(8, 0), `turn_snapshot {"turn":4,"n":7,"text":"Wh","steps":[]}`, `synced {"seq":8,"turns":[{"turn":4,"state":"running"}]}`,
		`agent_reply_delta {"text":"y"} | "turn":4,"n":8`, `agent_reply_str "Why" | "turn":4,"seq":9`, `turn_finished {"outcome":"done"} | "turn":4`)
	v.hears("connected 8", "snapshot of 4: Wh", "synced 8 [{4 running}]", "delta of 4: y")
	if got := v.made.Running(); len(got) != 1 || got[0].Text != "Why" {
		t.Errorf("running: %+v", got)
	}
	v.hears("9 reply of 4: Why", "finished 4 done")
}

// The client reconnects to fill a gap. Duplicates are ignored.
func TestSessionGap(t *testing.T) {
	t.Parallel()
	s, v, l := begin(t)
	l.say(`agent_reply_str "four" | "turn":1,"seq":4`, `agent_reply_str "four" | "turn":1,"seq":4`, `agent_reply_str "six" | "turn":1,"seq":6`)
	v.hears("4 reply of 1: four", "disconnected")
	l = s.next(4)
	l.say(welcome(6, 0), `agent_reply_str "five" | "turn":1,"seq":5,"history":true`, `agent_reply_str "six" | "turn":1,"seq":6`, `synced {"seq":6,"turns":[]}`)
	v.hears("connected 6", "5 reply of 1: five", "6 reply of 1: six", "synced 6 []")
}

// A session that was emptied meanwhile, or that another database has.
func TestSessionForgets(t *testing.T) {
	t.Parallel()
	s, v, l := begin(t)
	l.cut()
	l = s.next(3)
	l.say(welcome(6, 5), `agent_reply_str "Hi" | "turn":0,"seq":6`, `synced {"seq":6,"turns":[]}`)
	v.hears("disconnected", "reset 5", "connected 6", "6 reply of 0: Hi", "synced 6 []")
	l.cut()
	l = s.next(6)
	l.say(welcome(1, 0), `agent_reply_str "Hi" | "turn":0,"seq":1`, `synced {"seq":1,"turns":[]}`, `agent_reply_str "Oh" | "turn":0,"seq":2`)
	v.hears("disconnected", "reset 6", "connected 1", "1 reply of 0: Hi", "synced 1 []", "2 reply of 0: Oh")
	if got := v.made.Record(); len(got) != 2 || got[1].Seq != 2 {
		t.Errorf("the transcript is %+v", got)
	}
}

// Retryable errors are retried; others are returned.
func TestSessionRefusals(t *testing.T) {
	t.Parallel()
	_, v, l := begin(t)
	done := v.send("hello")
	for _, code := range []string{"busy", "rate_limited", "unavailable"} {
		f := l.read(payload.UserMessage)
		l.say(fmt.Sprintf(`error {"code":%q,"message":"Later.","retryable":true} | "id":%q`, code, f.ID))
	}
	f := l.read(payload.UserMessage)
	l.say(fmt.Sprintf(`error {"code":"invalid","message":"Too long.","retryable":false} | "id":%q`, f.ID))
	if got := wait(t, done); fault.KindOf(got.err) != fault.Invalid || fault.Message(got.err) != "Too long." {
		t.Errorf("%+v", got)
	}
	l.say(`error {"code":"invalid","message":"What?","retryable":false}`)
	v.hears("0 error invalid of 0: What?")
}

// Requests other than messages.
func TestSessionRequests(t *testing.T) {
	t.Parallel()
	s, v, l := begin(t)
	ctx := t.Context()
	calls := make(chan error, 1)
	call := func(f func() error) { go func() { calls <- f() }() }
	call(func() error { return v.s.Stop(ctx, 0) })
	f := l.read(payload.StopAction)
	if string(f.Message) != "{}" {
		t.Errorf("stop %s", f.Message)
	}
	l.say(taken(f))
	if err := wait(t, calls); err != nil {
		t.Error(err)
	}
	call(func() error { return v.s.SetVariables(ctx, map[string]any{"a": 1}) })
	if f = l.read(payload.UserSetVariable); string(f.Message) != `{"a":1}` {
		t.Errorf("variables %s", f.Message)
	}
	l.say(taken(f))
	if err := wait(t, calls); err != nil {
		t.Error(err)
	}
	rating := 50
	call(func() error { return v.s.Feedback(ctx, payload.Feedback{Rating: &rating}) })
	f = l.read(payload.FeedbackAction)
	l.say(`feedback_stored {"turn":1} | "id":"` + f.ID + `"`)
	if err := wait(t, calls); err != nil {
		t.Error(err)
	}
	call(func() error { return v.s.Reset(ctx) })
	l.say(taken(l.read(payload.Reset))) // which is not yet done
	l.cut()                             // the reset is done; the client learns it by the welcome
	l = s.next(3)
	l.say(welcome(3, 3), `synced {"seq":3,"turns":[]}`)
	if err := wait(t, calls); err != nil {
		t.Error(err)
	}
	v.hears("disconnected", "reset 3", "connected 3", "synced 3 []")
	call(func() error { _, err := v.s.Edit(ctx, 1, "better"); return err })
	f = l.read(payload.EditAction)
	if string(f.Message) != `{"turn":1,"message":"better"}` {
		t.Errorf("edit %s", f.Message)
	}
	l.say(`ack {"id":"` + f.ID + `","seq":4,"duplicate":false} | "turn":2,"replaces":1`)
	if err := wait(t, calls); err != nil {
		t.Error(err)
	}
	call(func() error { _, err := v.s.Regenerate(ctx, 2); return err })
	f = l.read(payload.RegenerateAction)
	l.say(`ack {"id":"` + f.ID + `","seq":5,"duplicate":false} | "turn":3,"replaces":2`)
	if err := wait(t, calls); err != nil {
		t.Error(err)
	}
	v.hears("4 user of 2: better replaces 1", "5 user of 3:  replaces 2")
	if got := v.made.Entries(); len(got) != 1 || got[0].Text() != "better" || got[0].Turn != 3 {
		t.Errorf("the conversation is %+v", got)
	}
}

// Ask collects the replies of a turn, even if the connection is lost several
// times.
func TestSessionAsk(t *testing.T) {
	t.Parallel()
	s, v, l := begin(t)
	type asked struct {
		a   *client.Answer
		err error
	}
	ask := func() chan asked {
		out := make(chan asked, 1)
		go func() {
			a, err := v.s.Ask(context.WithoutCancel(t.Context()), "why")
			out <- asked{a, err}
		}()
		return out
	}
	done := ask()
	f := l.read(payload.UserMessage)
	l.say(`ack {"id":"`+f.ID+`","seq":4,"duplicate":false} | "turn":2`, `agent_reply_str "one" | "turn":2,"seq":5`)
	v.hears("4 user of 2: why", "5 reply of 2: one")
	l.cut()
	l = s.next(5)
	l.say(welcome(6, 0), `agent_reply_rag {"answer":"two","docs":[],"sentences":[]} | "turn":2,"seq":6`, `synced {"seq":6,"turns":[]}`)
	got := wait(t, done)
	if got.err != nil || got.a.Text() != "one\n\ntwo" || got.a.Outcome != payload.Done {
		t.Errorf("%+v", got)
	}
	if m, ok := got.a.RAG(); !ok || m.Answer != "two" {
		t.Errorf("RAG: %+v", m)
	}
	done = ask()
	f = l.read(payload.UserMessage)
	l.say(`ack {"id":"`+f.ID+`","seq":7,"duplicate":false} | "turn":3`,
		`error {"code":"unavailable","message":"No model.","retryable":true} | "turn":3,"seq":8,"id":"`+f.ID+`"`,
		`turn_finished {"outcome":"failed"} | "turn":3`)
	if got := wait(t, done); fault.KindOf(got.err) != fault.Unavailable || got.a.Outcome != payload.Failed {
		t.Errorf("%+v", got)
	}
	done = ask()
	f = l.read(payload.UserMessage)
	l.say(`ack {"id":"`+f.ID+`","seq":9,"duplicate":false} | "turn":4`, `session_reset {"seq":9}`)
	if got := wait(t, done); fault.KindOf(got.err) != fault.Canceled {
		t.Errorf("%+v", got)
	}
	done = ask()
	l.read(payload.UserMessage)
	_ = v.s.Close()
	if got := wait(t, done); fault.KindOf(got.err) != fault.Canceled {
		t.Errorf("%+v", got)
	}
}

// A caller that does not read the events uses bounded memory and misses no
// stored entry. The rest of the session continues.
func TestSessionSlowReader(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	cfg := s.config()
	cfg.QueueBytes = 3000
	var l *scriptLine
	v := openTab(t, cfg, func() {
		l = s.next(-1)
		l.say(welcome(0, 0), `synced {"seq":0,"turns":[]}`)
	})
	done := v.send("hello")
	f := l.read(payload.UserMessage)
	l.say(`ack {"id":"` + f.ID + `","seq":1,"duplicate":false} | "turn":1`)
	wait(t, done)
	for seq := 2; seq <= 100; seq++ {
		l.say(fmt.Sprintf(`agent_reply_str "%d" | "turn":1,"seq":%d`, seq, seq))
	}
	l.say(`turn_finished {"outcome":"done"} | "turn":1`)
	done = v.send("more")
	f = l.read(payload.UserMessage)
	l.say(`ack {"id":"` + f.ID + `","seq":101,"duplicate":false} | "turn":2`)
	wait(t, done)
	v.hears("connected 0", "synced 0 []", "1 user of 1: hello")
	last := int64(1)
	for last < 9 { // what was kept
		last++
		v.hears(fmt.Sprintf("%d reply of 1: %d", last, last))
	}
	l = s.next(last)
	l.say(welcome(101, 0))
	v.hears("connected 101")
	for seq := last + 1; seq <= 100; seq++ {
		l.say(fmt.Sprintf(`agent_reply_str "%d" | "turn":1,"seq":%d`, seq, seq))
		v.hears(fmt.Sprintf("%d reply of 1: %d", seq, seq))
	}
	l.say(`user_message "more" | "turn":2,"seq":101`, `synced {"seq":101,"turns":[]}`)
	v.hears("101 user of 2: more", "missed: 1 done", "missed: 2 done", "synced 101 []")
}
