package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// channel is what a change of the corpus is announced on.
const channel = "docent_corpus"

// maxPause is the longest wait between attempts to listen to a database that is
// away; the first is backstop.
const maxPause = 30 * time.Second

// Watch listens for announcements on a connection of its own; see rag.Corpus.
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
			if listening { // it was back
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

// listen reports revisions until the connection breaks. The revision is read
// after each announcement, and now and then without: what was announced while
// nobody listened is not lost, and a connection that died in silence is found.
func (s *documents) listen(ctx context.Context, changed func(revision int64)) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout) // ctx has mostly ended
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

// wait returns after an announcement or a while.
func wait(ctx context.Context, conn *pgx.Conn) error {
	short, cancel := context.WithTimeout(ctx, backstop)
	defer cancel()
	_, err := conn.WaitForNotification(short)
	if err != nil && ctx.Err() == nil && pgconn.Timeout(err) && !conn.IsClosed() {
		return nil
	}
	return err
}
