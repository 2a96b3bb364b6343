package sessiontest

import (
	"fmt"
	"testing"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/storetest"
)

var traceTests = map[string]func(*testing.T, Database){
	"Read":     traceRead,
	"Replaced": traceReplaced,
	"Limit":    traceLimit,
	"Events":   traceEvents,
}

// trace reads the way of a session.
func trace(t *testing.T, s Store, session int64) journal.Trace {
	t.Helper()
	got, err := s.Traces.Trace(t.Context(), session)
	storetest.OK(t, err)
	return got
}

// traceRead reads moves and predictions in order, without those of other sessions.
func traceRead(t *testing.T, db Database) {
	s := db.Open(t)
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	at := time.Date(2026, 2, 3, 4, 5, 6, 789000, time.UTC)
	turn := begun(row, say(t, s, row, "", "one").Event)
	turn.Transitions = []chat.Transition{
		{Source: "greet", Dest: "order", Event: "receive_message_text", Condition: "intent order", Time: at},
		{Source: "order", Dest: "done", Time: at},
	}
	turn.Predictions = []chat.Prediction{{Message: "one", Classifier: "examples", Intent: "order", Score: .875, Time: at}}
	commit(t, s, turn)
	elsewhere := begun(other, say(t, s, other, "", "two").Event)
	elsewhere.Transitions = []chat.Transition{{Source: "greet", Dest: "bye", Time: at}}
	commit(t, s, elsewhere)
	storetest.Want(t, "the trace", trace(t, s, row), journal.Trace{
		Moves:       []journal.TracedMove{{Turn: 1, Transition: turn.Transitions[0]}, {Turn: 1, Transition: turn.Transitions[1]}},
		Predictions: []journal.TracedPrediction{{Turn: 1, Prediction: turn.Predictions[0]}},
	})
	storetest.Want(t, "an unknown session", len(trace(t, s, 999).Moves), 0)
}

// moves describes the moves of a trace.
func moves(t journal.Trace) (out []string) {
	for _, m := range t.Moves {
		out = append(out, fmt.Sprint(m.Turn, " ", m.Source, " to ", m.Dest))
	}
	return out
}

// traceReplaced leaves out turns that a later message replaced.
func traceReplaced(t *testing.T, db Database) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	first := begun(row, say(t, s, row, "", "one").Event, told("re"))
	first.Transitions = []chat.Transition{{Source: "a", Dest: "b"}}
	first.Predictions = []chat.Prediction{{Message: "one", Intent: "i"}}
	commit(t, s, first)
	again := begun(row, revise(t, s, row, "r", "uno", 1).Event, told("re"))
	again.Transitions = []chat.Transition{{Source: "a", Dest: "c"}}
	commit(t, s, again)
	got := trace(t, s, row)
	storetest.Want(t, "moves", moves(got), []string{"2 a to c"})
	storetest.Want(t, "predictions", len(got.Predictions), 0)
}

// traceLimit reads the newest moves.
func traceLimit(t *testing.T, db Database) {
	s := db.Open(t)
	row := open(t, s, "x").RowID
	turn := begun(row, say(t, s, row, "", "one").Event)
	for i := range journal.MaxTrace + 2 {
		turn.Transitions = append(turn.Transitions, chat.Transition{Source: fmt.Sprint(i), Dest: "x"})
	}
	commit(t, s, turn)
	got := moves(trace(t, s, row))
	storetest.Want(t, "the first and the last", []any{len(got), got[0], got[len(got)-1]},
		[]any{journal.MaxTrace, "1 2 to x", fmt.Sprintf("1 %d to x", journal.MaxTrace+1)})
}

// traceEvents reads handled events without a message, in order, without those of replaced turns and other sessions.
func traceEvents(t *testing.T, db Database) {
	s := db.Open(t)
	row, other := open(t, s, "x").RowID, open(t, s, "y").RowID
	commit(t, s, begun(row, happen(t, s, row, "morning", `{"at": "9:00"}`), told("Good morning.")))
	commit(t, s, begun(row, say(t, s, row, "", "one").Event, told("re")))
	second := happen(t, s, row, "noon", "")
	commit(t, s, begun(row, second))
	commit(t, s, begun(other, happen(t, s, other, "elsewhere", "")))
	happen(t, s, row, "waiting", "")
	events := func(after int64, limit int) (out []string) {
		got, err := s.Traces.Events(t.Context(), row, after, limit)
		storetest.OK(t, err)
		for _, e := range got {
			out = append(out, fmt.Sprint(e.Turn, " ", e.Name, " ", string(e.Data)))
		}
		return out
	}
	storetest.Want(t, "all events", events(0, 10), []string{`1 morning {"at": "9:00"}`, "3 noon "})
	storetest.Want(t, "the first event", events(0, 1), []string{`1 morning {"at": "9:00"}`})
	storetest.Want(t, "no later event", len(events(second.ID, 10)), 0)
}
