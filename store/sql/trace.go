package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"docent/agent/chat"
	"docent/agent/session/journal"
)

var _ journal.Traces = Store{}

// Trace returns the way of a session; see journal.Traces.
func (s sessions) Trace(ctx context.Context, session int64) (out journal.Trace, err error) {
	out.Moves, err = list(ctx, s.db, func(row Row) (m journal.TracedMove, err error) {
		var event, condition *string
		err = row.Scan(&m.Turn, &m.Source, &m.Dest, &event, &condition, Time(&m.Time))
		m.Event, m.Condition = textOf(event), textOf(condition)
		return m, err
	}, `SELECT t.turn, t.source_state, t.dest_state, t.event, t.condition, t.timestamp FROM transition t
		WHERE t.session_id = $1 AND `+s.db.NotReplaced("t", "$1")+` ORDER BY t.id DESC LIMIT $2`, session, journal.MaxTrace)
	if err == nil {
		out.Predictions, err = list(ctx, s.db, func(row Row) (p journal.TracedPrediction, err error) {
			err = row.Scan(&p.Turn, &p.Message, &p.Classifier, &p.Intent, &p.Score, Time(&p.Time))
			return p, err
		}, `SELECT p.turn, p.message, p.intent_classifier, p.intent, p.score, p.timestamp FROM intent_prediction p
			WHERE p.session_id = $1 AND `+s.db.NotReplaced("p", "$1")+` ORDER BY p.id DESC LIMIT $2`, session, journal.MaxTrace)
	}
	slices.Reverse(out.Moves)
	slices.Reverse(out.Predictions)
	return out, s.db.Fail(fmt.Sprintf("read the trace of session %d", session), err)
}

// Events returns the events without a message of a session; see journal.Traces.
func (s sessions) Events(ctx context.Context, session, after int64, limit int) ([]chat.Event, error) {
	out, err := list(ctx, s.db, func(row Row) (chat.Event, error) {
		var info, data *string
		var r journal.EventRecord
		err := row.Scan(&r.ID, &r.Turn, &r.Name, &info, &data, &r.Human, Time(&r.Time))
		if r.Info = textOf(info); data != nil {
			r.Data = json.RawMessage(*data)
		}
		return r.Event(), err
	}, `SELECT e.id, e.turn, e.event, e.info, e.data, e.human, e.timestamp FROM event e
		WHERE e.session_id = $1 AND e.id > $2 AND e.handled AND e.chat_id IS NULL AND `+s.db.NotReplaced("e", "$1")+`
		ORDER BY e.id LIMIT $3`, session, after, limit)
	return out, s.db.Fail(fmt.Sprintf("read the events of session %d", session), err)
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
