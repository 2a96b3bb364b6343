package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"docent/agent/chat"
	"docent/agent/session/journal"
)

// stepColumns are the columns of reasoning_step c that scanStep reads.
const stepColumns = `c.id, c.seq, c.turn, coalesce(c.chat_id, 0), c.kind, coalesce(c.step_kind, ''), coalesce(c.step, 0), coalesce(c.summary, ''),
	c.payload, c.timestamp`

func scanStep(rows *sql.Rows) (chat.Reasoning, error) {
	var r chat.Reasoning
	var payload []byte
	var at int64
	err := rows.Scan(&r.ID, &r.Seq, &r.Turn, &r.ChatID, &r.Kind, &r.StepKind, &r.Step, &r.Summary, &payload, &at)
	r.Payload, r.Time = payload, micro(at)
	return r, err
}

func insertStep(ctx context.Context, w *writer, session int64, r *chat.Reasoning) error {
	return w.row(ctx, `INSERT INTO reasoning_step (session_id, chat_id, kind, step_kind, step, summary, payload, timestamp, seq, turn)
		VALUES (?1, (SELECT id FROM chat WHERE id = ?2 AND session_id = ?1), ?3, nullif(?4, ''),
			CASE ?4 WHEN '' THEN NULL ELSE ?5 END, nullif(?6, ''), ?7, ?8, ?9, ?10) RETURNING id, coalesce(chat_id, 0)`,
		session, r.ChatID, r.Kind, r.StepKind, r.Step, r.Summary, string(r.Payload), r.Time.UnixMicro(), r.Seq, r.Turn).Scan(&r.ID, &r.ChatID)
}

// steps describes the table reasoning_step.
var steps = kept[chat.Reasoning]{columns: stepColumns, table: "reasoning_step", content: "c.payload", scan: scanStep}

// Steps returns a session's reasoning; see journal.Reasonings.
func (s *sessions) Steps(ctx context.Context, session int64, q journal.MessageQuery) ([]chat.Reasoning, error) {
	out, err := record(ctx, s, steps, session, q)
	return out, fail(fmt.Sprintf("read reasoning of session %d", session), err)
}
