package sessiontest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"docent/agent"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/payload"
)

var runtimeTests = map[string]func(*testing.T, Conversations){
	"Restart": runtimeRestart,
	"Same":    runtimeSame,
	"Stopped": runtimeStopped, "Brief": runtimeBrief, "BriefElsewhere": runtimeBriefElsewhere,
}

// burst is the number of messages that runtimeRestart sends without waiting for answers. It
// interrupts the runtime during the answer to message cut.
const (
	burst = 100
	cut   = 40
)

// counting returns an agent that counts messages in two alternating states. Before each answer, its
// body calls at with the count.
func counting(at func(ctx context.Context, n int) error) *agent.Agent {
	a := agent.New("counting")
	tick, tock := a.State("tick", agent.Initial), a.State("tock")
	body := func(ctx context.Context, s *agent.Session) error {
		if s.Event().Text == "" {
			return nil
		}
		n := agent.Get(s, "n", 0) + 1
		if err := at(ctx, n); err != nil {
			return err
		}
		if err := s.Set("n", n); err != nil {
			return err
		}
		return s.Reply(ctx, fmt.Sprintf("%s %d %s", s.CurrentState(), n, s.Event().Text))
	}
	tick.Body(body)
	tick.OnMessage().GoTo(tock)
	tock.Body(body)
	tock.OnMessage().GoTo(tick)
	tock.OnFile("never").GoTo(tock) // files wait
	return a
}

// answers is a listener that passes on the replies.
type answers chan string

func (answers) Opened(session.Opened) {}

func (a answers) Deliver(d session.Delivery) {
	if d.Frame.Action == payload.ReplyStr {
		var text string
		_ = json.Unmarshal(d.Frame.Message, &text) // a reply is text
		a <- text
	}
}

// runtimeRestart sends a burst of messages and stops the program in the middle. Each message is
// answered once and in order.
func runtimeRestart(t *testing.T, db Conversations) {
	ctx := storetest.Within(t)
	reached := make(chan struct{})
	run := func(at func(context.Context, int) error) (*session.Runtime, *session.Subscription, answers) {
		rt, err := session.NewRuntime(session.RuntimeConfig{Agent: counting(at), Store: db.Open(t)})
		storetest.OK(t, err)
		t.Cleanup(func() { _ = rt.Shutdown(context.WithoutCancel(ctx)) })
		heard := make(answers, 2*burst)
		sub, err := rt.Open(ctx, session.OpenRequest{ID: "x"}, heard)
		storetest.OK(t, err)
		return rt, sub, heard
	}
	send := func(sub *session.Subscription, from int) (next int) {
		for n := from; n < burst; n++ {
			content := json.RawMessage(fmt.Sprintf(`"m%d"`, n))
			if sub.Send(ctx, session.Message{ID: fmt.Sprint(n), Content: content, Human: true, Wait: true}) != nil {
				return n
			}
		}
		return burst
	}

	rt, sub, _ := run(func(ctx context.Context, n int) error {
		if n == cut {
			close(reached)
			<-ctx.Done()
		}
		return ctx.Err()
	})
	sent := make(chan int)
	go func() { sent <- send(sub, 0) }()
	<-reached
	now, cancel := context.WithCancel(ctx)
	cancel()
	if rt.Shutdown(now) == nil {
		t.Error("nothing was interrupted")
	}
	next := <-sent

	rt, sub, heard := run(func(context.Context, int) error { return nil })
	storetest.Want(t, "sent again", send(sub, next), burst)
	var wanted, sayings, got, said, answered []string
	for i := range burst {
		sayings = append(sayings, fmt.Sprint("m", i))
		wanted = append(wanted, fmt.Sprintf("%s %d m%d", []string{"tock", "tick"}[i%2], i+1, i))
	}
	for range burst - cut + 1 {
		select {
		case text := <-heard:
			got = append(got, text)
		case <-ctx.Done():
			t.Fatalf("%d answers came", len(got))
		}
	}
	storetest.Want(t, "answers", got, wanted[cut-1:])
	storetest.OK(t, rt.Shutdown(ctx))

	s := db.Open(t)
	record, _, err := s.OpenSession(ctx, journal.SessionRecord{Key: journal.SessionKey{Agent: "counting", ID: "x"}, Platform: "P"})
	storetest.OK(t, err)
	storetest.Want(t, "session", []any{record.State, len(record.Pending), string(record.Variables["n"])}, []any{"tick", 0, fmt.Sprint(burst)})
	storetest.Want(t, "record", len(all(t, s, record.RowID)), 2*burst)
	messages, err := s.Messages(ctx, record.RowID, journal.MessageQuery{})
	storetest.OK(t, err)
	for _, m := range messages {
		var text string
		storetest.OK(t, json.Unmarshal(m.Content, &text))
		if m.IsUser {
			said = append(said, text)
		} else {
			answered = append(answered, text)
		}
	}
	storetest.Want(t, "answered", answered, wanted)
	storetest.Want(t, "said", said, sayings)
}

// runtimeSame sends messages again with the same id. They are duplicates, however the database
// writes them. Another message with that id is refused.
func runtimeSame(t *testing.T, db Conversations) {
	ctx := storetest.Within(t)
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: counting(func(context.Context, int) error { return nil }), Store: db.Open(t)})
	storetest.OK(t, err)
	t.Cleanup(func() { _ = rt.Shutdown(context.WithoutCancel(ctx)) })
	sub, err := rt.Open(ctx, session.OpenRequest{ID: "x"}, make(answers, 100))
	storetest.OK(t, err)
	defer sub.Close()
	send := func(id, content string) error {
		return sub.Send(ctx, session.Message{ID: id, Content: json.RawMessage(content), Human: true, Wait: true})
	}
	contents := []string{
		`"text"`, "\"a\xffb \u00e9\\u00e9\\/\"", `{"b" : [1e2, -0.50, -0, 1E-3, 12345678901234567890.10], "a":1, "a":{"x":null}}`,
		`"\u0000\ud800\ufffd\ud83d\ude00"`, `{"k\u0000":" ", "":[]}`, `[1e999, {}]`, `1.0`,
	}
	for i, content := range contents {
		for range 2 {
			storetest.OK(t, send(fmt.Sprint(i), content))
		}
		for _, other := range []string{`"other"`, `1.01`, `{"a":1}`, contents[(i+1)%len(contents)]} {
			storetest.WantKind(t, content+" and "+other, send(fmt.Sprint(i), other), fault.Conflict)
		}
	}
	storetest.OK(t, sub.SendFile(ctx, session.File{ID: "file", File: payload.NewFile("n.txt", "", []byte("hi")), Wait: true}))
	storetest.OK(t, sub.SendFile(ctx, session.File{ID: "file", File: payload.NewFile("n.txt", "", []byte("hi")), Wait: true}))
	storetest.WantKind(t, "another file",
		sub.SendFile(ctx, session.File{ID: "file", File: payload.NewFile("n.txt", "", []byte("ho")), Wait: true}),
		fault.Conflict)
}
