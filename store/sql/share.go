package sql

import (
	"context"

	"docent/agent/session/journal"
	"docent/store"
)

var _ journal.Shares = Store{}

// shares stores links to parts of sessions.
type shares struct{ db Database }

// AddShare stores a share; see journal.Shares. Concurrent calls may add a few too many.
func (s shares) AddShare(ctx context.Context, r journal.Share) error {
	return s.db.Fail("add a share", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var count int
		if err := row(ctx, tx, `SELECT count(*) FROM share WHERE owner = $1`, store.Text(r.Owner)).Scan(&count); err != nil {
			return err
		}
		if count >= journal.MaxShares {
			return store.TooManyShares()
		}
		return change(ctx, tx, store.NoSession(), `INSERT INTO share (link, session_id, owner, name, turn, seq, only_turn, files, public, created_at, expires_at)
			SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM session WHERE id = $2`,
			r.ID, r.Session, store.Text(r.Owner), store.Text(r.Name), r.Turn, r.Seq, r.Only, r.Files, r.Public, r.CreatedAt, r.ExpiresAt)
	}))
}

// Share returns a share; see journal.Shares.
func (s shares) Share(ctx context.Context, id string) (journal.Share, error) {
	r, err := scanShare(row(ctx, s.db, selectShares+`WHERE h.link = $1`, store.Text(id)))
	return r, s.db.Fail("read a share", missing(err, store.NoShare()))
}

// Shares lists shares; see journal.Shares.
func (s shares) Shares(ctx context.Context, owner string) ([]journal.Share, error) {
	all, err := list(ctx, s.db, scanShare, selectShares+`WHERE h.owner = $1 ORDER BY h.created_at DESC, h.link LIMIT $2`,
		store.Text(owner), journal.MaxShares)
	return all, s.db.Fail("list shares", err)
}

// RemoveShare removes a share; see journal.Shares.
func (s shares) RemoveShare(ctx context.Context, owner, id string) error {
	return s.db.Fail("remove a share", change(ctx, s.db, store.NoShare(),
		`DELETE FROM share WHERE owner = $1 AND link = $2`, store.Text(owner), store.Text(id)))
}

// selectShares selects the columns that scanShare reads.
const selectShares = `SELECT h.link, h.session_id, s.agent_name, s.session_id, h.owner, h.name, h.turn, h.seq, h.only_turn, h.files, h.public,
	h.created_at, h.expires_at FROM share h JOIN session s ON s.id = h.session_id `

func scanShare(row Row) (journal.Share, error) {
	var r journal.Share
	err := row.Scan(&r.ID, &r.Session, &r.Key.Agent, &r.Key.ID, &r.Owner, &r.Name, &r.Turn, &r.Seq, &r.Only, &r.Files, &r.Public,
		Time(&r.CreatedAt), Time(&r.ExpiresAt))
	return r, err
}
