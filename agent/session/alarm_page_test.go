package session_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// Sessions that are woken in vain do not delay the sessions behind them. A store that fails
// for a while does not delay them either.
func TestAlarmPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := agent.New("pages")
		poll, wait, done := a.State("poll", agent.Initial), a.State("wait"), a.State("done")
		poll.When(func(context.Context, *agent.Session) (bool, error) { return false, nil }).GoTo(done)
		poll.OnEvent("go").GoTo(wait)
		wait.After(time.Hour).GoTo(done)
		done.OnMessage().GoTo(poll)
		store := agenttest.NewStore()
		begin := time.Now()
		for i := range 12 {
			record := journal.SessionRecord{
				Key:   journal.SessionKey{Agent: "pages", ID: fmt.Sprint("S", i)},
				State: "poll", EnteredAt: begin.Add(-time.Minute), WakeAt: begin.Add(-time.Minute),
			}
			if i >= 6 {
				record.State, record.EnteredAt, record.WakeAt = "wait", begin, begin.Add(time.Hour)
			}
			if _, _, err := store.OpenSession(t.Context(), record); err != nil {
				t.Fatal(err)
			}
		}
		reads := 0
		store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
			if op == agenttest.Alarms {
				if reads++; reads == 2 {
					return fault.New(fault.Unavailable, "test_sentence", "the database is down")
				}
			}
			return nil
		})
		rt := start(t, session.RuntimeConfig{Agent: a, Store: store, Now: realTime}.With(session.Limits{AlarmPage: 6}))
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		pass(3700)
		for i := 6; i < 12; i++ {
			if record, _, _ := store.Stored(fmt.Sprint("S", i)); record.State != "done" {
				t.Errorf("S%d is in %s after %d reads", i, record.State, reads)
			}
		}
	})
}

// A session that leaves memory later but is due earlier wakes in time.
func TestEarlierAlarm(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := agent.New("early")
		late, early, done := a.State("late", agent.Initial), a.State("early"), a.State("done")
		late.OnEvent("hurry").GoTo(early)
		late.After(time.Hour).GoTo(done)
		early.After(time.Minute).GoTo(done)
		done.OnMessage().GoTo(late)
		store := agenttest.NewStore()
		rt := start(t, session.RuntimeConfig{Agent: a, Store: store, Now: realTime})
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"late", "S"} {
			sub, _, _ := open(t, rt, id)
			if id == "S" {
				if err := rt.Dispatch(t.Context(), id, agent.Event{Name: "hurry"}); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			sub.Close()
		}
		pass(90)
		if record, _, _ := store.Stored("S"); record.State != "done" {
			t.Errorf("in %s", record.State)
		}
	})
}
