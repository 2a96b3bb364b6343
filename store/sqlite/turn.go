package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/store"
)

// CommitTurn writes a turn's outcome; see journal.Store.
func (s *sessions) CommitTurn(ctx context.Context, turn journal.TurnRecord) (out journal.Written, err error) {
	defer func() { err = fail(fmt.Sprintf("commit turn %d of session %d", turn.Turn, turn.Session), err) }()
	now := s.config.Now()
	if out.Entries, err = store.Entries(turn, now); err != nil {
		return journal.Written{}, err
	}
	set, err := store.Variables(turn.Set)
	if err != nil {
		return journal.Written{}, err
	}
	documents, err := store.Documents(turn.Documents)
	if err != nil {
		return journal.Written{}, err
	}
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		same, after, err := sameCommit(ctx, w, turn)
		if err != nil {
			return err
		}
		write := !same
		if write {
			if write, err = mayWrite(ctx, w, turn); err != nil {
				return err
			}
		}
		if !write {
			stored, err := turnEntries(ctx, w, turn)
			out = store.Rewritten(stored, same, after, len(turn.Entries))
			return err
		}
		before, variables, err := writeSession(ctx, w, turn, now)
		if err != nil {
			return err
		}
		if err := addEntries(ctx, w, turn, out.Entries, before); err != nil || turn.Partial {
			return err
		}
		if err := setVariables(ctx, w, turn, variables, set); err != nil {
			return err
		}
		if err := addDocuments(ctx, w, turn, documents); err != nil {
			return err
		}
		return writeOutcome(ctx, w, turn, now)
	})
	return out, err
}

// sameCommit reports whether the session's last commit has the turn's key. It
// returns the sequence number before that commit.
func sameCommit(ctx context.Context, w *writer, turn journal.TurnRecord) (same bool, after int64, err error) {
	err = w.row(ctx, `SELECT commit_key <> '' AND commit_key = ?, commit_seq FROM session WHERE id = ?`, turn.Key, turn.Session).Scan(&same, &after)
	if errors.Is(err, sql.ErrNoRows) {
		err = store.NoSession()
	}
	return same, after, err
}

// mayWrite reports whether a turn may be written. It may if no event began it,
// it is not committed, or it failed before and now succeeds. A failed turn that
// continues in parts becomes pending again.
func mayWrite(ctx context.Context, w *writer, turn journal.TurnRecord) (bool, error) {
	if turn.Turn == 0 {
		return true, nil
	}
	var event int64
	var handled, failed bool
	err := w.row(ctx, `SELECT e.id, e.handled, coalesce((
			SELECT c.client_id = ?3 FROM chat c WHERE c.session_id = ?1 AND c.turn = ?2 AND NOT c.is_user ORDER BY c.seq DESC LIMIT 1), 0)
		FROM event e WHERE e.session_id = ?1 AND e.turn = ?2`, turn.Session, turn.Turn, chat.FailedID).Scan(&event, &handled, &failed)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil || !handled:
		return true, err
	case !failed || turn.Failed():
		return false, nil
	}
	if turn.Partial {
		_, err = w.exec(ctx, `UPDATE event SET handled = 0 WHERE id = ?`, event)
	}
	return true, err
}

// writeSession updates the session's row except for its variables. It returns
// the stored variables and the last sequence number before the turn.
func writeSession(ctx context.Context, w *writer, turn journal.TurnRecord, now time.Time) (before int64, variables []byte, err error) {
	if turn.Partial {
		err = w.row(ctx, `UPDATE session SET seq = seq + ?1, updated_at = ?2, commit_key = ?4, commit_seq = seq
			WHERE id = ?3 RETURNING seq - ?1, variables`,
			len(turn.Entries), now.UnixMicro(), turn.Session, turn.Key).Scan(&before, &variables)
	} else {
		err = w.row(ctx, `UPDATE session SET seq = seq + ?1, updated_at = ?2, current_state = ?4, entered_at = ?5, wake_at = ?6,
			last_event = coalesce(nullif(?7, 0), last_event), commit_key = ?8, commit_seq = seq WHERE id = ?3
			RETURNING seq - ?1, variables`,
			len(turn.Entries), now.UnixMicro(), turn.Session, store.Text(turn.State), orNull(turn.EnteredAt), orNull(turn.WakeAt),
			turn.Last, turn.Key).Scan(&before, &variables)
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = store.NoSession()
	}
	return before, variables, err
}

