package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"docent/agent/session/replica"
)

var _ replica.Bus = (*Store)(nil)

// replicaChannel returns the channel of a replica.
func replicaChannel(id string) string { return "docent_replica_" + id }

const (
	// checkTimeout bounds the check of a connection.
	checkTimeout = 10 * time.Second
	// quietCheck is the time without a notification after which Listen checks its connection.
	quietCheck = 5 * time.Second
)

// Listen receives the notifications for a replica on its own connection; see replica.Bus.
func (s *replicas) Listen(ctx context.Context, id string, ready func(), receive func(payload string)) error {
	return fail("listen for other replicas", s.listenFor(ctx, id, ready, receive))
}

func (s *replicas) listenFor(ctx context.Context, id string, ready func(), receive func(payload string)) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout) // ctx has usually ended
		defer cancel()
		_ = conn.Close(ctx)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{replicaChannel(id)}.Sanitize()); err != nil {
		return err
	}
	ready()
	for {
		quiet, cancel := context.WithTimeout(ctx, quietCheck)
		n, err := conn.WaitForNotification(quiet)
		cancel()
		switch {
		case err == nil:
			receive(n.Payload)
		case ctx.Err() != nil || !pgconn.Timeout(err) || conn.IsClosed():
			return err
		default:
			if err := checkConnection(ctx, conn); err != nil {
				return err
			}
		}
	}
}

// checkConnection fails if a connection does not answer.
func checkConnection(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return conn.Ping(ctx)
}

// Post notifies a replica; see replica.Bus. The statement is one transaction.
func (s *replicas) Post(ctx context.Context, to string, payloads []string) error {
	_, err := s.pool.Exec(ctx, `SELECT pg_notify($1, p) FROM unnest($2::text[]) AS p`, replicaChannel(to), payloads)
	return fail("notify another replica", err)
}
