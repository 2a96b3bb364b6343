package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// failing returns a store whose operation fails while on is set.
func failing(op agenttest.Operation, kind fault.Kind) (store *agenttest.Store, on *atomic.Bool) {
	store, on = agenttest.NewStore(), &atomic.Bool{}
	store.SetBefore(func(_ context.Context, what agenttest.Operation) error {
		if on.Load() && what == op {
			return fault.New(kind, "test_sentence", "the database is down")
		}
		return nil
	})
	return store, on
}

// spoken describes the stored messages of a session.
func spoken(store *agenttest.Store) string {
	_, messages, _ := store.Stored("S")
	var out []string
	for _, m := range messages {
		var s string
		_ = json.Unmarshal(m.Content, &s)
		out = append(out, strings.SplitN(s, ":", 2)[0])
	}
	return strings.Join(out, "|")
}

// allOf describes the replies and failures that a client received.
func allOf(t *testing.T, c *client) string {
	t.Helper()
	var out []string
	for len(c.Heard) > 0 {
		switch d := c.Next(); {
		case d.Frame.Action == payload.ReplyStr && d.Audience != session.Streaming:
			out = append(out, strings.SplitN(text(t, d), ":", 2)[0])
		case d.Frame.Action == payload.TurnFinishedAction:
			var f payload.TurnFinished
			_ = json.Unmarshal(d.Frame.Message, &f)
			out = append(out, string(f.Outcome))
		}
	}
	return strings.Join(out, "|")
}

// unanswered is a store that commits but returns an error while on is set.
type unanswered struct {
	*agenttest.Store
	on atomic.Bool
}

func (u *unanswered) CommitTurn(ctx context.Context, r journal.TurnRecord) (journal.Written, error) {
	w, err := u.Store.CommitTurn(ctx, r)
	if err == nil && u.on.Load() {
		return journal.Written{}, fault.New(fault.Unavailable, "test_sentence", "the answer got lost")
	}
	return w, err
}

// picky is a store that refuses one variable, as a database may.
type picky struct{ *agenttest.Store }

func (p picky) CommitTurn(ctx context.Context, r journal.TurnRecord) (journal.Written, error) {
	if _, ok := r.Set["bad"]; ok {
		return journal.Written{}, fault.New(fault.Invalid, "database_value_invalid", "a value does not fit the database")
	}
	return p.Store.CommitTurn(ctx, r)
}

// A turn that no store can write fails once. The runtime does not try it again at each load.
func TestRefusedCommit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ran := 0
		store := picky{agenttest.NewStore()}
		rt := start(t, session.RuntimeConfig{Agent: echo(func(_ context.Context, s *agent.Session) error {
			ran++
			if s.Message() == "poison" {
				return s.Set("bad", 1)
			}
			return nil
		}), Store: store})
		for i, want := range []string{"hello|Sorry, that did not work|failed", "", ""} {
			sub, c, _ := open(t, rt, "S")
			if i == 0 {
				send(t, sub, "1", "poison")
			}
			synctest.Wait()
			var seq int64
			for _, d := range slices.Collect(drained(c)) {
				if d.Frame.Action == payload.ErrorAction {
					seq = d.Frame.Seq
				}
				c.Heard <- d
			}
			if got := allOf(t, c); got != want || ran != 1 || (i == 0) != (seq == 3) {
				t.Errorf("visit %d: heard %s (%d); the body ran %d times", i, got, seq, ran)
			}
			sub.Close()
			synctest.Wait()
		}
		if got := spoken(store.Store); got != "hello|poison|Sorry, that did not work" {
			t.Errorf("stored %s", got)
		}
	})
}

func drained(c *client) func(func(session.Delivery) bool) {
	return func(yield func(session.Delivery) bool) {
		for range len(c.Heard) {
			if !yield(<-c.Heard) {
				return
			}
		}
	}
}

// The runtime does not repeat a timed move that no store can write.
func TestRefusedTimedMove(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ran := 0
		store := picky{agenttest.NewStore()}
		a := agent.New("timed")
		wait, done := a.State("wait", agent.Initial), a.State("done")
		wait.After(time.Minute).GoTo(done)
		done.Body(func(_ context.Context, s *agent.Session) error {
			ran++
			return s.Set("bad", 1)
		})
		done.OnMessage().GoTo(wait)
		rt := start(t, session.RuntimeConfig{Agent: a, Store: store, Now: realTime})
		for range 3 {
			sub, _, _ := open(t, rt, "S")
			pass(100)
			sub.Close()
			synctest.Wait()
		}
		if record, _, _ := store.Stored("S"); ran != 1 || record.State != "done" {
			t.Errorf("ran %d times, in %s", ran, record.State)
		}
	})
}

