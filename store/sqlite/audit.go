package sqlite

import (
	"context"
	"database/sql"
	"math"

	"docent/auth/audit"
	"docent/store"
)

var _ audit.Store = (*Store)(nil)

// AddRecord stores a record; see audit.Store.
func (s *accounts) AddRecord(ctx context.Context, r audit.Record) (audit.Record, error) {
	r.Time, r.Actor, r.Address, r.Object = s.config.Now().UTC(), store.Text(r.Actor), store.Text(r.Address), store.Text(r.Object)
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		err := w.row(ctx, `INSERT INTO audit (timestamp, actor, address, action, object) VALUES (?, ?, ?, ?, ?) RETURNING id`,
			r.Time.UnixMicro(), r.Actor, r.Address, string(r.Action), r.Object).Scan(&r.ID)
		if err != nil {
			return err
		}
		_, err = w.exec(ctx, `DELETE FROM audit WHERE id <= ?`, r.ID-audit.MaxRecords)
		return err
	})
	r.Time = micro(r.Time.UnixMicro())
	return r, fail("add an audit record", err)
}

// Records returns stored records; see audit.Store.
func (s *accounts) Records(ctx context.Context, before int64, limit int) ([]audit.Record, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT id, timestamp, actor, address, action, object FROM audit
		WHERE id < ? ORDER BY id DESC LIMIT ?`, before, limit)
	if err != nil {
		return nil, fail("read audit records", err)
	}
	all, err := collect(rows, func(rows *sql.Rows) (audit.Record, error) {
		var r audit.Record
		var at int64
		err := rows.Scan(&r.ID, &at, &r.Actor, &r.Address, &r.Action, &r.Object)
		r.Time = micro(at)
		return r, err
	})
	return all, fail("read audit records", err)
}
