package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/payload"
)

func TestWhenVariable(t *testing.T) {
	for name, tc := range map[string]struct {
		op     agent.Operator
		have   any // nil means that it is not set
		target any
		want   bool
	}{
		"less":               {agent.Less, 2, 3, true},
		"not less":           {agent.Less, 3, 3, false},
		"less or equal":      {agent.LessEqual, 3, 3.0, true},
		"greater":            {agent.Greater, 3.5, 3, true},
		"greater or equal":   {agent.GreaterEqual, 2, 3, false},
		"equal numbers":      {agent.Equal, 3, 3.0, true},
		"equal texts":        {agent.Equal, "a", "a", true},
		"equal lists":        {agent.Equal, []int{1, 2}, []any{1.0, 2.0}, true},
		"not equal":          {agent.NotEqual, "a", "b", true},
		"texts have order":   {agent.Less, "a", "b", true},
		"number and text":    {agent.Less, 1, "b", false},
		"unset is not less":  {agent.Less, nil, 3, false},
		"unset is not equal": {agent.Equal, nil, 0, false},
		"unset is nil":       {agent.Equal, nil, nil, true},
		"unset differs":      {agent.NotEqual, nil, 0, true},
		"bool":               {agent.Equal, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := agent.New("a")
				one, two := a.State("one", agent.Initial), a.State("two")
				one.Body(func(_ context.Context, s *agent.Session) error {
					if tc.have == nil {
						return nil
					}
					return s.Set("v", tc.have)
				})
				one.WhenVariable("v", tc.op, tc.target).GoTo(two)
				store := agenttest.NewStore()
				open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
				synctest.Wait()
				record, _, _ := store.Stored("S")
				if (record.State == "two") != tc.want {
					t.Errorf("in %s", record.State)
				}
			})
		})
	}
}

// A condition that fails or panics counts as false and is logged once per turn, with the value of the panic. The session and its
// other conditions continue.
//
// BAF W21
func TestConditionErrorsAreContained(t *testing.T) { bubble(t, testConditionErrorsAreContained) }

func testConditionErrorsAreContained(t *testing.T) {
	var logged bytes.Buffer
	a := agent.New("broken")
	one, two := a.State("one", agent.Initial), a.State("two")
	one.When(func(context.Context, *agent.Session) (bool, error) { return true, errors.New("secret") }).GoTo(two)
	one.OnMessage().When(func(context.Context, *agent.Session) (bool, error) { panic("no such order") }).GoTo(two)
	one.OnText().GoTo(one)
	one.Body(say)
	two.Body(say)
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	c.Until(payload.ReplyStr)
	synctest.Wait()
	before := strings.Count(logged.String(), "condition failed")
	send(t, sub, "", "hi")
	if d := c.Until(payload.ReplyStr); text(t, d) != "one receive_message_text hi" {
		t.Errorf("got %s", d.Frame.Message)
	}
	synctest.Wait()
	log := logged.String()
	if n := strings.Count(log, "condition failed") - before; n != 2 || before != 1 || strings.Contains(log, "secret") ||
		!strings.Contains(log, "panic=\"no such order\"") || !strings.Contains(log, "state=one") ||
		!strings.Contains(log, "session=S") || !strings.Contains(log, "condition_test.go") {
		t.Errorf("%d and %d logged: %s", before, n, log)
	}
}

// All conditions of a transition must hold, in addition to its event.
//
// BAF W21
func TestConditionsCombine(t *testing.T) { bubble(t, testConditionsCombine) }

func isLong(_ context.Context, s *agent.Session) (bool, error) { return len(s.Message()) > 3, nil }

