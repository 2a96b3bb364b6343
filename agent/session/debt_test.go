package session_test

import (
	"context"
	"encoding/json"
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
	"docent/internal/fault"
	"docent/payload"
)

// failing is a store of which an operation fails while on is set.
func failing(op agenttest.Operation, kind fault.Kind) (store *agenttest.Store, on *atomic.Bool) {
	store, on = agenttest.NewStore(), &atomic.Bool{}
	store.Before = func(_ context.Context, what agenttest.Operation) error {
		if on.Load() && what == op {
			return fault.New(kind, "the database is down")
		}
		return nil
	}
	return store, on
}

// spoken are the messages stored of a session.
func spoken(store *agenttest.Store) string {
	_, messages, _ := store.Session("S")
	var out []string
	for _, m := range messages {
		var s string
		_ = json.Unmarshal(m.Content, &s)
		out = append(out, strings.SplitN(s, ":", 2)[0])
	}
	return strings.Join(out, "|")
}

// all are the replies and failures that a client was given.
func (c *client) all() string {
	var out []string
	for len(c.heard) > 0 {
		switch d := c.next(); {
		case d.Frame.Action == payload.ReplyStr && d.Audience != session.Streaming:
			out = append(out, strings.SplitN(text(c.t, d), ":", 2)[0])
		case d.Frame.Action == payload.TurnFinishedAction:
			var f payload.TurnFinished
			_ = json.Unmarshal(d.Frame.Message, &f)
			out = append(out, string(f.Outcome))
		}
	}
	return strings.Join(out, "|")
}

// A turn that could not be committed has failed, also in the store, as soon as
// that answers: it does not run again by itself. Sent again, it does.
func TestFailedCommitIsOwed(t *testing.T) {
	const apology = "Sorry, that did not work"
	for _, how := range []string{"timer", "next work", "close", "shutdown", "forgotten"} {
		t.Run(how, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				store, down := failing(agenttest.Commit, fault.Unavailable)
				paid := 0
				build := func() *agent.Agent {
					return echo(func(_ context.Context, s *agent.Session) error {
						if s.Message() == "pay" {
							paid++
						}
						if agent.Get(s, "n", 0) > 0 {
							return fmt.Errorf("a variable of a turn that failed is set")
						}
						if s.Message() == "pay" {
							return s.Set("n", 1)
						}
						return nil
					})
				}
				rt := start(t, session.RuntimeConfig{Agent: build(), Store: store})
				sub, c, _ := open(t, rt, "S")
				synctest.Wait()
				down.Store(true)
				send(t, sub, "1", "pay")
				pass(5)
				if got := c.all(); got != "hello|"+apology+"|failed" {
					t.Errorf("heard %s", got)
				}
				want := "hello|pay|" + apology
				switch how {
				case "timer":
					down.Store(false)
					pass(60)
				case "next work":
					down.Store(false)
					send(t, sub, "2", "next")
					synctest.Wait()
					want = "hello|pay|next|" + apology + "|next"
				case "close":
					sub.Close()
					synctest.Wait()
					if rt.Sessions() != 1 {
						t.Error("it is out of memory")
					}
					down.Store(false)
					pass(60)
				case "shutdown":
					down.Store(false)
					stop(t, rt)
					rt = start(t, session.RuntimeConfig{Agent: build(), Store: store})
				case "forgotten": // the store is down for long
					sub.Close()
					pass(int(2 * session.MaxOwing / time.Second))
					down.Store(false)
				}
				synctest.Wait()
				if how == "forgotten" {
					if n := len(store.Pending("S")); n != 1 || rt.Sessions() != 0 {
						t.Errorf("%d events wait, %d sessions in memory", n, rt.Sessions())
					}
					return
				}
				if got := spoken(store); got != want || len(store.Pending("S")) > 0 {
					t.Errorf("stored %s, want %s; %d events wait", got, want, len(store.Pending("S")))
				}
				sub.Close()
				synctest.Wait()
				if rt.Sessions() != 0 {
					t.Error("it is still in memory")
				}
				sub, c, _ = open(t, rt, "S")
				synctest.Wait()
				if got := c.all(); got != "" || paid != 1 {
					t.Errorf("paid %d times; heard %s", paid, got)
				}
				send(t, sub, "1", "pay")
				synctest.Wait()
				if got := c.all(); got != "pay|done" || paid != 2 {
					t.Errorf("sent again: paid %d times; heard %s", paid, got)
				}
			})
		})
	}
}

// A turn that was stored although no answer came is not a failed one.
func TestOwedButStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &unanswered{Store: agenttest.NewStore()}
		rt := start(t, session.RuntimeConfig{Agent: echo(func(_ context.Context, s *agent.Session) error {
			return s.Set("n", agent.Get(s, "n", 0)+1)
		}), Store: store})
		sub, c, _ := open(t, rt, "S")
		synctest.Wait()
		store.on.Store(true)
		send(t, sub, "1", "hi")
		pass(5)
		store.on.Store(false)
		pass(60)
		if got := c.all(); got != "hello|Sorry, that did not work|failed|hi|done" {
			t.Errorf("heard %s", got)
		}
		send(t, sub, "2", "again")
		synctest.Wait()
		record, _, _ := store.Session("S")
		if got := spoken(store.Store); got != "hello|hi|hi|again|again" || string(record.Variables["n"]) != "2" {
			t.Errorf("stored %s %s", got, record.Variables["n"])
		}
	})
}

// unanswered writes commits, and loses the answers while on is set.
type unanswered struct {
	*agenttest.Store
	on atomic.Bool
}

