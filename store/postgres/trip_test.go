package postgres

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"docent/agent"
	"docent/internal/pgtest"
)

// tripCounter counts round trips: a query is one, a batch is one.
type tripCounter struct{ trips atomic.Int64 }

func (c *tripCounter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.trips.Add(1)
	return ctx
}
func (*tripCounter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *tripCounter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.trips.Add(1)
	return ctx
}
func (*tripCounter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (*tripCounter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// TestRoundTrips: a turn costs two, opening a session one.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	counter := &tripCounter{}
	s, err := Open(t.Context(), Config{URL: pgtest.URL(t), tracer: counter})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var session agent.SessionRecord
	record := agent.SessionRecord{Key: agent.SessionKey{Agent: "a", ID: "x"}, Platform: "P"}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"OpenSession", func() (err error) { session, _, err = s.OpenSession(t.Context(), record); return err }},
		{"OpenSession again", func() (err error) { session, _, err = s.OpenSession(t.Context(), record); return err }},
		{"Receive", func() error {
			_, err := s.Receive(t.Context(), agent.Incoming{Session: session.RowID, ClientID: "m", Type: "str", Content: json.RawMessage(`"x"`), History: 5})
			return err
		}},
		{"CommitTurn", func() error {
			_, err := s.CommitTurn(t.Context(), agent.TurnRecord{
				Session: session.RowID, Turn: 1, State: "s", Set: map[string]json.RawMessage{"v": json.RawMessage("1")}, Delete: []string{"w"},
				Entries:     []agent.Entry{{Message: &agent.ChatMessage{Type: "str", Content: json.RawMessage(`"a"`)}}},
				Transitions: []agent.TransitionRecord{{Source: "a", Dest: "b"}},
			})
			return err
		}},
	} {
		before := counter.trips.Load()
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if n := counter.trips.Load() - before; n != 1 {
			t.Errorf("%s took %d round trips", step.name, n)
		}
	}
}