func testConditionsCombine(t *testing.T) {
	a := agent.New("both")
	a.ClassifyWith(wordClassifier{})
	hello := a.Intent("hello", "hello")
	one, two := a.State("one", agent.Initial), a.State("two")
	one.OnIntent(hello).When(isLong).WhenVariable("n", agent.GreaterEqual, 2).GoTo(two)
	one.Fallback(func(ctx context.Context, s *agent.Session) error {
		return errors.Join(s.Set("n", agent.Get(s, "n", 0)+1), s.Reply(ctx, fmt.Sprint(s.Prediction().Intent)))
	})
	store := agenttest.NewStore()
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	synctest.Wait() // for the greeting
	for range 3 {
		send(t, sub, "", "hello")
		c.Until(payload.TurnFinishedAction)
	}
	synctest.Wait()
	tr := store.Transitions("S")
	if len(tr) != 1 || tr[0].Event != "receive_message_text" || tr[0].Condition != "Intent Matching - hello and session_test.isLong and variable n >= 2" {
		t.Errorf("moves %+v", tr)
	}
	if _, messages, _ := store.Stored("S"); len(messages) != 5 {
		t.Errorf("stored %d", len(messages))
	}
	var got []string
	for _, p := range store.Predictions("S") {
		got = append(got, fmt.Sprint(p.Message, " ", p.Intent, " ", p.Score, " ", p.Classifier))
	}
	if fmt.Sprint(got) != "[hello hello 0.9 words hello hello 0.9 words hello hello 0.9 words]" {
		t.Errorf("predictions %v", got)
	}
}

// The fallback answers an unexpected message once, even if the last transition of the state is a
// condition that is checked periodically.
//
// BAF W20
func TestFallbackRunsOnce(t *testing.T) { bubble(t, testFallbackRunsOnce) }

func testFallbackRunsOnce(t *testing.T) {
	a := agent.New("once")
	one, two := a.State("one", agent.Initial), a.State("two")
	one.OnEvent("never").GoTo(two)
	var asked atomic.Int64
	one.When(func(context.Context, *agent.Session) (bool, error) { asked.Add(1); return false, nil }).GoTo(two)
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), Now: realTime})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "hi")
	pass(10)
	replies := 0
	for len(c.Heard) > 0 {
		if c.Next().Frame.Action == payload.ReplyStr {
			replies++
		}
	}
	if replies != 1 || asked.Load() < 10 {
		t.Errorf("%d apologies, asked %d times", replies, asked.Load())
	}
}

// A fallback answers the waiting text, not the file that came after it.
func TestFallbackAnswersTheText(t *testing.T) { bubble(t, testFallbackAnswersTheText) }

func testFallbackAnswersTheText(t *testing.T) {
	hold := make(chan struct{})
	a := agent.New("files")
	one := a.State("one", agent.Initial)
	one.Body(func(context.Context, *agent.Session) error { <-hold; return nil })
	one.OnFile("never").GoTo(one)
	one.Fallback(say)
	store := agenttest.NewStore()
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: store}), "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "one")
	if err := sub.SendFile(t.Context(), session.File{File: payload.NewFile("n.txt", "", []byte("hi"))}); err != nil {
		t.Fatal(err)
	}
	send(t, sub, "", "two")
	close(hold)
	for _, want := range []string{"one receive_message_text one", "one receive_message_text two"} {
		if d := c.Until(payload.ReplyStr); text(t, d) != want {
			t.Errorf("got %s, want %s", d.Frame.Message, want)
		}
	}
	synctest.Wait()
	if left := store.Pending("S"); len(left) != 1 || left[0].Name != agent.EventFile {
		t.Errorf("left %+v", left)
	}
	p := store.Predictions("S")
	if len(p) != 2 || p[0].Intent != "fallback_intent" || p[0].Classifier != "None" || p[0].Score != 1 || p[1].Message != "two" {
		t.Errorf("predictions %+v", p)
	}
}

// The runtime stops an endless loop of states. The session continues with the next message.
func TestCirclesEnd(t *testing.T) { bubble(t, testCirclesEnd) }

func testCirclesEnd(t *testing.T) {
	var logged bytes.Buffer
	a := agent.New("circle")
	calm, one, two := a.State("calm", agent.Initial), a.State("one"), a.State("two")
	always := func(context.Context, *agent.Session) (bool, error) { return true, nil }
	calm.OnMessage().GoTo(one)
	one.When(always).GoTo(two)
	two.OnEvent("rest").GoTo(calm)
	two.When(always).GoTo(one)
	rt := start(t, session.RuntimeConfig{
		Agent: a, Store: agenttest.NewStore(), Now: realTime, Logger: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "m", "hi")
	if d := c.Until(payload.ErrorAction); !strings.Contains(string(d.Frame.Message), "the agent moves between states without end") {
		t.Errorf("got %s", d.Frame.Message)
	}
	pass(60)
	if n := strings.Count(logged.String(), "states lead to each other without end"); n != 1 {
		t.Errorf("logged %d times: %s", n, logged.String())
	}
	if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "rest"}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}
