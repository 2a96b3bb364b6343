package session_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/payload"
)

// ear is a client that counts the ends of turns and keeps the last reply.
type ear struct {
	mu   sync.Mutex
	said string
	ends chan struct{}
}

func newEar() *ear { return &ear{ends: make(chan struct{}, 10)} }

func (e *ear) Opened(session.Opened) {}

func (e *ear) Deliver(d session.Delivery) {
	switch d.Frame.Action {
	case payload.ReplyStr:
		e.mu.Lock()
		e.said = string(d.Frame.Message)
		e.mu.Unlock()
	case payload.TurnFinishedAction:
		e.ends <- struct{}{}
	}
}

// quiesced waits until no session is in memory and the number of goroutines is back to before. It
// returns the number of goroutines after patience at the latest.
func quiesced(rt *session.Runtime, before int) int {
	deadline := time.Now().Add(patience)
	for (runtime.NumGoroutine() > before || rt.Sessions() > 0) && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	return runtime.NumGoroutine()
}

func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Sessions that were used and left need no goroutines and no memory, even if they wait for a time.
// They come back unchanged. The test runs alone because it measures the program.
//
// BAF W4
func TestIdleSessionsCostNothing(t *testing.T) { //nolint:paralleltest // see above
	sessions := 10_000
	if testing.Short() {
		sessions = 1000
	}
	for _, timed := range []bool{false, true} { //nolint:paralleltest // see above
		t.Run(fmt.Sprint("timed ", timed), func(t *testing.T) {
			a := agent.New("idle")
			one := a.State("one", agent.Initial)
			one.Body(func(ctx context.Context, s *agent.Session) error {
				if s.Event().ID == 0 {
					return nil
				}
				n := agent.Get(s, "n", 0) + 1
				if err := s.Set("n", n); err != nil {
					return err
				}
				return s.Reply(ctx, fmt.Sprint(n, " ", s.Message()))
			})
			one.OnMessage().GoTo(one)
			if timed {
				one.After(24 * time.Hour).GoTo(one)
			}
			store := agenttest.NewStore()
			rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: store})
			if err != nil {
				t.Fatal(err)
			}
			if err := rt.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			visit := func(i int, want string) {
				e := newEar()
				sub, err := rt.Open(t.Context(), session.OpenRequest{ID: fmt.Sprint("session ", i)}, e)
				if err != nil {
					t.Fatal(err)
				}
				send(t, sub, "", "hi")
				<-e.ends
				sub.Close()
				if e.said != want {
					t.Fatalf("session %d said %s, want %s", i, e.said, want)
				}
			}
			goroutines := runtime.NumGoroutine()
			for _, want := range []string{`"1 hi"`, `"2 hi"`} { // the second time they come back
				for i := range sessions {
					visit(i, want)
				}
				if n := quiesced(rt, goroutines); n > goroutines || rt.Sessions() != 0 {
					t.Errorf("%d goroutines, %d before; %d sessions", n, goroutines, rt.Sessions())
				}
			}
			with := heap()
			stop(t, rt)
			rt = nil // the rest belongs to the store
			own := float64(with-heap()) / float64(sessions)
			t.Logf("%.0f bytes per idle session", own)
			if own > 1024 {
				t.Errorf("%.0f bytes per idle session", own)
			}
			runtime.KeepAlive(store)
		})
	}
}

// deaf is a client that ignores all frames.
type deaf struct{}

func (deaf) Opened(session.Opened)    {}
func (deaf) Deliver(session.Delivery) {}

// oneSession is a store in which each session exists and is idle.
type oneSession struct{ journal.Store }

func (oneSession) OpenSession(_ context.Context, r journal.SessionRecord) (journal.SessionRecord, bool, error) {
	r.RowID, r.State = 1, "answer"
	return r, false, nil
}

// Sessions with idle clients need little memory. The test runs alone because it measures the
// program.
func TestIdleClientsCostLittle(t *testing.T) { //nolint:paralleltest // see above
	const sessions = 5000
	rt := start(t, session.RuntimeConfig{Agent: echo(nil), Store: oneSession{}})
	before := heap()
	subs := make([]*session.Subscription, sessions)
	for i := range subs {
		var err error
		if subs[i], err = rt.Open(t.Context(), session.OpenRequest{ID: fmt.Sprintf("%036d", i)}, deaf{}); err != nil {
			t.Fatal(err)
		}
	}
	own := (heap() - before) / sessions
	t.Logf("%d bytes per session with an idle client", own)
	if own > 3000 {
		t.Errorf("%d bytes per session with an idle client", own)
	}
	for _, s := range subs {
		s.Close()
	}
}
