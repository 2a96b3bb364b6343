package sqlite

import (
	"context"

	"docent/ingest/source"
	"docent/store"
)

// checkFence fails with source.ErrLost if ctx has a fence and its lease is lost.
func checkFence(ctx context.Context, w *writer) error {
	f, ok := source.FenceOf(ctx)
	if !ok {
		return nil
	}
	var owner string
	err := w.row(context.WithoutCancel(ctx), `SELECT lease_owner FROM source WHERE id = ?`, f.Source).Scan(&owner)
	if err == nil && owner != f.Owner {
		err = source.ErrLost
	}
	return missing(err, store.NoSource(f.Source))
}
