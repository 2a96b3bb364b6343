package ws_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/ws"
)

// echoAgent repeats what it hears.
func echoAgent() *agent.Agent {
	a := agent.New("echo")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	greet.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, s.Message()) })
	answer.OnMessage().GoTo(answer)
	return a
}

// nowhere is a store that keeps only counters, so that a benchmark measures
// what is around it.
type nowhere struct{ seq, turn int64 }

func (n *nowhere) OpenSession(_ context.Context, r agent.SessionRecord) (agent.SessionRecord, bool, error) {
	r.RowID = 1
	return r, true, nil
}

func (n *nowhere) Receive(_ context.Context, in agent.Incoming) (agent.Receipt, error) {
	n.seq++
	n.turn++
	in.Event.ID, in.Event.Turn = n.turn, n.turn
	in.Event.Message = agent.ChatMessage{Seq: n.seq, Turn: n.turn, Type: in.Type, Content: in.Content, IsUser: true}
	return agent.Receipt{Event: in.Event}, nil
}

func (n *nowhere) CommitTurn(_ context.Context, t agent.TurnRecord) (agent.Written, error) {
	for _, e := range t.Entries {
		n.seq++
		if e.Message != nil {
			e.Message.Seq = n.seq
		} else {
			e.Step.Seq = n.seq
		}
	}
	return agent.Written{Entries: t.Entries}, nil
}

func (n *nowhere) Steps(context.Context, int64, agent.MessageQuery) ([]agent.ReasoningRecord, error) {
	return nil, nil
}

func (n *nowhere) Alarms(context.Context, string, time.Time, int) ([]agent.Alarm, error) {
	return nil, nil
}

func (n *nowhere) Messages(context.Context, int64, agent.MessageQuery) ([]agent.ChatMessage, error) {
	return nil, nil
}

func (n *nowhere) ResetSession(context.Context, int64) (int64, error) { return 0, nil }

// processor is the CPU time this process has used, in nanoseconds.
func processor(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

func dialBench(b *testing.B, url string) *websocket.Conn {
	b.Helper()
	c, resp, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		b.Fatal(err)
	}
	resp.Body.Close()
	b.Cleanup(func() { c.Close() })
	return c
}

// BenchmarkEcho is a turn of 1 KB through the whole platform but the database,
// against the same frames echoed by a bare handler of the same library, one
// after the other in one run. Both sides run in this process, so the ratio of
// CPU time counts the client twice and is lower than the server's alone.
func BenchmarkEcho(b *testing.B) {
	rt, err := agent.NewRuntime(agent.RuntimeConfig{Agent: echoAgent(), Store: &nowhere{}})
	if err != nil {
		b.Fatal(err)
	}
	server, err := ws.NewServer(ws.Config{Runtime: rt, Rate: 1e9, Burst: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	ours := httptest.NewServer(server)
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
	b.Cleanup(func() {
		if err := server.Shutdown(context.Background()); err != nil {
			b.Error(err)
		}
		ours.Close()
		raw.Close()
	})
	frame, err := json.Marshal(map[string]any{"action": "user_message", "message": strings.Repeat("twelve words ", 76)})
	if err != nil {
		b.Fatal(err)
	}
	clients := []*websocket.Conn{dialBench(b, "ws"+ours.URL[4:]), dialBench(b, "ws"+raw.URL[4:])}
	var used [2]float64
	const batch = 200
	b.ResetTimer()
	for n := 0; n < b.N; n += batch { // interleaved, so that both meet the same weather
		for i, c := range clients {
			begin := processor(b)
			for range batch {
				if err := c.WriteMessage(websocket.TextMessage, frame); err != nil {
					b.Fatal(err)
				}
				if _, _, err := c.ReadMessage(); err != nil {
					b.Fatal(err)
				}
			}
			used[i] += processor(b) - begin
		}
	}
	b.ReportMetric(used[0]/used[1], "x-raw-cpu")
	b.ReportMetric((used[0]-used[1])/float64(max(b.N, batch))/1e3, "us-more/turn")
}

// memory is what the process holds after a collection, in bytes.
func memory() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// BenchmarkIdle is the memory of an idle connection that has been greeted,
// session included. What the client's side and a bare accepted connection cost
// is measured first and taken off.
func BenchmarkIdle(b *testing.B) {
	const connections = 2000
	rt, err := agent.NewRuntime(agent.RuntimeConfig{Agent: greeting(), Store: agenttest.NewStore()})
	if err != nil {
		b.Fatal(err)
	}
	server, err := ws.NewServer(ws.Config{Runtime: rt})
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
	for b.Loop() {
		bare := held(b, connections)
		begin := memory()
		clients := make([]net.Conn, connections)
		for i := range clients {
			clients[i] = shake(b, ours.Listener.Addr().String())
		}
		b.ReportMetric((memory()-begin)/connections-bare, "B/conn")
		for _, c := range clients {
			c.Close()
		}
	}
}

func greeting() *agent.Agent {
	a := agent.New("greeting")
	a.State("greet", agent.Initial).Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "hello") })
	return a
}

// held is the memory of a TCP connection with both ends in this process.
func held(b *testing.B, n int) float64 {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	begin := memory()
	conns := make([]net.Conn, 0, 2*n)
	for range n {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		s, err := l.Accept()
		if err != nil {
			b.Fatal(err)
		}
		conns = append(conns, c, s)
	}
	used := (memory() - begin) / float64(n)
	for _, c := range conns {
		c.Close()
	}
	return used
}

// shake opens a WebSocket on a bare connection and waits for the greeting.
func shake(b *testing.B, addr string) net.Conn {
	b.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", addr)
	var got strings.Builder
	buf := make([]byte, 1024)
	for !strings.Contains(got.String(), "hello") {
		n, err := c.Read(buf)
		if err != nil {
			b.Fatal(err)
		}
		got.Write(buf[:n])
	}
	return c
}
