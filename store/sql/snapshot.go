package sql

import (
	"context"

	"docent/rag/corpus"
	"docent/store"
)

var _ corpus.Snapshots = Store{}

// snapshots stores the names of saved indexes.
type snapshots struct{ db Database }

// PutSnapshot records the name of a saved index; see corpus.Snapshots.
func (s snapshots) PutSnapshot(ctx context.Context, name string) error {
	return s.db.Fail("record a snapshot", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := change(ctx, tx, nil, `INSERT INTO snapshot (name) VALUES ($1)`, name); err != nil {
			return err
		}
		return change(ctx, tx, nil, `DELETE FROM snapshot WHERE number <= (SELECT max(number) FROM snapshot) - $1`, store.KeptSnapshots)
	}))
}

// HasSnapshot reports whether a name is known; see corpus.Snapshots.
func (s snapshots) HasSnapshot(ctx context.Context, name string) (known bool, err error) {
	err = row(ctx, s.db, `SELECT EXISTS (SELECT 1 FROM snapshot WHERE name = $1)`, name).Scan(&known)
	return known, s.db.Fail("find a snapshot", err)
}
