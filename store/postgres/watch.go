package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// channel is the channel that announces changes of the corpus.
const channel = "docent_corpus"

// maxPause bounds the wait between attempts to reconnect. The first wait is
// backstop.
const maxPause = 30 * time.Second

// Watch listens for announcements on its own connection; see corpus.Corpus.
func (s *documents) Watch(ctx context.Context) (<-chan struct{}, error) {
	first, err := s.Revision(ctx)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	return s.watchers.Start(ctx, func(ctx context.Context, notify func()) {
		seen := first.Number
		changed := func(now int64) {
			if now != seen {
				seen = now
				notify()
			}
		}
		pause := backstop
		for ctx.Err() == nil {
			listening := false
			err := s.listen(ctx, func(now int64) {
				listening = true
				changed(now)
			})
			if ctx.Err() != nil {
				return
			}
			if listening { // the connection had worked again
				pause = backstop
			}
			s.config.Logger.WarnContext(ctx, "watching the corpus was interrupted", "error", err, "again_in", pause)
			again := time.NewTimer(pause)
			select {
			case <-ctx.Done():
			case <-again.C:
			}
			again.Stop()
			pause = min(2*pause, maxPause)
		}
	}), nil
}

// listen reports revisions until the connection breaks. It reads the revision
// after each announcement and after each backstop. This finds changes that were
// announced without a listener, and broken connections.
func (s *documents) listen(ctx context.Context, changed func(revision int64)) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout) // ctx has usually ended
		defer cancel()
		_ = conn.Close(ctx)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	for {
		revision, err := readRevision(ctx, conn)
		if err != nil {
			return err
		}
		changed(revision)
		if err := wait(ctx, conn); err != nil {
			return err
		}
	}
}

func readRevision(ctx context.Context, conn *pgx.Conn) (revision int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	err = conn.QueryRow(ctx, `SELECT revision FROM corpus`).Scan(&revision)
	return revision, err
}

// wait returns after an announcement or after backstop.
func wait(ctx context.Context, conn *pgx.Conn) error {
	short, cancel := context.WithTimeout(ctx, backstop)
	defer cancel()
	_, err := conn.WaitForNotification(short)
	if err != nil && ctx.Err() == nil && pgconn.Timeout(err) && !conn.IsClosed() {
		return nil
	}
	return err
}
