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

	"docent/agent/peer"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// body returns an agent that runs a body for each message.
func body(t *testing.T, b agent.Body) *agent.Agent {
	t.Helper()
	a := agent.New("body")
	idle, run := a.State("idle", agent.Initial), a.State("run")
	idle.OnMessage().GoTo(run)
	run.OnMessage().GoTo(run)
	run.Body(b)
	return a
}

// The queue for a peer that does not read is bounded. More messages are refused. The messages of a
// stopped body are not sent.
func TestPeerQueueFull(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		done := make(chan error, 1)
		rt := start(t, session.RuntimeConfig{
			Store: agenttest.NewStore(), Dialer: board,
			Agent: body(t, func(ctx context.Context, s *agent.Session) error {
				if err := s.CreateAgentConnection(ctx, peerURL); err != nil {
					return err
				}
				ctx, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				errs := make(chan error)
				for i := range peer.MaxPeerQueue + 2 { // one of them is being written
					go func() {
						_, err := s.SendToPeer(ctx, peerURL, i)
						errs <- err
					}()
					synctest.Wait()
					<-time.After(time.Second)
				}
				err := <-errs
				for range peer.MaxPeerQueue {
					if late := <-errs; !errors.Is(late, context.DeadlineExceeded) {
						err = errors.Join(err, late)
					}
				}
				go func() { <-errs }() // the one that is being written
				done <- err
				return nil
			}),
		})
		sub, _, _ := open(t, rt, "S")
		send(t, sub, "", "go")
		peer := board.next(t)
		if err := <-done; fault.KindOf(err) != fault.Busy {
			t.Errorf("got %v", err)
		}
		if f := peer.next(t); string(f.Message) != "0" {
			t.Errorf("sent %s", f.Message)
		}
		select {
		case f := <-peer.said:
			t.Errorf("sent %s after its body had given up", f.Message)
		case <-time.After(time.Minute):
		}
	})
}

// A message that its body gave up during a write is not written to the next connection.
func TestPeerAbandoned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		gaveUp := make(chan error, 1)
		rt := start(t, session.RuntimeConfig{
			Store: agenttest.NewStore(), Dialer: board,
			Agent: body(t, func(ctx context.Context, s *agent.Session) error {
				if s.Message() == "again" {
					_, err := s.SendToPeer(ctx, peerURL, "second")
					return err
				}
				ctx, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				_, err := s.SendToPeer(ctx, peerURL, "first")
				gaveUp <- err
				return nil
			}),
		})
		sub, _, _ := open(t, rt, "S")
		send(t, sub, "", "go")
		peer := board.next(t)
		<-time.After(2 * time.Minute)
		_ = peer.Close()
		if err := <-gaveUp; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		send(t, sub, "", "again")
		if f := board.next(t).next(t); string(f.Message) != `"second"` {
			t.Errorf("sent %s", f.Message)
		}
	})
}

// The peers of a session and of a runtime are bounded.
func TestPeerCaps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		var busy sync.Map
		rt := start(t, session.RuntimeConfig{
			Store: agenttest.NewStore(), Dialer: board,
			Agent: body(t, func(ctx context.Context, s *agent.Session) error {
				for i := range peer.MaxSessionPeers + 1 {
					err := s.CreateAgentConnection(ctx, fmt.Sprintf("ws://peer%d.example", i))
					if err != nil && fault.KindOf(err) != fault.Busy {
						return err
					}
					if err != nil {
						busy.Store(fmt.Sprint(s.ID(), i), true)
					}
				}
				return s.Reply(ctx, "done")
			}),
		}.With(session.Limits{Peers: peer.MaxSessionPeers + 1}))
		for _, id := range []string{"A", "B"} {
			sub, c, _ := open(t, rt, id)
			send(t, sub, "", "go")
			if got := told(t, c); got != "done" {
				t.Errorf("told %q", got)
			}
		}
		for i := range peer.MaxSessionPeers + 1 {
			_, a := busy.Load(fmt.Sprint("A", i))
			_, b := busy.Load(fmt.Sprint("B", i))
			if a != (i == peer.MaxSessionPeers) || b != (i > 0) {
				t.Errorf("peer %d: A busy %v, B busy %v", i, a, b)
			}
		}
	})
}

// Two agents that answer each other stop, even if one of them does not count hops.
func TestPeerHops(t *testing.T) {
	for name, counts := range map[string]bool{"docent": true, "BAF": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				board := newSwitchboard()
				rt := start(t, session.RuntimeConfig{
					Store: agenttest.NewStore(), Dialer: board,
					Agent: body(t, func(ctx context.Context, s *agent.Session) error {
						_, err := s.SendToPeer(ctx, peerURL, "ping")
						return err
					}),
				}.With(session.Limits{Hops: 9}))
				sub, c, _ := open(t, rt, "S")
				send(t, sub, "", "go")
				peer := board.next(t)
				for i := range 5 {
					f := peer.next(t)
					if f.Hops != 2*i+1 {
						t.Errorf("ping %d has %d hops", i, f.Hops)
					}
					if counts {
						peer.answer(f, "pong")
					} else {
						peer.say("pong")
					}
				}
				if got := told(t, c); !strings.Contains(got, "answered each other 9 times") {
					t.Errorf("told %q", got)
				}
				send(t, sub, "", "go") // the user may begin again
				if f := peer.next(t); f.Hops != 1 {
					t.Errorf("%d hops", f.Hops)
				}
			})
		})
	}
}

