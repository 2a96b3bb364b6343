package sql

import (
	"context"

	"docent/internal/quota"
	"docent/store"
)

var _ quota.Store = Store{}

// usage counts the use of clients.
type usage struct{ db Database }

// Used returns the use of a client; see quota.Store.
func (s usage) Used(ctx context.Context, day, client string, resource quota.Resource) (int64, error) {
	var used int64
	err := row(ctx, s.db, `SELECT amount FROM client_usage WHERE day = $1 AND client = $2 AND resource = $3`,
		day, store.Text(client), string(resource)).Scan(&used)
	return used, s.db.Fail("read the use of a client", missing(err, nil))
}

// Use counts the use of a client; see quota.Store.
func (s usage) Use(ctx context.Context, day, client string, resource quota.Resource, amount, most int64) (bool, error) {
	n, err := s.db.Exec(ctx, `INSERT INTO client_usage AS u (day, client, resource, amount) VALUES ($1, $2, $3, $4)
		ON CONFLICT (day, client, resource) DO UPDATE SET amount = u.amount + excluded.amount WHERE u.amount < $5`,
		day, store.Text(client), string(resource), amount, most)
	return n > 0, s.db.Fail("count the use of a client", err)
}

// ForgetUse removes the use of earlier days; see quota.Store.
func (s usage) ForgetUse(ctx context.Context, day string) error {
	return s.db.Fail("forget the use of clients", change(ctx, s.db, nil, `DELETE FROM client_usage WHERE day < $1`, day))
}
