package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"docent/agent/session/journal"
	"docent/store"
)

// lockSession serializes commits of a session. The next statement sees the
// writes of earlier commits. It returns whether the fence is the current one.
const lockSession = `SELECT $2::bigint = 0 OR fence = $2 FROM session WHERE id = $1 FOR NO KEY UPDATE`

// CommitTurn writes a turn's outcome; see journal.Store.
func (s *sessions) CommitTurn(ctx context.Context, turn journal.TurnRecord) (out journal.Written, err error) {
	defer func() { err = fail(fmt.Sprintf("commit turn %d of session %d", turn.Turn, turn.Session), err) }()
	now := s.config.Now()
	entries, err := store.Entries(turn, now)
	if err != nil {
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
	commit := commitStatement(turn, entries, set, documents, now)
	written := false
	err = again(ctx, func() error {
		written, err = s.writeTurn(ctx, turn, entries, commit)
		return err
	})
	if err != nil || written {
		return journal.Written{Entries: entries}, err
	}
	return s.turnEntries(ctx, turn)
}

// writeTurn makes one round trip. It sets the ids and sequence numbers of
// entries. It returns false if the turn may not be written.
func (s *sessions) writeTurn(
	ctx context.Context, turn journal.TurnRecord, entries []journal.Entry, commit *statement,
) (written bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(lockSession, turn.Session, turn.Fence)
	batch.Queue(commit.text.String(), commit.args...)
	results := s.pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	var current bool
	switch err := results.QueryRow().Scan(&current); {
	case errors.Is(err, pgx.ErrNoRows):
		return false, store.NoSession()
	case err != nil:
		return false, err
	case !current:
		return false, journal.Stale()
	}
	rows, err := results.Query()
	if err != nil {
		return false, err
	}
	var id, seq int64
	var chat *int64
	n := -1 // the first row is the session's
	tag, err := pgx.ForEachRow(rows, []any{&id, &seq, &chat}, func() error {
		if n >= 0 {
			number(entries[n], id, seq, chat)
		}
		n++
		return nil
	})
	return tag.RowsAffected() > 0, err
}

// number sets the values that the database gave an entry.
func number(e journal.Entry, id, seq int64, chat *int64) {
	if e.Message != nil {
		e.Message.ID, e.Message.Seq = id, seq
		return
	}
	e.Step.ID, e.Step.Seq, e.Step.ChatID = id, seq, 0
	if chat != nil {
		e.Step.ChatID = *chat
	}
}

// turnEntries returns the stored entries of a turn. If the session's last
// commit has the turn's key, it returns the entries of that commit.
func (s *sessions) turnEntries(ctx context.Context, turn journal.TurnRecord) (out journal.Written, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT commit_key <> '' AND commit_key = $2, commit_seq FROM session WHERE id = $1`, turn.Session, turn.Key)
	batch.Queue(`SELECT `+chatColumns+` FROM chat c WHERE c.session_id = $1 AND c.turn = $2 ORDER BY c.seq`, turn.Session, turn.Turn)
	batch.Queue(`SELECT `+stepColumns+` FROM reasoning_step c WHERE c.session_id = $1 AND c.turn = $2 ORDER BY c.seq`, turn.Session, turn.Turn)
	results := s.pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	var same bool
	var after int64
	if err := results.QueryRow().Scan(&same, &after); err != nil {
		return out, err
	}
	rows, err := results.Query()
	if err != nil {
		return out, err
	}
	messages, err := pgx.CollectRows(rows, scanChat)
	if err != nil {
		return out, err
	}
	if rows, err = results.Query(); err != nil {
		return out, err
	}
	steps, err := pgx.CollectRows(rows, scanStep)
	return store.Rewritten(store.Merge(messages, steps), same, after, len(turn.Entries)), err
}