// A timed move that could not be stored happens when the store works again.
func TestTimedMoveAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, down := failing(agenttest.Commit, fault.Unavailable)
		rt := start(t, session.RuntimeConfig{Agent: reminding(say), Store: store, Now: realTime})
		sub, _, _ := open(t, rt, "S")
		if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "bell"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		down.Store(true)
		pass(3605)
		sub.Close()
		down.Store(false)
		pass(60)
		if record, _, _ := store.Stored("S"); record.State != "remind" || rt.Sessions() != 0 {
			t.Errorf("in %s, %d sessions in memory", record.State, rt.Sessions())
		}
	})
}

// A body that takes many events itself frees their slots.
func TestManyManaged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const many = 20
		a := agent.New("many")
		idle, ask, hear := a.State("idle", agent.Initial), a.State("ask"), a.State("hear")
		idle.OnMessage().GoTo(ask)
		ask.OnMessage().GoTo(hear)
		hear.OnMessage().GoTo(hear)
		got := 0
		hear.Body(func(context.Context, *agent.Session) error { got++; return nil })
		ask.Body(func(ctx context.Context, s *agent.Session) error {
			for got < many {
				moved, err := s.ManageTransition(ctx)
				if err != nil {
					return err
				}
				if !moved {
					<-time.After(time.Second)
				}
			}
			return s.Reply(ctx, "all")
		})
		rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), QueueSize: 4})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "go")
		for i := range many {
			if err := sub.Send(t.Context(), session.Message{Content: quoted(fmt.Sprint(i)), Wait: true}); err != nil {
				t.Fatal(err)
			}
		}
		if d := c.Until(payload.ReplyStr); text(t, d) != "all" {
			t.Errorf("heard %s", d.Frame.Message)
		}
	})
}

// A session keeps its alarm if it cannot be loaded.
func TestAlarmOutlastsFailedLoad(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, down := failing(agenttest.Open, fault.Internal)
		rt := start(t, session.RuntimeConfig{Agent: reminding(say), Store: store, Now: realTime})
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		sub, _, _ := open(t, rt, "S")
		if err := rt.Dispatch(t.Context(), "S", agent.Event{Name: "bell"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		sub.Close()
		synctest.Wait()
		down.Store(true)
		if _, err := rt.Open(t.Context(), session.OpenRequest{ID: "S"}, newClient(t)); err == nil {
			t.Fatal("opened")
		}
		pass(3605) // the alarm is due meanwhile
		down.Store(false)
		pass(100)
		if record, _, _ := store.Stored("S"); record.State != "remind" {
			t.Errorf("in %s", record.State)
		}
	})
}

// leaving opens session S for a client that receives Gone.
func leaving(t *testing.T, rt *session.Runtime) (*session.Subscription, leaver) {
	t.Helper()
	l := leaver{newClient(t), make(chan error, 1)}
	sub, err := rt.Open(t.Context(), session.OpenRequest{ID: "S"}, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	return sub, l
}

// givenUp checks that the session has left memory and that its client can come back.
func givenUp(t *testing.T, rt *session.Runtime, sub *session.Subscription, l leaver) {
	t.Helper()
	select {
	case err := <-l.gone:
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("the client was told %v", err)
		}
	default:
		t.Error("the client was told nothing")
	}
	if err := sub.Send(t.Context(), session.Message{ID: "late", Content: quoted("late"), Human: true}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Send: %v", err)
	}
}

