package sql

import (
	"context"
	"fmt"

	"docent/agent/session/journal"
	"docent/payload"
	"docent/store"
)

var _ journal.Versions = Store{}

// HiddenTurns selects the hidden turns of session $1.
const HiddenTurns = `SELECT first, until FROM hidden_turn WHERE session_id = $1 ORDER BY first, until`

// ScanTurnRange reads a row of HiddenTurns.
func ScanTurnRange(row Row) (r payload.TurnRange, err error) {
	err = row.Scan(&r.First, &r.Until)
	return r, err
}

// Branches returns the tree of the turns of a session; see journal.Versions.
func (s sessions) Branches(ctx context.Context, session int64) (journal.Branches, error) {
	b, err := branches(ctx, s.db, session)
	return b, s.db.Fail(fmt.Sprintf("read branches of session %d", session), err)
}

// branches reads the tree of the turns of a session.
func branches(ctx context.Context, q querier, session int64) (journal.Branches, error) {
	b := journal.Branches{Replaces: map[int64]int64{}, Parents: map[int64]int64{}}
	type link struct{ turn, to int64 }
	scan := func(row Row) (l link, err error) {
		err = row.Scan(&l.turn, &l.to)
		return l, err
	}
	if err := missing(row(ctx, q, `SELECT turn FROM session WHERE id = $1`, session).Scan(&b.Turn), nil); err != nil {
		return b, err
	}
	replaced, err := list(ctx, q, scan, `SELECT turn, replaces FROM chat WHERE session_id = $1 AND replaces > 0`, session)
	if err != nil {
		return b, err
	}
	for _, l := range replaced {
		b.Replaces[l.turn] = l.to
	}
	parents, err := list(ctx, q, scan, `SELECT turn, parent FROM branch WHERE session_id = $1`, session)
	if err != nil {
		return b, err
	}
	for _, l := range parents {
		b.Parents[l.turn] = l.to
	}
	b.Hidden, err = list(ctx, q, ScanTurnRange, HiddenTurns, session)
	return b, err
}

// ShowTurn shows a branch of a session; see journal.Versions.
func (s sessions) ShowTurn(ctx context.Context, session, fence, turn int64) (hidden []payload.TurnRange, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var begun, spoken, current bool
		err := row(ctx, tx, `SELECT $2 = 0 OR s.fence = $2,
				EXISTS (SELECT 1 FROM event e WHERE e.session_id = s.id AND e.turn = $3),
				EXISTS (SELECT 1 FROM event e WHERE e.session_id = s.id AND e.turn = $3 AND e.human AND e.chat_id IS NOT NULL)
			FROM session s WHERE s.id = $1 FOR NO KEY UPDATE`, session, fence, turn).Scan(&current, &begun, &spoken)
		switch {
		case err != nil:
			return missing(err, store.NoSession())
		case !current:
			return journal.Stale()
		case !spoken:
			return store.NotSpoken(turn, begun)
		}
		b, err := branches(ctx, tx, session)
		if err != nil {
			return err
		}
		path := b.Through(turn)
		hidden = b.Others(path)
		rows := make([][]any, len(hidden))
		for i, r := range hidden {
			rows[i] = []any{session, r.First, r.Until}
		}
		if err := change(ctx, tx, nil, `DELETE FROM hidden_turn WHERE session_id = $1`, session); err != nil {
			return err
		}
		if err := tx.ExecAll(ctx, `INSERT INTO hidden_turn (session_id, first, until) VALUES ($1, $2, $3)`, rows); err != nil {
			return err
		}
		return change(ctx, tx, nil, `INSERT INTO branch (session_id, turn, parent) VALUES ($1, $2, $3)
			ON CONFLICT (session_id, turn) DO UPDATE SET parent = excluded.parent`, session, b.Turn+1, path[len(path)-1])
	})
	return hidden, s.db.Fail(fmt.Sprintf("show turn %d of session %d", turn, session), err)
}
