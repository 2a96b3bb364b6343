package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// say is a body that says its state and the event.
func say(ctx context.Context, s *agent.Session) error {
	return s.Reply(ctx, s.CurrentState()+" "+s.Event().Name+" "+s.Message())
}

// ends describes the finished turns that a client has received: turn and outcome.
func ends(c *client) []string {
	var out []string
	for len(c.Heard) > 0 {
		if d := c.Next(); d.Frame.Action == payload.TurnFinishedAction {
			out = append(out, fmt.Sprintf("%d %s", *d.Frame.Turn, strings.TrimPrefix(string(d.Frame.Message), `{"outcome":`)))
		}
	}
	return out
}

// waiting returns an agent whose state a takes only "go", and whose state b takes earlier events.
func waiting() *agent.Agent {
	a := agent.New("waiting")
	one, two := a.State("a", agent.Initial), a.State("b")
	one.OnEvent("go").GoTo(two)
	two.Body(say)
	two.OnEvent("early").GoTo(two)
	two.OnFile().GoTo(two)
	two.OnMessage().GoTo(two)
	return a
}

// An event that no transition takes is held. Clients receive this once. Its turn runs when a state
// takes the event. The store keeps it, even across a restart.
func TestHeldEvents(t *testing.T) { bubble(t, testHeldEvents) }

