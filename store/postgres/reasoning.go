package postgres

import (
	"context"
	"docent/agent/session/journal"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"docent/agent"
)

// stepColumns are the columns of reasoning_step c that scanStep reads.
const stepColumns = `c.id, c.seq, c.turn, coalesce(c.chat_id, 0), c.kind, coalesce(c.step_kind, ''), coalesce(c.step, 0), coalesce(c.summary, ''),
	c.payload, c."timestamp"`

func scanStep(row pgx.CollectableRow) (agent.ReasoningRecord, error) {
	var r agent.ReasoningRecord
	var payload []byte
	err := row.Scan(&r.ID, &r.Seq, &r.Turn, &r.ChatID, &r.Kind, &r.StepKind, &r.Step, &r.Summary, &payload, &r.Time)
	r.Payload, r.Time = payload, r.Time.UTC()
	return r, err
}

// steps describes the table reasoning_step.
var steps = kept[agent.ReasoningRecord]{
	columns: stepColumns, table: "reasoning_step", content: "c.payload", scan: scanStep,
	body: func(r *agent.ReasoningRecord) *json.RawMessage { return &r.Payload },
}

// Steps returns a session's reasoning; see journal.Reasonings.
func (s *sessions) Steps(ctx context.Context, session int64, q journal.MessageQuery) ([]agent.ReasoningRecord, error) {
	out, err := record(ctx, s, steps, session, q)
	return out, fail(fmt.Sprintf("read reasoning of session %d", session), err)
}
