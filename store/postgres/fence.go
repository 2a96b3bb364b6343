package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"docent/ingest/source"
	"docent/store"
)

// checkFence fails with source.ErrLost if ctx has a fence and its lease is lost. The lock
// keeps the lease until the transaction ends.
func checkFence(ctx context.Context, tx pgx.Tx) error {
	f, ok := source.FenceOf(ctx)
	if !ok {
		return nil
	}
	var owner string
	err := tx.QueryRow(ctx, `SELECT lease_owner FROM source WHERE id = $1 FOR SHARE`, f.Source).Scan(&owner)
	if err == nil && owner != f.Owner {
		err = source.ErrLost
	}
	return missing(err, store.NoSource(f.Source))
}
