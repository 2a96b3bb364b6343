package sql

import (
	"context"
	"strconv"
	"strings"
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
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) (err error) {
		r, err = s.add(ctx, tx, r)
		return err
	})
	return r, s.db.Fail("add an audit record", err)
}

// add stores a record, and removes the oldest ones beyond the limit.
func (s auditRecords) add(ctx context.Context, tx Tx, r audit.Record) (audit.Record, error) {
	r.Time = s.db.Now().UTC().Truncate(time.Microsecond)
	r.Actor, r.Address, r.Object = store.Text(r.Actor), store.Text(r.Address), store.Text(r.Object)
	err := row(ctx, tx, `INSERT INTO audit (timestamp, actor, address, action, object) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
		r.Time, r.Actor, r.Address, string(r.Action), r.Object).Scan(&r.ID)
	if err != nil {
		return r, err
	}
	return r, change(ctx, tx, nil, `DELETE FROM audit WHERE id <= $1`, r.ID-audit.MaxRecords)
}

// ExpireRecords removes old records; see audit.Store.
func (s auditRecords) ExpireRecords(ctx context.Context, before time.Time) (r audit.Record, expired bool, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		n, err := tx.Exec(ctx, `DELETE FROM audit WHERE timestamp < $1`, before)
		if err != nil || n == 0 {
			return err
		}
		expired = true
		r, err = s.add(ctx, tx, audit.Record{Actor: audit.Server, Action: audit.LogExpired, Object: strconv.FormatInt(n, 10)})
		return err
	})
	return r, expired && err == nil, s.db.Fail("remove old audit records", err)
}

// literal makes a pattern of LIKE from a text. The escape character is !.
var literal = strings.NewReplacer(`!`, `!!`, `%`, `!%`, `_`, `!_`)

// Records returns stored records; see audit.Store. The table is small, so that a filter may read
// all of it.
func (s auditRecords) Records(ctx context.Context, q audit.Query) ([]audit.Record, error) {
	var c conditions
	if q.Before > 0 {
		c.add(`id < ` + c.arg(q.Before))
	}
	if !q.Since.IsZero() {
		c.add(`timestamp >= ` + c.arg(q.Since))
	}
	if !q.Until.IsZero() {
		c.add(`timestamp < ` + c.arg(q.Until))
	}
	if q.Actor != "" {
		c.add(`lower(actor) LIKE ` + c.arg(`%`+literal.Replace(strings.ToLower(store.Text(q.Actor)))+`%`) + ` ESCAPE '!'`)
	}
	var kinds []string
	for _, action := range q.Actions {
		pattern := literal.Replace(store.Text(action))
		if !strings.Contains(action, ".") {
			pattern += `.%`
		}
		kinds = append(kinds, `action LIKE `+c.arg(pattern)+` ESCAPE '!'`)
	}
	if kinds != nil {
		c.add(`(` + strings.Join(kinds, ` OR `) + `)`)
	}
	all, err := list(ctx, s.db, func(row Row) (audit.Record, error) {
		var r audit.Record
		err := row.Scan(&r.ID, Time(&r.Time), &r.Actor, &r.Address, &r.Action, &r.Object)
		return r, err
	}, `SELECT id, timestamp, actor, address, action, object FROM audit`+c.where()+` ORDER BY id DESC LIMIT `+
		strconv.Itoa(max(q.Limit, 0)), c.args...)
	return all, s.db.Fail("read audit records", err)
}
