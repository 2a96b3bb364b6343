package postgres

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/auth/audit"
	"docent/store"
)

var _ audit.Store = (*Store)(nil)

// AddRecord stores a record; see audit.Store. Numbers of failed writes are missing, so the
// table may keep fewer records than the limit.
func (s *accounts) AddRecord(ctx context.Context, r audit.Record) (audit.Record, error) {
	r.Time = s.config.Now().UTC().Truncate(time.Microsecond)
	r.Actor, r.Address, r.Object = store.Text(r.Actor), store.Text(r.Address), store.Text(r.Object)
	err := s.write(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `INSERT INTO audit (timestamp, actor, address, action, object) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
			r.Time, r.Actor, r.Address, string(r.Action), r.Object).Scan(&r.ID)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM audit WHERE id <= $1`, r.ID-audit.MaxRecords)
		return err
	})
	return r, fail("add an audit record", err)
}

// Records returns stored records; see audit.Store.
func (s *accounts) Records(ctx context.Context, before int64, limit int) ([]audit.Record, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	all, err := query(ctx, s, func(row pgx.CollectableRow) (audit.Record, error) {
		var r audit.Record
		err := row.Scan(&r.ID, &r.Time, &r.Actor, &r.Address, &r.Action, &r.Object)
		r.Time = r.Time.UTC()
		return r, err
	}, `SELECT id, timestamp, actor, address, action, object FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2`, before, limit)
	return all, fail("read audit records", err)
}
