package postgres_test

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"docent/agent"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/pgtest"
	"docent/store/postgres"
	"docent/store/sqlite"
	"docent/ws"
)

// BenchmarkSocketTurns compares whole turns over WebSocket with the database
// writes of BAF. In a turn, a user sends a text, and the agent stores it, takes
// a transition, and answers. Both sides alternate and wait for the disk at each
// commit.
//
// BAF's side replays such a turn like BenchmarkReasoning on Postgres. It writes
// four rows: the event, the user's message, the transition, and the reply. Each
// row is reflected and committed on its own, over the one connection that all
// sessions of BAF share. The replay includes no Python, socket, or agent. Our
// side includes them, and the client's work too.
func BenchmarkSocketTurns(b *testing.B) {
	url := pgtest.URL(b)
	pgtest.Durable(b, url)
	baf := newBAF(b, url)
	b.Run("postgres", func(b *testing.B) { benchSocketTurns(b, baf, open(b, postgres.Config{URL: url})) })
	b.Run("sqlite", func(b *testing.B) {
		db, err := sqlite.Open(b.Context(), sqlite.Config{Path: filepath.Join(b.TempDir(), "docent.db")})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = db.Close() })
		benchSocketTurns(b, baf, db)
	})
}

func benchSocketTurns(b *testing.B, baf *bafWriter, store journal.Store) {
	const rounds, replayed, alone, users, each = 5, 15, 100, 16, 50
	echo := agent.New("echo")
	greet, answer := echo.State("greet", agent.Initial), echo.State("answer")
	greet.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, s.Message()) })
	answer.OnMessage().GoTo(answer)
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: echo, Store: store})
	if err != nil {
		b.Fatal(err)
	}
	server, err := ws.NewServer(ws.Config{Runtime: rt, Rate: 1e9, Burst: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	h := httptest.NewServer(server)
	b.Cleanup(func() {
		if err := server.Shutdown(context.WithoutCancel(b.Context())); err != nil {
			b.Error(err)
		}
		h.Close()
	})
	conns := make([]*websocket.Conn, users)
	for i := range conns {
		c, resp, err := websocket.DefaultDialer.DialContext(b.Context(), "ws"+strings.TrimPrefix(h.URL, "http"), nil)
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		defer c.Close()
		conns[i] = c
	}
	talkAll(b, conns, 10) // prepare statements and allocate memory
	var rates [3][]float64
	rate := func(of, turns int, f func()) {
		begin := time.Now()
		f()
		rates[of] = append(rates[of], float64(turns)/time.Since(begin).Seconds())
	}
	for b.Loop() {
		for range rounds {
			rate(0, replayed, func() {
				for range replayed {
					if err := baf.plain(); err != nil {
						b.Fatal(err)
					}
				}
			})
			rate(1, alone, func() { talkAll(b, conns[:1], alone) })
			rate(2, users*each, func() { talkAll(b, conns, each) })
		}
	}
	b.ReportMetric(middle(rates[0]), "turns/s-baf")
	b.ReportMetric(middle(rates[1]), "turns/s-1-user")
	b.ReportMetric(middle(rates[2]), "turns/s-16-users")
	b.ReportMetric(middle(rates[1])/middle(rates[0]), "x_baf-1-user")
	b.ReportMetric(middle(rates[2])/middle(rates[0]), "x_baf-16-users")
	b.ReportMetric(0, "ns/op")
}

// talkAll makes each client send a number of messages, each one after the reply
// to the one before.
func talkAll(b *testing.B, conns []*websocket.Conn, times int) {
	b.Helper()
	const said, answered = `{"action":"user_message","message":"how is the backup restored?"}`, `"agent_reply_str"`
	var all sync.WaitGroup
	for _, c := range conns {
		all.Go(func() {
			for range times {
				if err := c.WriteMessage(websocket.TextMessage, []byte(said)); err != nil {
					b.Error(err)
					return
				}
				for answer := ""; !strings.Contains(answer, answered); {
					_, data, err := c.ReadMessage()
					if err != nil {
						b.Error(err)
						return
					}
					answer = string(data)
				}
			}
		})
	}
	all.Wait()
}

// plain writes the rows of a turn without reasoning.
func (w *bafWriter) plain() error {
	const text = "how is the backup restored?"
	for _, row := range []struct {
		table, insert string
		values        []any
	}{
		{"event", bafEvent, []any{"receive_message_text", text}},
		{"chat", bafChat, []any{"str", text, true}},
		{"transition", bafMove, []any{"answer", "answer", "receive_message_text"}},
		{"chat", bafChat, []any{"str", text, false}},
	} {
		if err := w.write(row.table, row.insert, row.values...); err != nil {
			return err
		}
	}
	return nil
}

// middle returns the median.
func middle(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
