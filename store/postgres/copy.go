package postgres

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
)

// copyRows inserts rows by COPY. next may reuse the row that it returned last,
// because each row is encoded at once.
func copyRows(ctx context.Context, tx pgx.Tx, table string, columns []string, rows iter.Seq[[]any]) error {
	next, stop := iter.Pull(rows)
	defer stop()
	_, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		row, _ := next() // nil ends the copy
		return row, nil
	}))
	if err != nil {
		return fmt.Errorf("copy to %s: %w", table, err)
	}
	return nil
}
