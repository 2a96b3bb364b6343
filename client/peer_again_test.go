package client_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session/journal"
	"docent/internal/sqlitetest"
	"docent/payload"
	"docent/store/sqlite"
)

// road is a connection to a house that can be cut.
type road struct {
	address string
	to      string
	wait    sync.WaitGroup

	mu     sync.Mutex // guards what follows
	closed bool
	conns  []net.Conn
}

func build(t *testing.T, to string) *road {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &road{address: listener.Addr().String(), to: to}
	r.wait.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			r.lead(conn)
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		r.set(true)
		r.wait.Wait()
	})
	return r
}

// lead puts a connection through.
func (r *road) lead(conn net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	there, err := net.Dial("tcp", r.to)
	if r.closed || err != nil {
		_ = conn.Close()
		if err == nil {
			_ = there.Close()
		}
		return
	}
	r.conns = append(r.conns, conn, there)
	for _, pair := range [][2]net.Conn{{conn, there}, {there, conn}} {
		r.wait.Go(func() {
			_, _ = io.Copy(pair[0], pair[1])
			_ = pair[0].Close()
		})
	}
}

// set closes the road, with all that is on it, or opens it.
func (r *road) set(closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = closed
	for _, conn := range r.conns {
		_ = conn.Close()
	}
	r.conns = nil
}

// An answer that is sent while the connection is broken is sent again.
func TestAnswerWhileAway(t *testing.T) {
	t.Parallel()
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testAnswerWhileAway(t, store)
		})
	}
}

// stores returns the stores for the conversations of b.
func stores(t *testing.T) map[string]journal.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return map[string]journal.Store{"memory": agenttest.NewStore(), "sqlite": db}
}

func testAnswerWhileAway(t *testing.T, store journal.Store) {
	began, hold := make(chan string, 10), make(chan struct{})
	b := open(t, talker("b", func(ctx context.Context, s *agent.Session) error {
		began <- s.ID()
		if s.Message() == "slow" {
			select {
			case <-hold:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return s.Reply(ctx, "answer to "+s.Message())
	}), store, "")
	r := build(t, b.address())
	a := open(t, asker(func() string { return "ws://" + r.address }), agenttest.NewStore(), "")
	v := a.visit("")
	v.hears("asker greets")
	v.say("one")
	v.hears(`"": b greets`)
	v.hears(`"one": answer to one`)
	v.say("slow")
	<-began
	witness := b.visit(<-began)
	if err := witness.conn.Send(t.Context(), payload.Frame{Action: payload.FetchUserMessages}); err != nil {
		t.Fatal(err)
	}
	for string(witness.heard.next(t).Message) != `"slow"` { // then it has joined
	}
	r.set(true)
	close(hold)
	witness.hears("answer to slow") // it is stored, and the asker is away
	r.set(false)
	v.hears(`"slow": answer to slow`)
	v.say("three")
	v.hears(`"three": answer to three`)
	witness.hears("answer to three") // and did not hear the one before twice
	if n := len(began); n != 1 {
		t.Errorf("b ran %d turns after the slow one, want 1", n)
	}
}

// A request may be repeated over the connection that received its answer, as
// when both cross. It is not answered again there, but over another connection
// it is.
func TestAnswerCrossesRequest(t *testing.T) {
	t.Parallel()
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, talker("b", func(ctx context.Context, s *agent.Session) error {
				return s.Reply(ctx, "answer to "+s.Message())
			}), store, "")
			ask := func(v *visitor, text string) {
				if err := v.conn.Send(t.Context(), payload.Frame{Action: payload.ReplyStr, Message: []byte(`"` + text + `"`), Correlation: "id of " + text}); err != nil {
					t.Fatal(err)
				}
			}
			v := b.visit("S")
			v.hears("b greets")
			ask(v, "one")
			v.hears("answer to one")
			ask(v, "one")
			ask(v, "two")
			v.hears("answer to two")
			w := b.visit("S")
			ask(w, "one")
			w.hears("answer to one")
		})
	}
}

// An agent that must ask another agent first answers the original request, in
// any turn.
func TestDelegation(t *testing.T) {
	t.Parallel()
	var c *house
	pass := talker("b", func(ctx context.Context, s *agent.Session) error {
		if e := s.Event(); e.From != "" {
			if e.Correlation == "" {
				return nil // the greeting
			}
			return s.Reply(ctx, "c says "+e.Text)
		}
		_, err := s.SendToPeer(ctx, c.url, s.Message())
		return err
	})
	c = open(t, talker("c", func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, s.Message()+" is 42")
	}), agenttest.NewStore(), "")
	b := open(t, pass, agenttest.NewStore(), "")
	a := open(t, asker(func() string { return b.url }), agenttest.NewStore(), "")
	v := a.visit("")
	v.hears("asker greets")
	v.say("x")
	v.hears(`"": b greets`)
	v.hears(`"x": c says x is 42`)
}
