package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	records "docent/store/sql"
)

// tryFor is the time for which SQLite itself waits for a write of another process.
// Between tries, the writer checks the caller's context.
const tryFor = 100 * time.Millisecond

// writer is the only connection that writes. Callers take turns. Each of them
// holds it for one transaction.
type writer struct {
	db   *sql.DB
	conn *sql.Conn
	busy time.Duration
	// turn holds one token. Its holder may use the fields below.
	turn  chan struct{}
	stmts map[string]*sql.Stmt // prepared statements by query
}

func newWriter(ctx context.Context, db *sql.DB, busy time.Duration) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	w := &writer{db: db, conn: conn, busy: busy, turn: make(chan struct{}, 1), stmts: map[string]*sql.Stmt{}}
	w.turn <- struct{}{}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", tryFor.Milliseconds())); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// close waits for a running transaction. Later transactions fail.
func (w *writer) close() error {
	if _, open := <-w.turn; !open {
		return nil
	}
	close(w.turn)
	var failed []error
	for _, stmt := range w.stmts {
		failed = append(failed, stmt.Close())
	}
	return errors.Join(append(failed, w.conn.Close(), w.db.Close())...)
}

// write runs f in a transaction. It checks the fence of ctx. The transaction holds the write lock from its
// start, so data that f reads does not change until the commit. A running
// transaction is not interrupted, because all transactions are short. So the
// context of f has no end.
func (s *database) write(ctx context.Context, f func(ctx context.Context, w *writer) error) error {
	w := s.writer
	select {
	case <-ctx.Done():
		return ctx.Err()
	case token, open := <-w.turn:
		if !open {
			return errClosed
		}
		defer func() { w.turn <- token }()
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	whole := context.WithoutCancel(ctx)
	done := false
	defer func() {
		if !done {
			_, _ = w.exec(whole, "ROLLBACK") // on an error, SQLite has already rolled back
		}
	}()
	if err := records.CheckFence(whole, recordTx{w}); err != nil {
		return err
	}
	if err := f(whole, w); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := w.exec(whole, "COMMIT")
	done = err == nil
	return err
}

// begin waits for writes of other processes until the busy timeout or the end
// of ctx.
func (w *writer) begin(ctx context.Context) error {
	for deadline := time.Now().Add(w.busy); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := w.exec(context.WithoutCancel(ctx), "BEGIN IMMEDIATE")
		if err == nil || !isBusy(err) || time.Now().After(deadline) {
			return err
		}
	}
}

func (w *writer) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := w.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := w.conn.PrepareContext(ctx, query)
	if err == nil {
		w.stmts[query] = stmt
	}
	return stmt, err
}

func (w *writer) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := w.stmt(ctx, query) //nolint:sqlclosecheck // the statement stays prepared until close
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

func (w *writer) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := w.stmt(ctx, query) //nolint:sqlclosecheck // the statement stays prepared until close
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// row runs a query for a single row. Scanning fails with sql.ErrNoRows if there
// is none.
func (w *writer) row(ctx context.Context, query string, args ...any) scanner {
	stmt, err := w.stmt(ctx, query) //nolint:sqlclosecheck // the statement stays prepared until close
	if err != nil {
		return failedRow{err}
	}
	return stmt.QueryRowContext(ctx, args...)
}

// scanner is a row.
type scanner interface{ Scan(dest ...any) error }

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }
