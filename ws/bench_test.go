package ws_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/ws"
)

// echoAgent repeats messages.
func echoAgent() *agent.Agent {
	a := agent.New("echo")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	greet.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, s.Message()) })
	answer.OnMessage().GoTo(answer)
	return a
}

// nowhere is a store that keeps only counters, so that benchmarks measure the
// code around it.
type nowhere struct {
	journal.Store
	seq, turn atomic.Int64
}

func (n *nowhere) OpenSession(_ context.Context, r journal.SessionRecord) (journal.SessionRecord, bool, error) {
	r.RowID = 1
	return r, true, nil
}

func (n *nowhere) Receive(_ context.Context, in journal.Incoming) (journal.Receipt, error) {
	turn := n.turn.Add(1)
	in.Event.ID, in.Event.Turn = turn, turn
	in.Event.Message = agent.ChatMessage{Seq: n.seq.Add(1), Turn: turn, Type: in.Type, Content: in.Content, IsUser: true}
	return journal.Receipt{Event: in.Event}, nil
}

func (n *nowhere) CommitTurn(_ context.Context, t journal.TurnRecord) (journal.Written, error) {
	for _, e := range t.Entries {
		if seq := n.seq.Add(1); e.Message != nil {
			e.Message.Seq = seq
		} else {
			e.Step.Seq = seq
		}
	}
	return journal.Written{Entries: t.Entries}, nil
}

func (n *nowhere) Steps(context.Context, int64, journal.MessageQuery) ([]chat.Reasoning, error) {
	return nil, nil
}

func (n *nowhere) Alarms(context.Context, string, time.Time, int) ([]journal.Alarm, error) {
	return nil, nil
}

func (n *nowhere) Messages(context.Context, int64, journal.MessageQuery) ([]agent.ChatMessage, error) {
	return nil, nil
}

func (n *nowhere) ResetSession(context.Context, int64, int64) (int64, error) { return 0, nil }

// processor returns the CPU time of this process in nanoseconds.
func processor(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// serveBench serves conversations with an agent, without limits and without a
// database.
func serveBench(b *testing.B, a *agent.Agent) string {
	b.Helper()
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: &nowhere{}})
	if err != nil {
		b.Fatal(err)
	}
	server, err := ws.NewServer(ws.Config{Runtime: rt, Rate: 1e9, Burst: 1 << 30, MaxConnections: 20_000})
	if err != nil {
		b.Fatal(err)
	}
	ours := httptest.NewServer(server)
	b.Cleanup(func() {
		if err := server.Shutdown(context.Background()); err != nil {
			b.Error(err)
		}
		ours.Close()
	})
	return ours.Listener.Addr().String()
}

// BenchmarkEcho compares the processor time of this process with a bare handler.
// A client in another process sends frames of 1 KB over 16 connections. The bare
// handler uses the same library and returns each frame. The variant layer
// measures this package without an agent: reading, limits, rates, decoding,
// queueing, encoding, and writing. The variant turn includes the agent, without a
// database.
func BenchmarkEcho(b *testing.B) {
	upgrader := websocket.Upgrader{}
	raw := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer c.Close()
		for {
			kind, data, err := c.ReadMessage()
			if err != nil || c.WriteMessage(kind, data) != nil {
				return
			}
		}
	}))
	b.Cleanup(raw.Close)
	layer := httptest.NewServer(ws.Echo())
	b.Cleanup(layer.Close)
	const connections, frames = 16, 500
	clients := []*benchClient{
		newBenchClient(b, raw.Listener.Addr().String(), connections),
		newBenchClient(b, layer.Listener.Addr().String(), connections),
		newBenchClient(b, serveBench(b, echoAgent()), connections),
	}
	var used [3]float64
	rounds := 0
	for b.Loop() { // interleaved, so that all have the same conditions
		rounds++
		for i, c := range clients {
			begin := processor(b)
			c.do(b, frames)
			used[i] += processor(b) - begin
		}
	}
	each := float64(rounds*connections*frames) * 1e3
	b.ReportMetric(used[0]/each, "us-raw")
	b.ReportMetric(used[1]/each, "us-layer")
	b.ReportMetric(used[2]/each, "us-turn")
	b.ReportMetric(used[1]/used[0], "x-raw-layer")
	b.ReportMetric(used[2]/used[0], "x-raw-turn")
	b.ReportMetric(0, "ns/op")
}

// memory returns the memory of the process after two collections, in bytes: live
// objects and stacks, and the system's count.
func memory(b *testing.B) (live, resident float64) {
	b.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse), residentMemory(b)
}

// BenchmarkIdle measures the memory of this process for an idle connection,
// including the session. It measures after the greeting, and after one answered
// message. The clients are in another process. Kernel memory does not count.
func BenchmarkIdle(b *testing.B) {
	const connections = 9000
	for b.Loop() {
		at := serveBench(b, echoAgent())
		newBenchClient(b, at, 50).do(b, 20) // warms up
		<-time.After(3 * time.Second)
		live, resident := memory(b)
		client := newBenchClient(b, at, connections)
		report := func(when string) {
			<-time.After(4 * time.Second) // until the readers are idle
			l, r := memory(b)
			b.ReportMetric((l-live)/connections, "B-live-"+when)
			b.ReportMetric((r-resident)/connections, "B-resident-"+when)
		}
		report("connected")
		client.do(b, 1)
		report("used")
	}
	b.ReportMetric(0, "ns/op")
}
