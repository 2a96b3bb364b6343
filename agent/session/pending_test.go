package session_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
)

// A client resets again while a reset is pending.
func TestResetWhilePending(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, down := failing(agenttest.Reset, fault.Unavailable)
		rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: store})
		sub, c, _ := open(t, rt, "S")
		synctest.Wait()
		down.Store(true)
		if err := sub.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		down.Store(false)
		if err := sub.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		pass(1)
		err := sub.Send(t.Context(), session.Message{ID: "3", Content: quoted("hi"), Human: true})
		pass(60)
		if err != nil || spoken(store) != "hello|hi|hi" {
			t.Errorf("sent: %v; heard %s; stored %s", err, allOf(t, c), spoken(store))
		}
	})
}

// A pending reset runs before the shutdown. The turns that it dropped never run.
func TestPendingResetAtShutdown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, down := failing(agenttest.Reset, fault.Unavailable)
		var ran []string
		build := func() *agent.Agent {
			return echo(func(ctx context.Context, s *agent.Session) error {
				ran = append(ran, s.Message())
				if s.Message() == "slow" {
					<-ctx.Done()
				}
				return ctx.Err()
			})
		}
		rt := start(t, session.RuntimeConfig{Agent: build(), Store: store})
		sub, _, _ := open(t, rt, "S")
		synctest.Wait()
		down.Store(true)
		send(t, sub, "1", "slow")
		send(t, sub, "2", "dropped")
		synctest.Wait()
		if err := sub.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		down.Store(false)
		stop(t, rt)
		rt = start(t, session.RuntimeConfig{Agent: build(), Store: store})
		_, c, _ := open(t, rt, "S")
		pass(400)
		if fmt.Sprint(ran) != "[slow]" {
			t.Errorf("ran %v, heard %s, stored %s", ran, allOf(t, c), spoken(store))
		}
	})
}

// A timed move that cannot be committed is retried at growing intervals.
func TestTimedMoveWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, down := failing(agenttest.Commit, fault.Unavailable)
		ran := 0
		a := agent.New("timed")
		wait, done := a.State("wait", agent.Initial), a.State("done")
		wait.After(time.Minute).GoTo(done)
		done.Body(func(_ context.Context, s *agent.Session) error {
			ran++
			return nil
		})
		done.OnMessage().GoTo(wait)
		rt := start(t, session.RuntimeConfig{Agent: a, Store: store, Now: realTime})
		sub, c, _ := open(t, rt, "S")
		go func() {
			for range c.Heard {
			}
		}()
		t.Cleanup(func() {
			sub.Close()
			synctest.Wait()
			close(c.Heard)
		})
		synctest.Wait()
		down.Store(true)
		pass(60 + 1800)
		if ran > 40 {
			t.Errorf("the body ran %d times in half an hour", ran)
		}
		down.Store(false)
		pass(120)
		if r, _, _ := store.Stored("S"); r.State != "done" {
			t.Errorf("the store answers, and the session is in %q", r.State)
		}
	})
}

// A turn without a reply is done if the store wrote it but returned an error.
func TestSilentTurnInDoubt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &unanswered{Store: agenttest.NewStore()}
		ran := 0
		a := agent.New("a")
		idle, next := a.State("idle", agent.Initial), a.State("next")
		idle.OnMessage().GoTo(next)
		next.OnMessage().GoTo(idle)
		body := func(_ context.Context, s *agent.Session) error {
			if s.Begins() {
				return nil
			}
			ran++
			return s.Set("n", agent.Get(s, "n", 0)+1)
		}
		next.Body(body)
		idle.Body(body)
		rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
		sub, c, _ := open(t, rt, "S")
		synctest.Wait()
		store.on.Store(true)
		send(t, sub, "1", "hi")
		pass(5)
		store.on.Store(false)
		pass(60)
		record, _, _ := store.Stored("S")
		if record.State != "next" {
			t.Errorf("after the first: %s, heard %s", record.State, allOf(t, c))
		}
		send(t, sub, "2", "again")
		synctest.Wait()
		record, _, _ = store.Stored("S")
		if record.State != "idle" || string(record.Variables["n"]) != "2" {
			t.Errorf("state %s n=%s, ran %d", record.State, record.Variables["n"], ran)
		}
	})
}

