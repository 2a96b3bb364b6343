package sql

import (
	"context"
	"database/sql"
	"errors"

	"docent/settings"
	"docent/store"
)

var _ settings.Store = Store{}

// settingRecords stores settings.
type settingRecords struct{ db Database }

// Settings returns all records; see settings.Store.
func (s settingRecords) Settings(ctx context.Context) ([]settings.Record, error) {
	all, err := list(ctx, s.db, scanSetting, `SELECT key, value, secret FROM setting ORDER BY key COLLATE "C"`)
	return all, s.db.Fail("read settings", err)
}

func scanSetting(row Row) (r settings.Record, err error) {
	err = row.Scan(&r.Key, &r.Value, &r.Secret)
	return r, err
}

// ChangeSetting replaces a record; see settings.Store. The lock of the old record orders concurrent changes.
func (s settingRecords) ChangeSetting(
	ctx context.Context, key string, change func(*settings.Record) (*settings.Record, error),
) error {
	return s.db.Fail("change a setting", s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		var old *settings.Record
		found, err := scanSetting(row(ctx, tx, `SELECT key, value, secret FROM setting WHERE key = $1 FOR UPDATE`, key))
		switch {
		case err == nil:
			old = &found
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		next, err := change(old)
		if err != nil {
			return err
		}
		if next == nil {
			_, err = tx.Exec(ctx, `DELETE FROM setting WHERE key = $1`, key)
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO setting (key, value, secret, changed_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value, secret = excluded.secret, changed_at = excluded.changed_at`,
			key, store.Text(next.Value), next.Secret, s.db.Now())
		return err
	}))
}
