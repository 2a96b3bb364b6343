package postgres

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/pgtest"
)

// tripCounter counts round trips. A query is one round trip, and so is a batch.
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

// TestRoundTrips checks that a turn takes two round trips, whatever it stores,
// and that opening a session takes one.
//
// BAF W6
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	counter := &tripCounter{}
	s, err := Open(t.Context(), Config{URL: pgtest.URL(t), tracer: counter})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var stored journal.SessionRecord
	var receipt journal.Receipt
	var written journal.Written
	record := journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: "x"}, Platform: "P"}
	text := json.RawMessage(`"x"`)
	said := journal.Entry{Message: &agent.ChatMessage{Type: "str", Content: text}}
	step := journal.Entry{Step: &chat.Reasoning{Kind: "reasoning_step", StepKind: "thought", Payload: text}}
	value := "v"
	open := func() (err error) { stored, _, err = s.OpenSession(t.Context(), record); return err }
	receive := func(in journal.Incoming) func() error {
		return func() (err error) {
			in.Session, in.Content, in.History = stored.RowID, text, 5
			receipt, err = s.Receive(t.Context(), in)
			return err
		}
	}
	commit := func(turn journal.TurnRecord) func() error {
		return func() (err error) {
			turn.Session, turn.Turn, turn.Handled = stored.RowID, receipt.Event.Turn, []int64{receipt.Event.ID}
			written, err = s.CommitTurn(t.Context(), turn)
			return err
		}
	}
	for _, c := range []struct {
		name    string
		do      func() error
		trips   int64
		entries int
	}{
		{"OpenSession", open, 1, 0},
		{"OpenSession again", open, 1, 0},
		{"Receive", receive(journal.Incoming{ClientID: "m", Type: "str"}), 1, 0},
		{"a part", commit(journal.TurnRecord{Partial: true, Entries: []journal.Entry{step, said}}), 1, 2},
		{"OpenSession with a queue", open, 1, 0},
		{"all of a turn", commit(journal.TurnRecord{
			State: "s", EnteredAt: time.Now(), WakeAt: time.Now(), Set: map[string]json.RawMessage{"v": text}, Delete: []string{"w"},
			Entries: []journal.Entry{step, step, step, said, said}, Links: []journal.Link{{Step: 1, Answer: 4}},
			Transitions: []chat.Transition{{Source: "a", Dest: "b"}, {Source: "b", Dest: "c"}},
			Predictions: []chat.Prediction{
				{Message: "m", Intent: "i", Parameters: []chat.Parameter{{Name: "p", Value: &value}, {Name: "q"}}},
				{Message: "n", Intent: "i", Parameters: []chat.Parameter{{Name: "p"}}},
			},
		}), 1, 5},
		{"it again", commit(journal.TurnRecord{State: "s", Entries: []journal.Entry{said}}), 2, 7},
		{"Receive again", receive(journal.Incoming{ClientID: "m", Type: "str"}), 1, 0},
		{"an event", receive(journal.Incoming{Event: journal.EventRecord{Name: "e", Data: text, Origin: text}}), 1, 0},
		{"steps only", commit(journal.TurnRecord{Entries: []journal.Entry{step}}), 1, 1},
		{"Receive", receive(journal.Incoming{Type: "str"}), 1, 0},
		{"a reply", commit(journal.TurnRecord{Entries: []journal.Entry{said}}), 1, 1},
		{"Receive", receive(journal.Incoming{Type: "str"}), 1, 0},
		{"nothing", commit(journal.TurnRecord{}), 1, 0},
	} {
		before := counter.trips.Load()
		written = journal.Written{}
		if err := c.do(); err != nil {
			t.Fatal(c.name, err)
		}
		if n := counter.trips.Load() - before; n != c.trips || len(written.Entries) != c.entries {
			t.Errorf("%s took %d round trips and wrote %d entries", c.name, n, len(written.Entries))
		}
	}
}