// A timed move that the store refused once happens when the store accepts it.
func TestTimedMoveRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, down := failing(agenttest.Commit, fault.Internal)
		ran := 0
		a := agent.New("echo")
		w, d := a.State("wait", agent.Initial), a.State("done")
		w.After(time.Minute).GoTo(d)
		d.Body(func(context.Context, *agent.Session) error { ran++; return nil })
		d.OnMessage().GoTo(w)
		rt := start(t, session.RuntimeConfig{Agent: a, Store: store, Now: realTime})
		_, c, _ := open(t, rt, "S")
		synctest.Wait()
		down.Store(true)
		pass(600)
		down.Store(false)
		pass(600)
		r, _, _ := store.Stored("S")
		if r.State != "done" {
			t.Errorf("ran %d times, in %q, heard %s", ran, r.State, allOf(t, c))
		}
	})
}

// A body and a client reset the session at the same time.
func TestResetsAtOnce(t *testing.T) {
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			store := agenttest.NewStore()
			rt := start(t, session.RuntimeConfig{Agent: echo(func(ctx context.Context, s *agent.Session) error {
				if s.Message() == "reset" {
					return s.Reset(ctx)
				}
				return nil
			}), Store: store})
			sub, c, _ := open(t, rt, "S")
			go func() {
				for range c.Heard {
				}
			}()
			t.Cleanup(func() { close(c.Heard) })
			for range 60 {
				send(t, sub, "", "reset")
				if err := sub.Reset(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := sub.Send(ctx, session.Message{Content: quoted("x"), Human: true, Wait: true}); err != nil {
				t.Errorf("stuck: %v", err)
			}
			sub.Close()
			stop(t, rt)
		})
	}
}

// The store fails from time to time while several clients send, reset, and stop. In the end the
// session answers, and nothing waits.
func TestFlakyStore(t *testing.T) {
	for seed := range 10 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var down atomic.Bool
				store := agenttest.NewStore()
				store.SetBefore(func(_ context.Context, op agenttest.Operation) error {
					if down.Load() && (op == agenttest.Commit || op == agenttest.Reset) {
						return fault.New(fault.Unavailable, "test_sentence", "down")
					}
					return nil
				})
				rt := start(t, session.RuntimeConfig{Agent: echo(func(ctx context.Context, s *agent.Session) error {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(300 * time.Millisecond):
						return nil
					}
				}), Store: store})
				join := func() *session.Subscription {
					s, c, _ := open(t, rt, "S")
					go func() {
						for range c.Heard {
						}
					}()
					t.Cleanup(func() {
						s.Close()
						synctest.Wait()
						close(c.Heard)
					})
					return s
				}
				subs := []*session.Subscription{join(), join(), join()}
				back := func(i uint32, err error) { // a client comes back after its session left memory
					if fault.KindOf(err) == fault.Unavailable {
						subs[i].Close()
						subs[i] = join()
					}
				}
				r := uint32(seed*7919 + 13)
				rnd := func(n uint32) uint32 {
					r = r*1664525 + 1013904223
					return (r >> 16) % n
				}
				for i := range 120 {
					n := rnd(3)
					s := subs[n]
					switch rnd(12) {
					case 0:
						ctx, cancel := context.WithTimeout(t.Context(), time.Second)
						back(n, s.Reset(ctx))
						cancel()
					case 1:
						_ = s.Stop(t.Context(), 0)
					case 2:
						down.Store(true)
					case 3, 4:
						down.Store(false)
					case 5:
						pass(int(rnd(5)))
					case 6:
						back(n, s.Send(t.Context(), session.Message{ID: fmt.Sprint(rnd(uint32(i + 1))), Content: quoted("again"), Human: true}))
					default:
						back(n, s.Send(t.Context(), session.Message{ID: fmt.Sprint(i), Content: quoted("m"), Human: true}))
						<-time.After(time.Duration(rnd(400)) * time.Millisecond)
					}
				}
				down.Store(false)
				pass(300)
				var err error
				for range 2 {
					if err = subs[0].Send(t.Context(), session.Message{ID: "last", Content: quoted("last"), Human: true}); err == nil {
						break
					}
					back(0, err)
					pass(100)
				}
				pass(60)
				if err != nil || len(store.Pending("S")) > 0 {
					t.Errorf("last: %v; %d pending", err, len(store.Pending("S")))
				}
			})
		})
	}
}