func (u *unanswered) CommitTurn(ctx context.Context, r session.TurnRecord) (session.Written, error) {
	w, err := u.Store.CommitTurn(ctx, r)
	if err == nil && u.on.Load() {
		return session.Written{}, fault.New(fault.Unavailable, "the answer got lost")
	}
	return w, err
}

// picky refuses a variable, as a database may.
type picky struct{ *agenttest.Store }

func (p picky) CommitTurn(ctx context.Context, r session.TurnRecord) (session.Written, error) {
	if _, ok := r.Set["bad"]; ok {
		return session.Written{}, fault.New(fault.Invalid, "a value does not fit the database")
	}
	return p.Store.CommitTurn(ctx, r)
}

// What no store takes fails once, and is not tried at each load.
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
				c.heard <- d
			}
			if got := c.all(); got != want || ran != 1 || (i == 0) != (seq == 3) {
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
		for range len(c.heard) {
			if !yield(<-c.heard) {
				return
			}
		}
	}
}

// A timed move that no store takes is not tried again and again.
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
		if record, _, _ := store.Session("S"); ran != 1 || record.State != "done" {
			t.Errorf("ran %d times, in %s", ran, record.State)
		}
	})
}

// A timed move that could not be stored is made when the store answers again.
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
		if record, _, _ := store.Session("S"); record.State != "remind" || rt.Sessions() != 0 {
			t.Errorf("in %s, %d sessions in memory", record.State, rt.Sessions())
		}
	})
}

// A reset that fails is made as soon as it can be: what it dropped stays
// dropped, and nothing that comes later goes with it.
func TestResetIsOwed(t *testing.T) {
	for _, from := range []string{"client", "body"} {
		t.Run(from, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				store, down := failing(agenttest.Reset, fault.Unavailable)
				var ran []string
				rt := start(t, session.RuntimeConfig{Agent: echo(func(ctx context.Context, s *agent.Session) error {
					ran = append(ran, s.Message())
					switch s.Message() {
					case "slow":
						<-ctx.Done()
					case "reset":
						return s.Reset(ctx)
					}
					return ctx.Err()
				}), Store: store})
				sub, _, _ := open(t, rt, "S")
				synctest.Wait()
				down.Store(true)
				want := "[slow later]"
				if from == "body" {
					send(t, sub, "1", "reset")
					want = "[reset later]"
				} else {
					send(t, sub, "1", "slow")
					send(t, sub, "2", "dropped")
					synctest.Wait()
					if err := sub.Reset(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				err := sub.Send(t.Context(), session.Message{ID: "3", Content: quoted("refused"), Human: true})
				if fault.KindOf(err) != fault.Unavailable {
					t.Errorf("while the reset is owed: %v", err)
				}
				sub.Close()
				synctest.Wait()
				down.Store(false)
				pass(60)
				if got := spoken(store); got != "hello" || rt.Sessions() != 0 {
					t.Errorf("stored %s, %d sessions in memory", got, rt.Sessions())
				}
				sub, c, _ := open(t, rt, "S")
				send(t, sub, "4", "later")
				synctest.Wait()
				if got := c.all(); got != "later|done" || fmt.Sprint(ran) != want {
					t.Errorf("heard %s, ran %s", got, ran)
				}
				if got := spoken(store); got != "hello|later|later" {
					t.Errorf("stored %s", got)
				}
			})
		})
	}
}

// A body that hears many answers by itself gives back their room.
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
		rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), MailboxSize: 4})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "go")
		for i := range many {
			if err := sub.Send(t.Context(), session.Message{Content: quoted(fmt.Sprint(i)), Wait: true}); err != nil {
				t.Fatal(err)
			}
		}
		if d := c.until(payload.ReplyStr); text(t, d) != "all" {
			t.Errorf("heard %s", d.Frame.Message)
		}
	})
}

// A load that fails leaves the session its alarm.
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
		down.Store(true)
		if _, err := rt.Open(t.Context(), session.OpenRequest{ID: "S"}, newClient(t)); err == nil {
			t.Fatal("opened")
		}
		pass(3605) // it is due meanwhile, too
		down.Store(false)
		pass(100)
		if record, _, _ := store.Session("S"); record.State != "remind" {
			t.Errorf("in %s", record.State)
		}
	})
}

// unforgiving takes no failures while on is set.
type unforgiving struct {
	*agenttest.Store
	on atomic.Bool
}

func (u *unforgiving) CommitTurn(ctx context.Context, r session.TurnRecord) (session.Written, error) {
	if u.on.Load() && r.Failed() {
		return session.Written{}, fault.New(fault.Unavailable, "not now")
	}
	return u.Store.CommitTurn(ctx, r)
}

// A turn that has run again, and was stored, owes nothing.
func TestOwedUntilItRunsAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		memory, down := failing(agenttest.Commit, fault.Unavailable)
		store := &unforgiving{Store: memory}
		store.on.Store(true)
		rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
		sub, c, _ := open(t, rt, "S")
		synctest.Wait()
		down.Store(true)
		send(t, sub, "1", "hi")
		pass(2)
		c.all()
		down.Store(false)
		send(t, sub, "1", "hi")
		synctest.Wait()
		if got := c.all(); got != "hi|done" {
			t.Errorf("sent again: heard %s", got)
		}
		store.on.Store(false)
		pass(100)
		if got := c.all(); got != "" || spoken(memory) != "hello|hi|hi" {
			t.Errorf("heard %s, stored %s", got, spoken(memory))
		}
	})
}
