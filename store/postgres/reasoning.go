package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent/chat"
	"docent/agent/session/journal"

	"github.com/jackc/pgx/v5"
)

// stepColumns are the columns of reasoning_step c that scanStep reads.
const stepColumns = `c.id, c.seq, c.turn, coalesce(c.chat_id, 0), c.kind, coalesce(c.step_kind, ''), coalesce(c.step, 0), coalesce(c.summary, ''),
	c.payload, c."timestamp"`

func scanStep(row pgx.CollectableRow) (chat.Reasoning, error) {
	var r chat.Reasoning
	var payload []byte
	err := row.Scan(&r.ID, &r.Seq, &r.Turn, &r.ChatID, &r.Kind, &r.StepKind, &r.Step, &r.Summary, &payload, &r.Time)
	r.Payload, r.Time = payload, r.Time.UTC()
	return r, err
}

// steps describes the table reasoning_step.
var steps = kept[chat.Reasoning]{
	columns: stepColumns, table: "reasoning_step", content: "c.payload", scan: scanStep,
	body: func(r *chat.Reasoning) *json.RawMessage { return &r.Payload },
}

// Steps returns a session's reasoning; see journal.Reasonings.
func (s *sessions) Steps(ctx context.Context, session int64, q journal.MessageQuery) ([]chat.Reasoning, error) {
	out, err := record(ctx, s, steps, session, q)
	return out, fail(fmt.Sprintf("read reasoning of session %d", session), err)
}
