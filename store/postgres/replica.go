package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/agent/session/journal"
)

var _ journal.Leases = (*Store)(nil)

// JoinReplicas adds a replica; see journal.Leases.
func (s *replicas) JoinReplicas(ctx context.Context, id string, ttl time.Duration) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO replica (id, expires_at) VALUES ($1, now() + $2)`, id, ttl)
	return fail("join the replicas", err)
}

// RenewReplica keeps a replica alive; see journal.Leases. The row lock decides between the renewal
// and the removal of an expired replica.
func (s *replicas) RenewReplica(ctx context.Context, id string, ttl time.Duration) (others []string, renewed bool, err error) {
	others, renewed, err = s.renew(ctx, id, ttl)
	return others, renewed, fail("renew the lease of a replica", err)
}

func (s *replicas) renew(ctx context.Context, id string, ttl time.Duration) (others []string, renewed bool, err error) {
	batch := &pgx.Batch{}
	// A replica that renews itself at the same time is locked, and stays.
	batch.Queue(`UPDATE replica SET expires_at = now() + $2 WHERE id = $1`, id, ttl)
	batch.Queue(`DELETE FROM replica WHERE id IN (SELECT id FROM replica WHERE expires_at < now() AND id <> $1 FOR UPDATE SKIP LOCKED)`, id)
	batch.Queue(`SELECT id FROM replica WHERE id <> $1 ORDER BY id`, id)
	results := s.pool.SendBatch(ctx, batch)
	defer results.Close() //nolint:errcheck // reading the rows returns the error
	tag, err := results.Exec()
	if err != nil {
		return nil, false, err
	}
	renewed = tag.RowsAffected() == 1
	if _, err = results.Exec(); err != nil {
		return nil, false, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, false, err
	}
	if others, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, false, err
	}
	return others, renewed, results.Close()
}

// LeaveReplicas removes a replica; see journal.Leases.
func (s *replicas) LeaveReplicas(ctx context.Context, id string) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM replica WHERE id = $1`, id)
	return fail("leave the replicas", err)
}

// ReleaseSession makes a session free; see journal.Leases.
func (s *replicas) ReleaseSession(ctx context.Context, key journal.SessionKey, replica string) error {
	_, err := s.pool.Exec(ctx, `UPDATE session SET replica = '' WHERE agent_name = $1 AND session_id = $2 AND replica = $3`,
		key.Agent, key.ID, replica)
	return fail("release session "+key.ID, err)
}

// ListReplicas returns the live replicas; see journal.Leases.
func (s *replicas) ListReplicas(ctx context.Context) ([]journal.Replica, error) {
	rows, err := s.pool.Query(ctx, `SELECT id, expires_at FROM replica WHERE expires_at >= now() ORDER BY id`)
	if err != nil {
		return nil, fail("list the replicas", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[journal.Replica])
	return out, fail("list the replicas", err)
}
