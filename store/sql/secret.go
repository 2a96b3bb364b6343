package sql

import (
	"context"
	"fmt"

	"docent/ingest/source/syncer"
	"docent/settings"
	"docent/webhook"
)

var _ syncer.Secrets = Store{}

// secrets changes the key of all encrypted values.
type secrets struct{ db Database }

// secretRow is an encrypted value with its place.
type secretRow struct {
	syncer.Secret

	update string // the statement with the new value as $1 and the key as $2
	key    any
}

// secretRows returns all encrypted values.
func secretRows(ctx context.Context, q querier) (out []secretRow, err error) {
	add := func(scan func(Row) (secretRow, error), statement string) {
		if err == nil {
			var rows []secretRow
			rows, err = list(ctx, q, scan, statement)
			out = append(out, rows...)
		}
	}
	add(func(r Row) (s secretRow, err error) {
		var id int64
		var name, kind, location string
		err = r.Scan(&id, &name, &kind, &location, &s.Sealed)
		s.Name, s.Purpose = "source "+name, syncer.Purpose(kind, location)
		s.update, s.key = `UPDATE source SET secret = $1 WHERE id = $2`, id
		return s, err
	}, `SELECT id, name, kind, location, secret FROM source WHERE secret IS NOT NULL ORDER BY id`)
	add(func(r Row) (s secretRow, err error) {
		var id int64
		var url string
		err = r.Scan(&id, &url, &s.Sealed)
		s.Name, s.Purpose = fmt.Sprintf("webhook %d", id), webhook.Purpose(url)
		s.update, s.key = `UPDATE webhook SET secret = $1 WHERE id = $2`, id
		return s, err
	}, `SELECT id, url, secret FROM webhook WHERE secret IS NOT NULL ORDER BY id`)
	add(func(r Row) (s secretRow, err error) {
		var key string
		err = r.Scan(&key, &s.Sealed)
		s.Name, s.Purpose = key, key
		if key == settings.ModelsKey {
			s.Name = "chat models"
		}
		s.update, s.key = `UPDATE setting SET secret = $1 WHERE key = $2`, key
		return s, err
	}, `SELECT key, secret FROM setting WHERE secret IS NOT NULL ORDER BY key`)
	return out, err
}

// Secrets returns all encrypted values; see syncer.Secrets.
func (s secrets) Secrets(ctx context.Context) ([]syncer.Secret, error) {
	rows, err := secretRows(ctx, s.db)
	var out []syncer.Secret
	for _, r := range rows {
		if len(r.Sealed) > 0 {
			out = append(out, r.Secret)
		}
	}
	return out, s.db.Fail("list secrets", err)
}

// ReplaceSecrets replaces encrypted values; see syncer.Secrets.
func (s secrets) ReplaceSecrets(ctx context.Context, change func(syncer.Secret) []byte) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		rows, err := secretRows(ctx, tx)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if len(r.Sealed) == 0 {
				continue
			}
			if sealed := change(r.Secret); sealed != nil {
				if _, err := tx.Exec(ctx, r.update, sealed, r.key); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return s.db.Fail("encrypt secrets again", err)
}
