package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"docent/internal/quota"
	"docent/store"
)

var _ quota.Store = (*Store)(nil)

// Used returns the use of a client; see quota.Store.
func (s *accounts) Used(ctx context.Context, day, client string, resource quota.Resource) (int64, error) {
	var used int64
	err := s.pool.QueryRow(ctx, `SELECT amount FROM client_usage WHERE day = $1 AND client = $2 AND resource = $3`,
		day, store.Text(client), string(resource)).Scan(&used)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return used, fail("read the use of a client", err)
}

// Use counts the use of a client; see quota.Store.
func (s *accounts) Use(ctx context.Context, day, client string, resource quota.Resource, amount, most int64) (bool, error) {
	tag, err := s.pool.Exec(ctx, `INSERT INTO client_usage AS u (day, client, resource, amount) VALUES ($1, $2, $3, $4)
		ON CONFLICT (day, client, resource) DO UPDATE SET amount = u.amount + excluded.amount WHERE u.amount < $5`,
		day, store.Text(client), string(resource), amount, most)
	return tag.RowsAffected() > 0, fail("count the use of a client", err)
}

// ForgetUse removes the use of earlier days; see quota.Store.
func (s *accounts) ForgetUse(ctx context.Context, day string) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM client_usage WHERE day < $1`, day)
	return fail("forget the use of clients", err)
}
