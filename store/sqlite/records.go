package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"

	records "docent/store/sql"
)

// recordDatabase runs the statements of store/sql.
type recordDatabase struct{ *database }

// Query implements records.Database.
func (d recordDatabase) Query(ctx context.Context, statement string, args ...any) (records.Rows, error) {
	values, err := arguments(args)
	if err != nil {
		return nil, err
	}
	return openRows(d.reader.QueryContext(ctx, translate.Replace(statement), values...))
}

// Exec implements records.Database.
func (d recordDatabase) Exec(ctx context.Context, statement string, args ...any) (n int64, err error) {
	err = d.write(ctx, func(ctx context.Context, w *writer) error {
		n, err = recordTx{w}.Exec(ctx, statement, args...)
		return err
	})
	return n, err
}

// Write implements records.Database.
func (d recordDatabase) Write(ctx context.Context, f func(ctx context.Context, tx records.Tx) error) error {
	return d.write(ctx, func(ctx context.Context, w *writer) error { return f(ctx, recordTx{w}) })
}

// NotReplaced implements records.Database.
func (recordDatabase) NotReplaced(alias, session string) string { return notReplaced(alias, session) }

// Fail implements records.Database.
func (recordDatabase) Fail(operation string, err error) error { return fail(operation, err) }

// Now implements records.Database.
func (d recordDatabase) Now() time.Time { return d.config.Now() }

// recordTx is a transaction of the writer. The locks that statements take have no meaning in
// it, because no other transaction writes.
type recordTx struct{ w *writer }

// Query implements records.Tx.
func (t recordTx) Query(ctx context.Context, statement string, args ...any) (records.Rows, error) {
	values, err := arguments(args)
	if err != nil {
		return nil, err
	}
	return openRows(t.w.query(ctx, translate.Replace(statement), values...))
}

// Exec implements records.Tx.
func (t recordTx) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	values, err := arguments(args)
	if err != nil {
		return 0, err
	}
	result, err := t.w.exec(ctx, translate.Replace(statement), values...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// ExecAll implements records.Tx.
func (t recordTx) ExecAll(ctx context.Context, statement string, lists [][]any) error {
	for _, args := range lists {
		if _, err := t.Exec(ctx, statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// translate replaces the expressions of Postgres that SQLite lacks. SQLite compares texts by their
// bytes, as COLLATE "C" does. It has lists as JSON, and needs no types of parameters.
var translate = strings.NewReplacer(
	` COLLATE "C"`, ``,
	` FOR SHARE`, ``, ` FOR KEY SHARE`, ``, ` FOR NO KEY UPDATE`, ``, ` FOR UPDATE`, ``, ` SKIP LOCKED`, ``,
	`strpos(`, `instr(`, ` #>> '{}'`, ` ->> '$'`,
	`SELECT unnest(`, `SELECT value FROM json_each(`,
	`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`, `0`, `pg_snapshot_xmax(pg_current_snapshot())::text::bigint`, `0`,
	`::text[]`, ``, `::bigint[]`, ``, `::timestamptz`, ``,
)

// arguments returns the stored form of arguments.
func arguments(args []any) ([]any, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case time.Time:
			if !v.IsZero() {
				values[i] = v.UnixMicro()
			}
		case []string, []int64:
			list, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			values[i] = string(list)
		default:
			values[i] = arg
		}
	}
	return values, nil
}

// closedRows are rows whose Close returns nothing, because Err reports errors.
type closedRows struct{ *sql.Rows }

// Close implements records.Rows.
func (r closedRows) Close() { _ = r.Rows.Close() }

func openRows(opened *sql.Rows, err error) (records.Rows, error) {
	if err != nil {
		return nil, err
	}
	return closedRows{opened}, nil
}
