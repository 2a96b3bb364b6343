package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/payload"
)

func contents(messages []agent.ChatMessage) string {
	var out []string
	for _, m := range messages {
		out = append(out, strings.Trim(string(m.Content), `"`))
	}
	return strings.Join(out, " ")
}

// ChatHistory has the earlier messages, the message of the turn, and the turn's replies so far. It
// does not have waiting messages.
//
// BAF W8, W10
func TestChatHistory(t *testing.T) { bubble(t, testChatHistory) }

func testChatHistory(t *testing.T) {
	goOn := make(chan struct{})
	var got []string
	ask := func(ctx context.Context, s *agent.Session, n int, until time.Time) error {
		messages, err := s.ChatHistory(ctx, n, until)
		got = append(got, contents(messages))
		return err
	}
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		if s.Message() == "wait" {
			<-goOn
		}
		if err := s.Reply(ctx, "so"); err != nil {
			return err
		}
		for _, n := range []int{0, 1, 3} {
			if err := ask(ctx, s, n, time.Time{}); err != nil {
				return err
			}
		}
		return ask(ctx, s, 0, s.Event().Time.Add(-time.Nanosecond))
	})}.With(session.Limits{Replay: 12}))
	sub, _, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	check := func(want ...string) {
		t.Helper()
		synctest.Wait()
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		got = nil
	}
	send(t, sub, "", "a")
	check("hello a so", "so", "hello a so", "hello")
	send(t, sub, "", "wait")
	synctest.Wait()
	send(t, sub, "", "later")
	goOn <- struct{}{}
	check("hello a so a wait so", "so", "a wait so", "hello a so a",
		"hello a so a wait so wait later so", "so", "wait later so", "hello a so a wait")
	for i := range 5 {
		send(t, sub, "", fmt.Sprint(i))
		synctest.Wait()
	}
	if h := strings.Fields(got[len(got)-4]); len(h) != 12 || h[11] != "so" || h[10] != "4" {
		t.Errorf("all: %v", h)
	}
}

// ReasoningEvents has the steps of the session, including this turn's.
func TestReasoningEvents(t *testing.T) { bubble(t, testReasoningEvents) }

func testReasoningEvents(t *testing.T) {
	var got []string
	rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Agent: echo(func(ctx context.Context, s *agent.Session) error {
		if err := s.ReplyReasoningStep(ctx, step(0, s.Message()+"1")); err != nil {
			return err
		}
		if err := s.Flush(ctx); err != nil {
			return err
		}
		if err := s.ReplyReasoningStep(ctx, step(1, s.Message()+"2")); err != nil {
			return err
		}
		for _, until := range []time.Time{{}, s.Event().Time} {
			steps, err := s.ReasoningEvents(ctx, until)
			if err != nil {
				return err
			}
			var all []string
			for _, r := range steps {
				all = append(all, r.Summary)
			}
			got = append(got, strings.Join(all, " "))
		}
		return nil
	})})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	for _, said := range []string{"a", "b"} {
		send(t, sub, "", said)
		c.Until(payload.TurnFinishedAction)
	}
	if strings.Join(got, "|") != "a1 a2||a1 a2 b1 b2|a1 a2" {
		t.Errorf("got %q", got)
	}
}
