package session_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
)

// Metrics count turns and events. Names of programs' events are no labels.
func TestMetrics(t *testing.T) { bubble(t, testMetrics) }

func testMetrics(t *testing.T) {
	set, store := metrics.NewSet(), agenttest.NewStore()
	var down atomic.Bool
	store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
		if down.Load() && op == agenttest.Commit {
			return fault.New(fault.Unavailable, "test_sentence", "down")
		}
		return nil
	})
	hold := make(chan struct{})
	answers := echo(func(_ context.Context, s *agent.Session) error {
		if s.Message() == "fail" {
			return errors.New("failed")
		}
		if s.Message() == "hold" {
			<-hold
		}
		return nil
	})
	rt := start(t, session.RuntimeConfig{Metrics: set, Store: store, QueueSize: 1, Agent: answers})
	sub, _, _ := open(t, rt, "S")
	for _, text := range []string{"hi", "fail", "hold"} {
		send(t, sub, text, text)
		synctest.Wait()
	}
	if err := sub.Send(t.Context(), session.Message{Content: quoted("x"), Human: true}); fault.KindOf(err) != fault.Busy {
		t.Fatal(err)
	}
	close(hold)
	synctest.Wait()
	if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "bell"}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	down.Store(true)
	send(t, sub, "lost", "lost")
	<-afterwards(8 * time.Second) // the session leaves memory
	var b strings.Builder
	set.WritePrometheus(&b)
	for _, line := range []string{
		"docent_agent_abandoned_total 1", "docent_agent_mailbox_full_total 1",
		`docent_agent_events_total{kind="receive_message_text"} 4`, `docent_agent_events_total{kind="other"} 1`,
		`docent_agent_turns_total{outcome="done"} 2`, `docent_agent_turns_total{outcome="failed"} 1`, `docent_agent_turns_total{outcome="held"} 1`,
		"docent_agent_turn_seconds_count 3", "docent_agent_commit_seconds_count",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %s in\n%s", line, b.String())
		}
	}
	down.Store(false)
}
