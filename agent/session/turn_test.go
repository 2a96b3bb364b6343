package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// gate lets a test hold an operation of the store.
type gate struct {
	op      agenttest.Operation
	reached chan struct{}
	pass    chan error
}

func newGate(op agenttest.Operation) *gate {
	return &gate{op: op, reached: make(chan struct{}, 100), pass: make(chan error)}
}

func (g *gate) before(_ context.Context, op agenttest.Operation) error {
	if op != g.op {
		return nil
	}
	g.reached <- struct{}{}
	return <-g.pass
}

// The user's message is stored first and then acknowledged. The reply is sent only after the turn
// is stored.
//
// BAF W9
func TestOrder(t *testing.T) { bubble(t, testOrder) }

func testOrder(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	sub, c, _ := open(t, rt, "S")
	c.Until(payload.ReplyStr)
	receive, commit := newGate(agenttest.Receive), newGate(agenttest.Commit)
	store.SetBefore(func(ctx context.Context, op agenttest.Operation) error {
		return errors.Join(receive.before(ctx, op), commit.before(ctx, op))
	})
	sent := make(chan error, 1)
	go func() { sent <- sub.Send(t.Context(), session.Message{Content: quoted("hi"), Human: true}) }()
	<-receive.reached
	synctest.Wait()
	c.Quiet()
	receive.pass <- nil
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if d := c.Next(); d.Frame.Action != payload.AckAction {
		t.Fatalf("first %s, want the ack", d.Frame.Action)
	}
	<-commit.reached
	synctest.Wait()
	c.Quiet()
	commit.pass <- nil
	if d := c.Next(); d.Frame.Action != payload.ReplyStr || d.Frame.Seq != 3 {
		t.Fatalf("got %s %d, want the reply", d.Frame.Action, d.Frame.Seq)
	}
}

// A message that cannot be stored is not answered. Its sender receives the error.
func TestNotStored(t *testing.T) { bubble(t, testNotStored) }

func testNotStored(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	sub, c, _ := open(t, rt, "S")
	c.Until(payload.ReplyStr)
	store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
		if op == agenttest.Receive {
			return fault.New(fault.Unavailable, "test_sentence", "the database does not answer")
		}
		return nil
	})
	if err := sub.Send(t.Context(), session.Message{Content: quoted("hi"), Human: true}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v, want unavailable", err)
	}
	synctest.Wait()
	c.Quiet()
	store.SetBefore(nil)
	for range 100 { // refused messages leave the queue
		send(t, sub, "", "hi")
		c.Until(payload.TurnFinishedAction)
	}
}

// BAF W14
func TestFailure(t *testing.T) {
	for name, body := range map[string]agent.Body{
		"error": func(context.Context, *agent.Session) error { return errors.New("dial 10.0.0.1: secret") },
		"panic": func(context.Context, *agent.Session) error { panic("secret") },
		"fault": func(context.Context, *agent.Session) error {
			return fault.Wrap(fault.Unavailable, errors.New("secret"), "test_sentence", "the model does not answer")
		},
		"slow": func(ctx context.Context, _ *agent.Session) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) { bubble(t, func(t *testing.T) { testFailure(t, name, body) }) })
	}
}

func testFailure(t *testing.T, name string, body agent.Body) {
	var logged bytes.Buffer
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{
		Store: store, Logger: slog.New(slog.NewTextHandler(&logged, nil)), TurnTimeout: time.Second,
		Agent: echo(func(ctx context.Context, s *agent.Session) error {
			if s.Message() != "fail" {
				return nil
			}
			if err := errors.Join(s.Set("kept", 1), s.Reply(ctx, "wait")); err != nil {
				return err
			}
			return body(ctx, s)
		}),
	})
	sub, c, _ := open(t, rt, "S")
	c.Until(payload.ReplyStr)
	send(t, sub, "m1", "fail")
	c.Until(payload.AckAction)
	if d := c.Next(); text(t, d) != "wait" || d.Frame.Seq != 3 {
		t.Errorf("what was said before the failure: %+v", d)
	}
	coded, words, end := c.Next(), c.Next(), c.Next()
	want := `{"code":"internal","id":"internal_error","params":[],"message":"something went wrong here; please try again","retryable":false}`
	switch name {
	case "fault":
		want = `{"code":"unavailable","id":"test_sentence","params":[],"message":"the model does not answer","retryable":true}`
	case "slow":
		want = `{"code":"unavailable","id":"request_timeout","params":[],"message":"the request took too long","retryable":true}`
	}
	if coded.Audience != session.Streaming || string(coded.Frame.Message) != want || *coded.Frame.Turn != 1 || coded.Frame.ID != "m1" {
		t.Errorf("error %s, want %s", coded.Frame.Message, want)
	}
	if words.Audience != session.Plain || !strings.HasPrefix(text(t, words), "Sorry, that did not work: ") || coded.Frame.Seq != 4 {
		t.Errorf("in words: %s", words.Frame.Message)
	}
	if string(end.Frame.Message) != `{"outcome":"failed"}` || *end.Frame.Turn != 1 {
		t.Errorf("end %s", end.Frame.Message)
	}
	synctest.Wait()
	if log := logged.String(); !strings.Contains(log, "session=S") || name == "panic" && !strings.Contains(log, "turn_test.go") {
		t.Errorf("log: %s", log)
	}
	if record, _, _ := store.Stored("S"); record.State != "answer" || string(record.Variables["kept"]) != "1" {
		t.Errorf("stored %+v", record)
	}
	send(t, sub, "m2", "again") // the session continues
	if d := c.Until(payload.ReplyStr); text(t, d) != "again" {
		t.Errorf("got %s", d.Frame.Message)
	}
}