func testHeldEvents(t *testing.T) {
	store := agenttest.NewStore()
	cfg := session.RuntimeConfig{Agent: waiting(), Store: store}
	rt := start(t, cfg)
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	for range 2 {
		if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "early", Data: json.RawMessage(`{"n":1}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sub.SendFile(t.Context(), session.File{ID: "f", File: payload.NewFile("n.txt", "", []byte("hi"))}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if got := fmt.Sprint(ends(c)); got != `[1 "held"} 2 "held"} 3 "held"}]` {
		t.Errorf("ends %s", got)
	}
	_, other, _ := open(t, rt, "S")
	if n := store.Calls(agenttest.Commit); n != 1 { // of the greeting
		t.Errorf("%d commits for what waits", n)
	}
	// Again.
	if err := sub.SendFile(t.Context(), session.File{ID: "f", File: payload.NewFile("n.txt", "", []byte("hi"))}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if got := fmt.Sprint(ends(c)); got != `[3 "held"}]` {
		t.Errorf("ends %s", got)
	}
	other.Quiet() // only the sender receives it
	stop(t, rt)
	sub.Close()

	rt = start(t, cfg)
	_, c, _ = open(t, rt, "S")
	synctest.Wait() // for the greeting
	if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "go"}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	var said []string
	for len(c.Heard) > 0 {
		if d := c.Next(); d.Frame.Action == payload.ReplyStr {
			said = append(said, fmt.Sprintf("%d %s", *d.Frame.Turn, text(t, d)))
		}
	}
	if got, want := strings.Join(said, "|"), "4 b go |1 b early |2 b early |3 b receive_file n.txt"; got != want {
		t.Errorf("said %s, want %s", got, want)
	}
	if left := store.Pending("S"); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}

// A state without transitions holds users' messages. It does not answer in place of another state.
func TestHeldMessage(t *testing.T) { bubble(t, testHeldMessage) }

func testHeldMessage(t *testing.T) {
	a := agent.New("end")
	a.State("end", agent.Initial)
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()}), "S")
	synctest.Wait() // for the greeting
	send(t, sub, "m", "hi")
	synctest.Wait()
	if got := fmt.Sprint(ends(c)); got != `[1 "held"}]` {
		t.Errorf("ends %s", got)
	}
}

// If too many events are held, the turn of the oldest fails. Clients receive the failure. A message
// among them is stored as failed and runs again if it is sent again.
func TestHeldBound(t *testing.T) { bubble(t, testHeldBound) }

func testHeldBound(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: waiting(), Store: store, QueueSize: 2}.With(session.Limits{Held: 3}))
	sub, c, _ := open(t, rt, "S")
	file := session.File{ID: "f", File: payload.NewFile("n.txt", "", []byte("hi"))}
	for n := range 5 {
		send := func() error { return rt.Dispatch(t.Context(), "S", agent.Event{Name: "early"}) }
		if n == 1 {
			send = func() error { return sub.SendFile(t.Context(), file) }
		}
		if err := send(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	var ids []int64
	for _, e := range store.Pending("S") {
		ids = append(ids, e.ID)
	}
	if fmt.Sprint(ids) != "[3 4 5]" {
		t.Errorf("waiting %v", ids)
	}
	var heard []string
	for len(c.Heard) > 0 {
		switch d := c.Next(); d.Frame.Action {
		case payload.ErrorAction:
			heard = append(heard, fmt.Sprintf("error %d %q seq %d", *d.Frame.Turn, d.Frame.ID, d.Frame.Seq))
		case payload.TurnFinishedAction:
			heard = append(heard, fmt.Sprintf("%d %s", *d.Frame.Turn, d.Frame.Message))
		case payload.ReplyStr:
			heard = append(heard, fmt.Sprintf("words to %d", d.Audience))
		}
	}
	want := `[1 {"outcome":"held"} 2 {"outcome":"held"} 3 {"outcome":"held"} 4 {"outcome":"held"} error 1 "" seq 0 1 {"outcome":"failed"} ` +
		`5 {"outcome":"held"} error 2 "f" seq 2 words to 2 2 {"outcome":"failed"}]`
	if got := fmt.Sprint(heard); got != want {
		t.Errorf("heard %s", got)
	}
	if err := sub.SendFile(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "go"}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if got := said(store); !strings.Contains(got, `2 "b receive_file n.txt"`) {
		t.Errorf("stored %s", got)
	}
}

// Stopping a held event without a message leaves no entry in the record.
func TestStopHeld(t *testing.T) { bubble(t, testStopHeld) }

func testStopHeld(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: waiting(), Store: store})
	sub, c, _ := open(t, rt, "S")
	if err := sub.SendEvent(t.Context(), "early", json.RawMessage(`1`), false); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if err := sub.Stop(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	if got := fmt.Sprint(ends(c)); got != `[1 "held"} 1 "stopped"}]` || said(store) != "" || len(store.Pending("S")) != 0 {
		t.Errorf("ends %s, stored %q, %d wait", got, said(store), len(store.Pending("S")))
	}
}

// An earlier transition takes a later event first. The other events keep their order.
func TestTransitionOrderBeatsAge(t *testing.T) { bubble(t, testTransitionOrderBeatsAge) }

func testTransitionOrderBeatsAge(t *testing.T) {
	hold := make(chan struct{})
	a := agent.New("order")
	one := a.State("one", agent.Initial)
	one.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Event().ID == 0 {
			<-hold
			return nil
		}
		return say(ctx, s)
	})
	one.OnFile("txt").GoTo(one)
	one.OnEvent("b").GoTo(one)
	one.OnText().GoTo(one)
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	send(t, sub, "", "y")
	for range 2 {
		if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "b"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sub.SendFile(t.Context(), session.File{File: payload.NewFile("n.TXT", "", []byte("hi"))}); err != nil {
		t.Fatal(err)
	}
	close(hold)
	synctest.Wait()
	var got []string
	for len(c.Heard) > 0 {
		if d := c.Next(); d.Frame.Action == payload.ReplyStr {
			got = append(got, strings.TrimPrefix(text(t, d), "one receive_"))
		}
	}
	if want := "file n.TXT|one b |one b |message_text x|message_text y"; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

// All messages of a burst are answered in order. After a restart in the middle, the session
// continues in its last state.
//
// BAF W7
func TestBurst(t *testing.T) { bubble(t, testBurst) }

func testBurst(t *testing.T) {
	const burst = 100
	build := func(hold func(n int)) *agent.Agent {
		a := agent.New("burst")
		even, odd := a.State("even", agent.Initial), a.State("odd")
		body := func(ctx context.Context, s *agent.Session) error {
			if s.Event().ID == 0 {
				return nil
			}
			n := agent.Get(s, "n", 0) + 1
			hold(n)
			if err := s.Set("n", n); err != nil {
				return err
			}
			return s.Reply(ctx, fmt.Sprint(s.Message(), " ", s.CurrentState(), " ", n))
		}
		even.Body(body)
		odd.Body(body)
		even.OnMessage().GoTo(odd)
		odd.OnMessage().GoTo(even)
		return a
	}
	store := agenttest.NewStore()
	reached, goOn := make(chan struct{}), make(chan struct{})
	cfg := session.RuntimeConfig{Store: store, QueueSize: burst, Agent: build(func(n int) {
		if n == 37 {
			close(reached)
			<-goOn
		}
	})}
	rt := start(t, cfg)
	sub, _, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	for i := range burst {
		send(t, sub, "", fmt.Sprint(i))
	}
	<-reached
	stopped := make(chan struct{})
	go func() { stop(t, rt); close(stopped) }()
	synctest.Wait()
	close(goOn)
	<-stopped
	sub.Close()
	if record, _, _ := store.Stored("S"); record.State != "odd" || string(record.Variables["n"]) != "37" {
		t.Fatalf("stopped in %+v", record)
	}
	cfg.Agent = build(func(int) {})
	open(t, start(t, cfg), "S")
	synctest.Wait()
	_, messages, _ := store.Stored("S")
	if len(messages) != 2*burst {
		t.Fatalf("%d messages", len(messages))
	}
	asked, answered := 0, 0
	for _, m := range messages {
		if m.IsUser {
			if string(m.Content) != fmt.Sprintf("%q", fmt.Sprint(asked)) {
				t.Errorf("question %d is %s", asked, m.Content)
			}
			asked++
			continue
		}
		want := fmt.Sprintf("%q", fmt.Sprint(answered, []string{" odd ", " even "}[answered%2], answered+1))
		if string(m.Content) != want {
			t.Errorf("answer %s, want %s", m.Content, want)
		}
		answered++
	}
}

// An event is not answered again if its turn had replied before the program was killed. The turn
// ends with an apology. The sender may send the message again.
func TestCutShort(t *testing.T) { bubble(t, testCutShort) }

func testCutShort(t *testing.T) {
	store := agenttest.NewStore()
	rt, err := session.NewRuntime(session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		if err := s.Reply(ctx, "first part"); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})})
	if err != nil {
		t.Fatal(err)
	}
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "m", "hi")
	for text(t, c.Until(payload.ReplyStr)) != "first part" { // stored after 100 ms
		continue
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := rt.Shutdown(ctx); err == nil {
		t.Error("nothing was interrupted")
	}
	synctest.Wait()
	sub.Close()

	sub, c, _ = open(t, start(t, session.RuntimeConfig{Store: store, Agent: echo(nil)}), "S")
	synctest.Wait() // for the greeting
	if d := c.Until(payload.ErrorAction); !strings.Contains(string(d.Frame.Message), `"code":"unavailable"`) || d.Frame.ID != "m" || *d.Frame.Turn != 1 {
		t.Errorf("got %s", d.Frame.Message)
	}
	synctest.Wait()
	want := `0 "hello"|1 "hi"|1 "first part"|1 "Sorry, that did not work: docent was stopped in the middle of this answer; ask again"`
	if got := said(store); got != want {
		t.Errorf("stored %s", got)
	}
	send(t, sub, "m", "hi")
	synctest.Wait()
	if got := said(store); got != want+`|1 "hi"` {
		t.Errorf("stored %s", got)
	}
}

// A sender receives an error, but the message may have been stored. If the sender sends it again,
// the answer arrives.
func TestStoredAfterAll(t *testing.T) { bubble(t, testStoredAfterAll) }

func testStoredAfterAll(t *testing.T) {
	store := &forgetful{Store: agenttest.NewStore()}
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(nil)})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	c.Until(payload.ReplyStr)
	store.forget = true
	if err := sub.Send(t.Context(), session.Message{ID: "m", Content: quoted("hi"), Human: true}); fault.KindOf(err) != fault.Unavailable {
		t.Fatalf("Send: %v", err)
	}
	store.forget = false
	send(t, sub, "other", "between")
	c.Until(payload.TurnFinishedAction)
	send(t, sub, "m", "hi")
	synctest.Wait()
	if got := said(store.Store); got != `0 "hello"|1 "hi"|2 "between"|2 "between"|1 "hi"` {
		t.Errorf("stored %s", got)
	}
}

// forgetful is a store that stores and then returns an error.
type forgetful struct {
	*agenttest.Store
	forget bool
}

func (f *forgetful) Receive(ctx context.Context, in journal.Incoming) (journal.Receipt, error) {
	r, err := f.Store.Receive(ctx, in)
	if f.forget {
		return journal.Receipt{}, fault.New(fault.Unavailable, "test_sentence", "the database does not answer")
	}
	return r, err
}

func (f *forgetful) CommitTurn(ctx context.Context, turn journal.TurnRecord) (journal.Written, error) {
	w, err := f.Store.CommitTurn(ctx, turn)
	if f.forget {
		return journal.Written{}, fault.New(fault.Unavailable, "test_sentence", "the database does not answer")
	}
	return w, err
}
