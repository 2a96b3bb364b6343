package session_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/payload"
)

// nowhere is a store that keeps nothing. Benchmarks with it measure the runtime alone.
type nowhere struct {
	journal.Store
	seq, turn, events int64
}

func (n *nowhere) OpenSession(_ context.Context, r journal.SessionRecord) (journal.SessionRecord, bool, error) {
	r.RowID, r.State = 1, "even"
	return r, false, nil
}

func (n *nowhere) Receive(_ context.Context, in journal.Incoming) (journal.Receipt, error) {
	n.seq++
	n.turn++
	n.events++
	r := in.Event
	r.ID, r.Turn = n.events, n.turn
	r.Message = agent.ChatMessage{ID: n.seq, Seq: n.seq, Turn: n.turn, Type: in.Type, Content: in.Content, IsUser: true}
	return journal.Receipt{Event: r}, nil
}

func (n *nowhere) CommitTurn(_ context.Context, t journal.TurnRecord) (journal.Written, error) {
	for _, e := range t.Entries {
		n.seq++
		if e.Message != nil {
			e.Message.Seq = n.seq
		} else {
			e.Step.Seq = n.seq
		}
	}
	return journal.Written{Entries: t.Entries}, nil
}

func (n *nowhere) Messages(context.Context, int64, journal.MessageQuery) ([]agent.ChatMessage, error) {
	return nil, nil
}

func (n *nowhere) Steps(context.Context, int64, journal.MessageQuery) ([]chat.Reasoning, error) {
	return nil, nil
}

func (n *nowhere) Alarms(context.Context, string, time.Time, int) ([]journal.Alarm, error) {
	return nil, nil
}

func (n *nowhere) ResetSession(context.Context, int64, int64) (int64, error) { return 0, nil }

// turns is a client that counts the ends of turns.
type turns chan struct{}

func (turns) Opened(session.Opened) {}

func (t turns) Deliver(d session.Delivery) {
	if d.Frame.Action == payload.TurnFinishedAction {
		t <- struct{}{}
	}
}

// twoStates returns an agent that alternates between two states, past transitions that do not
// match.
func twoStates() *agent.Agent {
	a := agent.New("bench")
	even, odd := a.State("even", agent.Initial), a.State("odd")
	for _, s := range []*agent.State{even, odd} {
		s.OnEvent("never").GoTo(s)
		s.OnFile("pdf").GoTo(s)
		s.WhenVariable("x", agent.Greater, 3).GoTo(s)
		s.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "ok") })
	}
	even.OnMessage().GoTo(odd)
	odd.OnMessage().GoTo(even)
	return a
}

// BenchmarkTransitions measures a message, a move, and a reply without a store.
func BenchmarkTransitions(b *testing.B) {
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: twoStates(), Store: &nowhere{}})
	if err != nil {
		b.Fatal(err)
	}
	ends := make(turns, 100)
	sub, err := rt.Open(b.Context(), session.OpenRequest{ID: "S"}, ends)
	if err != nil {
		b.Fatal(err)
	}
	message := session.Message{Content: quoted("hello"), Human: true}
	b.ReportAllocs()
	for b.Loop() {
		if err := sub.Send(b.Context(), message); err != nil {
			b.Fatal(err)
		}
		<-ends
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
	sub.Close()
	_ = rt.Shutdown(context.WithoutCancel(b.Context()))
}

// BenchmarkMoves measures moves without an event, a hundred in each turn.
func BenchmarkMoves(b *testing.B) {
	a := agent.New("moves")
	one := a.State("one", agent.Initial)
	one.OnMessage().GoTo(one)
	one.WhenVariable("n", agent.Less, 99).GoTo(one)
	one.Body(func(_ context.Context, s *agent.Session) error { return s.Set("n", (agent.Get(s, "n", -1)+1)%100) })
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: &nowhere{}})
	if err != nil {
		b.Fatal(err)
	}
	ends := make(turns, 100)
	sub, err := rt.Open(b.Context(), session.OpenRequest{ID: "S"}, ends)
	if err != nil {
		b.Fatal(err)
	}
	message := session.Message{Content: quoted("hello"), Human: true}
	b.ReportAllocs()
	for b.Loop() {
		if err := sub.Send(b.Context(), message); err != nil {
			b.Fatal(err)
		}
		<-ends
	}
	b.ReportMetric(100*float64(b.N)/b.Elapsed().Seconds(), "moves/s")
	sub.Close()
	_ = rt.Shutdown(context.WithoutCancel(b.Context()))
}

// BenchmarkIdleSession measures the memory of an idle session: with a client, and after the client
// left, when only an alarm remains.
func BenchmarkIdleSession(b *testing.B) {
	const sessions = 2000
	for b.Loop() {
		rt, err := session.NewRuntime(session.RuntimeConfig{Agent: twoStates(), Store: &nowhere{}})
		if err != nil {
			b.Fatal(err)
		}
		subs := make([]*session.Subscription, sessions)
		before := heap()
		for i := range subs {
			ends := make(turns, 2)
			if subs[i], err = rt.Open(b.Context(), session.OpenRequest{ID: fmt.Sprint("session ", i)}, ends); err != nil {
				b.Fatal(err)
			}
			if err := subs[i].Send(b.Context(), session.Message{Content: quoted("x"), Human: true}); err != nil {
				b.Fatal(err)
			}
			<-ends
		}
		b.ReportMetric(float64(heap()-before)/sessions, "B/session")
		for _, sub := range subs {
			sub.Close()
		}
		clear(subs)
		for rt.Sessions() > 0 {
			runtime.Gosched()
		}
		b.ReportMetric(float64(heap()-before)/sessions, "B/left")
		b.ReportMetric(0, "ns/op")
		_ = rt.Shutdown(context.WithoutCancel(b.Context()))
		runtime.KeepAlive(rt)
	}
}