// A commit is retried while the store does not answer.
func TestCommitAgain(t *testing.T) { bubble(t, testCommitAgain) }

func testCommitAgain(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	sub, c, _ := open(t, rt, "S")
	c.Until(payload.ReplyStr)
	failures := 2
	store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
		if op == agenttest.Commit && failures > 0 {
			failures--
			return fault.New(fault.Unavailable, "test_sentence", "the database does not answer")
		}
		return nil
	})
	send(t, sub, "m1", "hi")
	if d := c.Until(payload.ReplyStr); text(t, d) != "hi" {
		t.Errorf("got %s", d.Frame.Message)
	}
	c.Until(payload.TurnFinishedAction)
}

// A message that two sockets send at the same time is one turn.
func TestDuplicate(t *testing.T) { bubble(t, testDuplicate) }

func testDuplicate(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
	one, c1, _ := open(t, rt, "S")
	two, c2, opened := open(t, rt, "S")
	if !opened.Resumed {
		t.Error("the second client receives Opened for a new session")
	}
	var running sync.WaitGroup
	for _, sub := range []*session.Subscription{one, two, one, two} {
		running.Go(func() { send(t, sub, "same", "hi") })
	}
	running.Wait()
	synctest.Wait()
	if _, messages, _ := store.Stored("S"); len(messages) != 3 {
		t.Errorf("stored %+v", messages)
	}
	acks, fresh := 0, 0
	for _, c := range []*client{c1, c2} {
		replies := 0
		for len(c.Heard) > 0 {
			switch d := c.Next(); d.Frame.Action {
			case payload.AckAction:
				acks++
				if strings.Contains(string(d.Frame.Message), `"duplicate":false`) {
					fresh++
				}
			case payload.ReplyStr:
				replies++
			}
		}
		if replies < 1 || replies > 2 { // the second client may have missed the greeting
			t.Errorf("%d replies", replies)
		}
	}
	if acks != 4 || fresh != 1 {
		t.Errorf("%d acks, %d of them fresh", acks, fresh)
	}
}

// The mailbox is bounded. Waiting messages enter when there is room.
func TestBusy(t *testing.T) { bubble(t, testBusy) }

func testBusy(t *testing.T) {
	hold := make(chan struct{})
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, QueueSize: 3, Agent: echo(func(context.Context, *agent.Session) error {
		<-hold
		return nil
	})})
	sub, c, _ := open(t, rt, "S")
	for i := range 3 {
		send(t, sub, "", fmt.Sprint(i))
	}
	if err := sub.Send(t.Context(), session.Message{Content: quoted("no"), Human: true}); fault.KindOf(err) != fault.Busy {
		t.Errorf("got %v, want busy", err)
	}
	waited := make(chan error, 1)
	go func() { waited <- sub.Send(t.Context(), session.Message{Content: quoted("3"), Wait: true}) }()
	synctest.Wait()
	if _, messages, _ := store.Stored("S"); len(messages) != 4 { // greeting and three
		t.Errorf("%d stored", len(messages))
	}
	close(hold)
	if err := <-waited; err != nil {
		t.Error(err)
	}
	c.Until(payload.ReplyStr)
	for i := range 4 { // in order
		if d := c.Until(payload.ReplyStr); text(t, d) != fmt.Sprint(i) {
			t.Errorf("reply %d: %s", i, d.Frame.Message)
		}
	}
}

