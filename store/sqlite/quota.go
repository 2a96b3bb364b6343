package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"docent/internal/quota"
	"docent/store"
)

var _ quota.Store = (*Store)(nil)

// Used returns the use of a client; see quota.Store.
func (s *accounts) Used(ctx context.Context, day, client string, resource quota.Resource) (int64, error) {
	var used int64
	err := s.reader.QueryRowContext(ctx, `SELECT amount FROM client_usage WHERE day = ? AND client = ? AND resource = ?`,
		day, store.Text(client), string(resource)).Scan(&used)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return used, fail("read the use of a client", err)
}

// Use counts the use of a client; see quota.Store.
func (s *accounts) Use(ctx context.Context, day, client string, resource quota.Resource, amount, most int64) (bool, error) {
	var counted int64
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		result, err := w.exec(ctx, `INSERT INTO client_usage (day, client, resource, amount) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (day, client, resource) DO UPDATE SET amount = amount + excluded.amount WHERE amount < ?5`,
			day, store.Text(client), string(resource), amount, most)
		if err != nil {
			return err
		}
		counted, err = result.RowsAffected()
		return err
	})
	return counted > 0, fail("count the use of a client", err)
}

// ForgetUse removes the use of earlier days; see quota.Store.
func (s *accounts) ForgetUse(ctx context.Context, day string) error {
	return fail("forget the use of clients", s.write(ctx, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, `DELETE FROM client_usage WHERE day < ?`, day)
		return err
	}))
}