// addEntries inserts entries after the sequence number before. It sets their
// ids and sequence numbers.
func addEntries(ctx context.Context, w *writer, turn journal.TurnRecord, entries []journal.Entry, before int64) error {
	for i, e := range entries { // messages come first because steps refer to them
		if m := e.Message; m != nil {
			m.Seq = before + int64(i+1)
			if err := insertMessage(ctx, w, turn.Session, m); err != nil {
				return err
			}
		}
	}
	if err := linkSteps(ctx, w, turn, entries); err != nil {
		return err
	}
	for i, e := range entries {
		if r := e.Step; r != nil {
			r.Seq = before + int64(i+1)
			if e.Answer > 0 {
				r.ChatID = entries[e.Answer-1].Message.ID
			}
			if err := insertStep(ctx, w, turn.Session, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkSteps sets the messages that steps of earlier parts belong to.
func linkSteps(ctx context.Context, w *writer, turn journal.TurnRecord, entries []journal.Entry) error {
	if turn.Partial {
		return nil
	}
	for _, l := range turn.Links {
		if l.Answer > 0 {
			l.Chat = entries[l.Answer-1].Message.ID
		}
		if _, err := w.exec(ctx, `UPDATE reasoning_step SET chat_id = ?1 WHERE (id = ?2 OR ?2 = 0) AND session_id = ?3 AND turn = ?4 AND chat_id IS NULL
			AND EXISTS (SELECT 1 FROM chat WHERE id = ?1 AND session_id = ?3)`, l.Chat, l.Step, turn.Session, turn.Turn); err != nil {
			return err
		}
	}
	return nil
}

// writeOutcome inserts a turn's transitions and predictions.
func writeOutcome(ctx context.Context, w *writer, turn journal.TurnRecord, now time.Time) error {
	for _, id := range turn.Handled {
		if _, err := w.exec(ctx, `UPDATE event SET handled = 1 WHERE id = ? AND session_id = ?`, id, turn.Session); err != nil {
			return err
		}
	}
	for _, t := range turn.Transitions {
		_, err := w.exec(ctx, `INSERT INTO transition (session_id, source_state, dest_state, event, condition, timestamp, turn)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
			turn.Session, store.Text(t.Source), store.Text(t.Dest), store.Text(t.Event), store.Text(t.Condition),
			store.Time(t.Time, now).UnixMicro(), turn.Turn)
		if err != nil {
			return err
		}
	}
	for _, p := range store.Predictions(turn, now) {
		if err := insertPrediction(ctx, w, turn, p); err != nil {
			return err
		}
	}
	return nil
}

func insertPrediction(ctx context.Context, w *writer, turn journal.TurnRecord, p chat.Prediction) error {
	result, err := w.exec(ctx, `INSERT INTO intent_prediction (session_id, message, intent_classifier, intent, score, timestamp, turn) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		turn.Session, p.Message, p.Classifier, p.Intent, p.Score, p.Time.UnixMicro(), turn.Turn)
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	for _, q := range p.Parameters {
		if _, err := w.exec(ctx, `INSERT INTO parameter (intent_prediction_id, name, value, info) VALUES (?, ?, ?, nullif(?, ''))`,
			id, q.Name, q.Value, q.Info); err != nil {
			return err
		}
	}
	return nil
}

// turnEntries returns the stored entries of a turn.
func turnEntries(ctx context.Context, w *writer, turn journal.TurnRecord) ([]journal.Entry, error) {
	rows, err := w.query(ctx, `SELECT `+chatColumns+` FROM chat c WHERE c.session_id = ? AND c.turn = ? ORDER BY c.seq`,
		turn.Session, turn.Turn)
	if err != nil {
		return nil, err
	}
	messages, err := collect(rows, scanChat)
	if err != nil {
		return nil, err
	}
	if rows, err = w.query(ctx, `SELECT `+stepColumns+` FROM reasoning_step c WHERE c.session_id = ? AND c.turn = ? ORDER BY c.seq`,
		turn.Session, turn.Turn); err != nil {
		return nil, err
	}
	steps, err := collect(rows, scanStep)
	return store.Merge(messages, steps), err
}

// setVariables updates a session's variables if the turn changed any.
func setVariables(ctx context.Context, w *writer, turn journal.TurnRecord, stored, set []byte) error {
	if len(turn.Set) == 0 && len(turn.Delete) == 0 {
		return nil
	}
	all := map[string]json.RawMessage{}
	for _, object := range [][]byte{stored, set} { // later values replace earlier ones
		if err := json.Unmarshal(object, &all); err != nil {
			return fmt.Errorf("variables: %w", err)
		}
	}
	for _, name := range turn.Delete {
		delete(all, store.Text(name))
	}
	object, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("variables: %w", err)
	}
	_, err = w.exec(ctx, `UPDATE session SET variables = ? WHERE id = ?`, string(object), turn.Session)
	return err
}