// Messages of a peer that never stops are received in order and at a limited rate.
func TestPeerStorm(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 200
		board := newSwitchboard()
		rt := start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board, QueueSize: 4})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		peer := board.next(t)
		f := peer.next(t)
		begin := time.Now()
		for i := range n {
			peer.answer(f, fmt.Sprint(i))
		}
		for i := range n {
			wantTold(t, c, fmt.Sprintf("1 %d (@, 2 hops)", i))
		}
		if took := time.Since(begin); took < 6*time.Second {
			t.Errorf("heard %d messages in %v", n, took)
		}
	})
}

// Connections end with a reset, with the deletion of the session, and with the runtime. After a
// reset, the session opens a new one at the peer.
func TestPeerEnds(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, rt *session.Runtime, sub *session.Subscription, store *agenttest.Store){
		"reset": func(t *testing.T, _ *session.Runtime, sub *session.Subscription, _ *agenttest.Store) {
			if err := sub.Reset(t.Context()); err != nil {
				t.Error(err)
			}
		},
		"reset in a body": func(t *testing.T, _ *session.Runtime, sub *session.Subscription, _ *agenttest.Store) {
			send(t, sub, "", "reset")
		},
		"deletion": func(t *testing.T, rt *session.Runtime, _ *session.Subscription, store *agenttest.Store) {
			if err := rt.Directory(deleter{store: store}).DeleteSession(t.Context(), journal.SessionKey{Agent: "asker", ID: "S"}); err != nil {
				t.Error(err)
			}
		},
		"shutdown": func(t *testing.T, rt *session.Runtime, _ *session.Subscription, _ *agenttest.Store) { stop(t, rt) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				board, store := newSwitchboard(), agenttest.NewStore()
				rt := start(t, session.RuntimeConfig{Agent: asker(), Store: store, Dialer: board})
				sub, c, _ := open(t, rt, "S")
				send(t, sub, "", "one")
				peer := board.next(t)
				peer.next(t)
				begin := time.Now()
				end(t, rt, sub, store)
				peer.closed(t)
				if took := time.Since(begin); took > time.Second {
					t.Errorf("it took %v", took)
				}
				if !strings.HasPrefix(name, "reset") {
					return
				}
				peer.say("late") // not received
				send(t, sub, "", "two")
				again := board.next(t)
				if again.SessionID == peer.SessionID {
					t.Error("the session at the peer is the one before the reset")
				}
				again.answer(again.next(t), "fresh")
				wantTold(t, c, "1 fresh (@, 2 hops)")
			})
		})
	}
}

// A shutdown does not wait for a peer that does not connect or does not read.
func TestPeerShutdownWhileWaiting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		board := newSwitchboard()
		board.refuse = func(int) error { return fault.New(fault.Unavailable, "test_sentence", "down") }
		rt := start(t, session.RuntimeConfig{Agent: asker(), Store: agenttest.NewStore(), Dialer: board})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		synctest.Wait() // between two attempts
		begin := time.Now()
		stop(t, rt)
		if took := time.Since(begin); took > 0 {
			t.Errorf("it took %v", took)
		}
		if got := told(t, c); !strings.Contains(got, "shutting down") {
			t.Errorf("told %q", got)
		}
	})
}

// Secrets in a URL appear in no log, frame, variable, or event.
func TestPeerSecrets(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const url = "ws://ada:hunter2@peer.example/agent?token=hunter2#hunter2"
		var log bytes.Buffer
		board, store := newSwitchboard(), agenttest.NewStore()
		board.refuse = func(call int) error {
			if call > 1 {
				return fault.New(fault.Forbidden, "test_sentence", "no")
			}
			return nil
		}
		rt := start(t, session.RuntimeConfig{
			Store: store, Dialer: board, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Agent: body(t, func(ctx context.Context, s *agent.Session) error {
				if !s.Event().Human {
					return s.Reply(ctx, s.Event().From)
				}
				_, err := s.SendToPeer(ctx, url, "hello")
				return err
			}),
		})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "one")
		peer := board.next(t)
		f := peer.next(t)
		peer.say("hi")
		if got := told(t, c); got != "ws://peer.example/agent" {
			t.Errorf("from %q", got)
		}
		send(t, sub, "", "two")
		peer.next(t)
		_ = peer.Close()
		<-time.After(time.Second)
		send(t, sub, "", "three")
		if got := told(t, c); strings.Contains(got, "hunter2") {
			t.Errorf("told %q", got)
		}
		record, _, _ := store.Stored("S")
		frame := string(f.AppendBAF(nil))
		if all := log.String() + fmt.Sprint(record) + frame; strings.Contains(all, "hunter2") {
			t.Errorf("a secret is in\n%s", all)
		}
		if !strings.Contains(log.String(), "ws://peer.example/agent") {
			t.Errorf("the log does not name the peer:\n%s", log.String())
		}
	})
}

// An invalid URL of a peer is refused at once.
func TestPeerInvalid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []error
		run := body(t, func(ctx context.Context, s *agent.Session) error {
			for _, url := range []string{"", "peer.example", "http://peer.example", "ws://", "ws://:8765", "ws://%zz", "wss:peer", "file:///etc/passwd"} {
				_, err := s.SendToPeer(ctx, url, "hello")
				got = append(got, err, s.CreateAgentConnection(ctx, url))
			}
			_, err := s.SendToPeer(ctx, peerURL, strings.Repeat("x", agent.MaxPeerMessageBytes))
			got = append(got, err)
			return s.Reply(ctx, "done")
		})
		rt := start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Dialer: newSwitchboard(), Agent: run})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "", "go")
		told(t, c)
		for i, err := range got {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("call %d: %v", i, err)
			}
		}
		rt = start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Agent: asker()})
		sub, c, _ = open(t, rt, "S")
		send(t, sub, "", "go")
		if got := told(t, c); !strings.Contains(got, "cannot reach other agents") {
			t.Errorf("without a dialer: %q", got)
		}
	})
}
