package sql

import (
	"context"
	"math"
	"time"

	"docent/auth/audit"
	"docent/store"
)

var _ audit.Store = Store{}

// auditRecords stores audit records.
type auditRecords struct{ db Database }

// AddRecord stores a record; see audit.Store. Numbers of failed writes are missing, so the
// table may keep fewer records than the limit.
func (s auditRecords) AddRecord(ctx context.Context, r audit.Record) (audit.Record, error) {
	r.Time = s.db.Now().UTC().Truncate(time.Microsecond)
	r.Actor, r.Address, r.Object = store.Text(r.Actor), store.Text(r.Address), store.Text(r.Object)
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		err := row(ctx, tx, `INSERT INTO audit (timestamp, actor, address, action, object) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
			r.Time, r.Actor, r.Address, string(r.Action), r.Object).Scan(&r.ID)
		if err != nil {
			return err
		}
		return change(ctx, tx, nil, `DELETE FROM audit WHERE id <= $1`, r.ID-audit.MaxRecords)
	})
	return r, s.db.Fail("add an audit record", err)
}

// Records returns stored records; see audit.Store.
func (s auditRecords) Records(ctx context.Context, before int64, limit int) ([]audit.Record, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	all, err := list(ctx, s.db, func(row Row) (audit.Record, error) {
		var r audit.Record
		err := row.Scan(&r.ID, Time(&r.Time), &r.Actor, &r.Address, &r.Action, &r.Object)
		return r, err
	}, `SELECT id, timestamp, actor, address, action, object FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2`, before, limit)
	return all, s.db.Fail("read audit records", err)
}