// The fallback answers an unexpected message once.
func TestFallback(t *testing.T) { bubble(t, testFallback) }

func testFallback(t *testing.T) {
	plain, own := agent.New("plain"), agent.New("own")
	for _, a := range []*agent.Agent{plain, own} {
		end := a.State("end", agent.Initial)
		end.OnEvent("never").GoTo(end)
		if a == own {
			end.Fallback(func(ctx context.Context, s *agent.Session) error {
				return s.ReplyMarkdown(ctx, "*"+s.Message()+"* in "+s.CurrentState())
			})
		}
	}
	for a, want := range map[*agent.Agent]string{plain: "Sorry, I did not understand that.", own: "*hi* in end"} {
		store := agenttest.NewStore()
		sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
		send(t, sub, "", "hi")
		c.Until(payload.AckAction)
		if d := c.Next(); text(t, d) != want {
			t.Errorf("got %s, want %s", d.Frame.Message, want)
		}
		c.Until(payload.TurnFinishedAction)
		synctest.Wait()
		c.Quiet()
		if tr := store.Transitions("S"); len(tr) != 0 {
			t.Errorf("transitions %+v", tr)
		}
	}
}

func TestReplyLimit(t *testing.T) { bubble(t, testReplyLimit) }

func testReplyLimit(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		for {
			if err := s.Reply(ctx, "more"); err != nil {
				return err
			}
		}
	})})
	sub, c, _ := open(t, rt, "S")
	send(t, sub, "", "hi")
	c.Until(payload.TurnFinishedAction)
	if _, messages, _ := store.Stored("S"); len(messages) != 3+session.MaxReplies {
		t.Errorf("%d messages", len(messages))
	}
}

// RunRAG takes the question from the event, and the earlier messages as turns. Of answers it takes
// only the text.
//
// BAF W11
func TestRunRAG(t *testing.T) { bubble(t, testRunRAG) }

func testRunRAG(t *testing.T) {
	hold := make(chan struct{})
	answers := &agenttest.Answers{Answer: func(_ context.Context, req rag.Request) (string, error) {
		if req.Question == "slow" {
			<-hold
		}
		return "re " + req.Question, nil
	}}
	rt := start(t, session.RuntimeConfig{Agent: anAssistant(t), Store: agenttest.NewStore(), RAG: answers})
	sub, c, _ := open(t, rt, "S")
	ask := func(question string) rag.Request {
		send(t, sub, "", question)
		c.Until(payload.TurnFinishedAction)
		synctest.Wait()
		all := answers.Requests()
		return all[len(all)-1]
	}
	turns := func(req rag.Request) string {
		var out []string
		for _, turn := range req.Turns {
			out = append(out, string(turn.Role)+" "+turn.Text)
		}
		return strings.Join(out, "|")
	}
	if r := ask("one"); r.Question != "one" || r.History != 4 || turns(r) != "" { // the greeting is not part of the conversation
		t.Errorf("first: %+v", r)
	}
	ask("two")
	if r := ask(`{"message":"three"}`); r.Question != "three" || turns(r) != "user one|assistant re one|user two|assistant re two" {
		t.Errorf("third: %q", turns(r))
	}
	// A turn knows the earlier turns of a burst, and not the later ones.
	for _, question := range []string{"slow", "b", "c"} {
		send(t, sub, "", question)
	}
	synctest.Wait()
	close(hold)
	for range 3 {
		c.Until(payload.TurnFinishedAction)
	}
	all := answers.Requests()
	if got := turns(all[4]); got != "user three|user slow|assistant re three|assistant re slow" && got != "user three|assistant re three|user slow|assistant re slow" {
		t.Errorf("b: %q", got)
	}
	if got := turns(all[5]); !strings.HasSuffix(got, "user b|assistant re slow|assistant re b") {
		t.Errorf("c: %q", got)
	}
	if r := ask("  "); r.Question != "c" {
		t.Errorf("an empty message was asked: %q", r.Question)
	}
}

func TestNoRAG(t *testing.T) { bubble(t, testNoRAG) }

func testNoRAG(t *testing.T) {
	rt := start(t, session.RuntimeConfig{Agent: anAssistant(t), Store: agenttest.NewStore()})
	sub, c, _ := open(t, rt, "S")
	send(t, sub, "", "What is work_mem?")
	if d := c.Until(payload.ErrorAction); !strings.Contains(string(d.Frame.Message), `"code":"unavailable"`) {
		t.Errorf("got %s", d.Frame.Message)
	}
}
