package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	records "docent/store/sql"
)

// recordDatabase runs the statements of store/sql.
type recordDatabase struct{ *database }

// Query implements records.Database.
func (d recordDatabase) Query(ctx context.Context, statement string, args ...any) (records.Rows, error) {
	return d.pool.Query(ctx, statement, arguments(args)...) //nolint:sqlclosecheck // store/sql closes the rows
}

// Exec implements records.Database.
func (d recordDatabase) Exec(ctx context.Context, statement string, args ...any) (n int64, err error) {
	err = again(ctx, func() error {
		tag, err := d.pool.Exec(ctx, statement, arguments(args)...)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// Write implements records.Database.
func (d recordDatabase) Write(ctx context.Context, f func(ctx context.Context, tx records.Tx) error) error {
	return d.write(ctx, func(tx pgx.Tx) error { return f(ctx, recordTx{tx}) })
}

// NotReplaced implements records.Database.
func (recordDatabase) NotReplaced(alias, session string) string { return notReplaced(alias, session) }

// Fail implements records.Database.
func (recordDatabase) Fail(operation string, err error) error { return fail(operation, err) }

// Now implements records.Database.
func (d recordDatabase) Now() time.Time { return d.config.Now() }

// recordTx is a transaction.
type recordTx struct{ tx pgx.Tx }

// Query implements records.Tx.
func (t recordTx) Query(ctx context.Context, statement string, args ...any) (records.Rows, error) {
	return t.tx.Query(ctx, statement, arguments(args)...) //nolint:sqlclosecheck // store/sql closes the rows
}

// Exec implements records.Tx.
func (t recordTx) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	tag, err := t.tx.Exec(ctx, statement, arguments(args)...)
	return tag.RowsAffected(), err
}

// ExecAll implements records.Tx. It takes one round trip.
func (t recordTx) ExecAll(ctx context.Context, statement string, lists [][]any) error {
	if len(lists) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	for _, args := range lists {
		batch.Queue(statement, arguments(args)...)
	}
	return t.tx.SendBatch(ctx, batch).Close()
}

// arguments returns the stored form of arguments: NULL for the zero time.
func arguments(args []any) []any {
	values := make([]any, len(args))
	for i, arg := range args {
		if at, ok := arg.(time.Time); !ok || !at.IsZero() {
			values[i] = arg
		}
	}
	return values
}