// If the store does not write the end of a turn, the session leaves memory. When the store works
// again, the turn completes: for a client that comes back, by the runtime itself, or in the next
// process.
func TestCommitGivenUp(t *testing.T) {
	for _, how := range []string{"comes back", "nobody", "restart"} {
		t.Run(how, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				store, down := failing(agenttest.Commit, fault.Unavailable)
				build := func() *agent.Agent {
					return echo(func(_ context.Context, s *agent.Session) error { return s.Set("n", agent.Get(s, "n", 0)+1) })
				}
				rt := start(t, session.RuntimeConfig{Agent: build(), Store: store})
				sub, l := leaving(t, rt)
				synctest.Wait()
				down.Store(true)
				send(t, sub, "1", "pay")
				pass(10)
				givenUp(t, rt, sub, l)
				if got := allOf(t, l.client); got != "hello" {
					t.Errorf("heard %s", got)
				}
				switch how {
				case "comes back":
					down.Store(false)
				case "nobody":
					pass(600)
					down.Store(false)
					pass(120)
				case "restart":
					stop(t, rt)
					down.Store(false)
					rt = start(t, session.RuntimeConfig{Agent: build(), Store: store})
				}
				sub, l = leaving(t, rt)
				pass(30)
				if got := spoken(store); got != "hello|pay|pay" || len(store.Pending("S")) > 0 {
					t.Errorf("stored %s, %d events wait", got, len(store.Pending("S")))
				}
				allOf(t, l.client)
				send(t, sub, "1", "pay")
				synctest.Wait()
				record, _, _ := store.Stored("S")
				if got := allOf(t, l.client); got != "done" || string(record.Variables["n"]) != "1" {
					t.Errorf("sent again: heard %s, %s times", got, record.Variables["n"])
				}
			})
		})
	}
}

// A turn does not run again if the store wrote it but returned an error.
func TestStoredAndGivenUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &unanswered{Store: agenttest.NewStore()}
		rt := start(t, session.RuntimeConfig{Agent: echo(func(_ context.Context, s *agent.Session) error {
			return s.Set("n", agent.Get(s, "n", 0)+1)
		}), Store: store})
		sub, l := leaving(t, rt)
		synctest.Wait()
		store.on.Store(true)
		send(t, sub, "1", "hi")
		pass(10)
		givenUp(t, rt, sub, l)
		store.on.Store(false)
		sub, _ = leaving(t, rt)
		send(t, sub, "1", "hi")
		send(t, sub, "2", "again")
		synctest.Wait()
		record, _, _ := store.Stored("S")
		if got := spoken(store.Store); got != "hello|hi|hi|again|again" || string(record.Variables["n"]) != "2" {
			t.Errorf("stored %s %s", got, record.Variables["n"])
		}
	})
}

// A turn that is interrupted after a part of it was stored ends with an apology.
func TestPartStoredAndGivenUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, down := failing(agenttest.Commit, fault.Unavailable)
		rt := start(t, session.RuntimeConfig{Agent: echo(func(ctx context.Context, s *agent.Session) error {
			if err := errors.Join(s.Reply(ctx, "part"), s.Flush(ctx)); err != nil {
				return err
			}
			down.Store(true)
			return nil
		}), Store: store})
		sub, l := leaving(t, rt)
		synctest.Wait()
		send(t, sub, "1", "hi")
		pass(10)
		givenUp(t, rt, sub, l)
		down.Store(false)
		leaving(t, rt)
		pass(30)
		if got := spoken(store); got != "hello|hi|part|Sorry, that did not work" || len(store.Pending("S")) > 0 {
			t.Errorf("stored %s, %d events wait", got, len(store.Pending("S")))
		}
	})
}

// If the store cannot reset the session, nothing is reset. The clients receive the failure, and
// earlier messages are answered.
func TestResetGivenUp(t *testing.T) {
	for _, from := range []string{"client", "body"} {
		t.Run(from, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				store, down := failing(agenttest.Reset, fault.Unavailable)
				rt := start(t, session.RuntimeConfig{Agent: echo(func(ctx context.Context, s *agent.Session) error {
					if s.Message() == "reset" {
						return s.Reset(ctx)
					}
					return ctx.Err()
				}), Store: store})
				sub, l := leaving(t, rt)
				synctest.Wait()
				down.Store(true)
				send(t, sub, "1", "first")
				synctest.Wait()
				want := "hello|first|first|later|later"
				if from == "body" {
					send(t, sub, "2", "reset")
					want = "hello|later|later" // the queued message and reset run again
				} else if err := sub.Reset(t.Context()); err != nil {
					t.Fatal(err)
				}
				pass(10)
				givenUp(t, rt, sub, l)
				if got := allOf(t, l.client); !strings.Contains(got, "Sorry, that did not work") {
					t.Errorf("heard %s", got)
				}
				down.Store(false)
				pass(60)
				sub, _ = leaving(t, rt)
				send(t, sub, "4", "later")
				synctest.Wait()
				if got := spoken(store); got != want {
					t.Errorf("stored %s, want %s", got, want)
				}
			})
		})
	}
}
