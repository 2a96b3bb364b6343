// Package sql stores records with statements that both databases understand: rights, sources,
// webhooks, feedback, the use of clients, audit records, facts about answers, shared links, settings, and
// the lists of documents and sessions. store/postgres and store/sqlite run the statements.
//
// Records belong here if they are read and written seldom, so that one statement for each row is
// fast enough. Messages, events, turns, chunks, vectors, and the changes of the corpus do not:
// Postgres stores them in batches and with COPY, and SQLite with loops. Neither do notifications
// and the leases of replicas, which only Postgres has.
//
// To add a kind of record:
//
//  1. Add its table to migrations/postgres and migrations/sqlite. Times are timestamptz in
//     Postgres, and integers in SQLite.
//  2. Declare an interface for its methods in the package that uses it, with a suite like
//     webhook/webhooktest, which the tests of both stores run.
//  3. Implement the interface here, in a file of its own, on a type like feedback. Add the type to
//     Store and New.
//
// Statements are in the SQL of Postgres. Parameters are $1, $2, and so on, in any order. store/sqlite
// translates the expressions that SQLite lacks; its variable translate lists them. Pass texts
// through store.Text. Pass times as they are. The zero time becomes NULL, so do not compare with
// it. Read times with Time. Pass lists as []string or []int64, and select from them with
// IN (SELECT unnest($1::text[])).
//
// A change that must commit together with documents or turns is part of their transaction, which
// store/postgres and store/sqlite begin. For it, this package has functions with a Tx, such as
// AddDeliveries.
package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Database is an open database. It is safe for concurrent use.
type Database interface {
	// Query runs a statement that only reads.
	Query(ctx context.Context, statement string, args ...any) (Rows, error)
	// Exec runs a statement in a transaction of its own. It returns the number of changed rows.
	Exec(ctx context.Context, statement string, args ...any) (int64, error)
	// Write runs f in a transaction. It checks the fence of ctx. f must only use its own context
	// and Tx. If the transaction collides with others, Write runs f again.
	Write(ctx context.Context, f func(ctx context.Context, tx Tx) error) error
	// NotReplaced returns a condition for rows with session_id and turn: no later message has replaced
	// the turn. session is the id of the session, such as $1.
	NotReplaced(alias, session string) string
	// Fail adds the operation to an error and gives the error its kind. It returns nil for nil.
	Fail(operation string, err error) error
	// Now returns the time for stored data.
	Now() time.Time
}

// Tx is a transaction.
type Tx interface {
	// Query runs a statement that returns rows.
	Query(ctx context.Context, statement string, args ...any) (Rows, error)
	// Exec runs a statement. It returns the number of changed rows.
	Exec(ctx context.Context, statement string, args ...any) (int64, error)
	// ExecAll runs a statement for each of several lists of arguments.
	ExecAll(ctx context.Context, statement string, lists [][]any) error
}

// Rows are the rows of a query, as in database/sql.
type Rows interface {
	Row
	// Next moves to the next row. It returns false after the last one.
	Next() bool
	// Err returns the error that ended the rows early.
	Err() error
	// Close ends the query. Closing twice does no harm.
	Close()
}

// Row is one row.
type Row interface {
	// Scan reads the columns.
	Scan(dest ...any) error
}

// Store stores records. It has one part for each kind. It is safe for concurrent use.
type Store struct {
	webhooks
	feedback
	usage
	auditRecords
	sources
	documents
	collectionRights
	sessions
	snapshots
	insights
	approvals
	shares
	memories
	prompts
	preferences
	accounts
	settingRecords
	backupRuns
	workRecords
	keptQuestions
	digests
	secrets
	triggers
	descriptions
}

// New returns the records of a database.
func New(db Database) Store {
	return Store{
		webhooks: webhooks{db}, feedback: feedback{db}, usage: usage{db}, auditRecords: auditRecords{db}, sources: sources{db},
		documents: documents{db, &libraryCounts{}}, collectionRights: collectionRights{db},
		sessions: sessions{db}, accounts: accounts{db}, snapshots: snapshots{db},
		insights: insights{db}, approvals: approvals{db}, shares: shares{db}, memories: memories{db},
		prompts: prompts{db}, preferences: preferences{db}, settingRecords: settingRecords{db},
		backupRuns: backupRuns{db}, workRecords: workRecords{db},
		keptQuestions: keptQuestions{db}, digests: digests{db}, secrets: secrets{db}, triggers: triggers{db},
		descriptions: descriptions{db},
	}
}

// Time is the target for a column with a time: Scan sets *to. NULL is the zero time.
func Time(to *time.Time) sql.Scanner { return instant{to} }

type instant struct{ to *time.Time }

func (i instant) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*i.to = time.Time{}
	case time.Time:
		*i.to = v.UTC()
	case int64: // SQLite has microseconds
		*i.to = time.UnixMicro(v).UTC()
	default:
		return fmt.Errorf("column of type %T is not a time", value)
	}
	return nil
}

// querier is a Database or a Tx.
type querier interface {
	Query(ctx context.Context, statement string, args ...any) (Rows, error)
}

// list returns the rows of a query.
func list[T any](ctx context.Context, q querier, scan func(Row) (T, error), statement string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, statement, args...)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("scan: %w", err)
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// scanID reads a row with an id.
func scanID(row Row) (id int64, err error) {
	err = row.Scan(&id)
	return id, err
}

// scanText reads a row with a text.
func scanText(row Row) (text string, err error) {
	err = row.Scan(&text)
	return text, err
}

// row runs a query for a single row. Scan fails with sql.ErrNoRows if there is none.
func row(ctx context.Context, q querier, statement string, args ...any) Row {
	rows, err := q.Query(ctx, statement, args...)
	return firstRow{rows, err}
}

type firstRow struct {
	rows Rows
	err  error
}

func (r firstRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}

// missing returns none if err means that there is no row, and err otherwise.
func missing(err, none error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return none
	}
	return err
}

// execer is a Database or a Tx.
type execer interface {
	Exec(ctx context.Context, statement string, args ...any) (int64, error)
}

// change runs a statement. It fails with none if no row changes.
func change(ctx context.Context, e execer, none error, statement string, args ...any) error {
	n, err := e.Exec(ctx, statement, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}
