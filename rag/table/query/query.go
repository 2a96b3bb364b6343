// Package query runs SQL on tables of documents, in a database in memory.
package query

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"docent/internal/fault"
	"docent/rag/table"
)

// Limits of a query.
const (
	// MaxSQL limits the query in bytes.
	MaxSQL = 8 << 10
	// MaxTables limits the tables of a query.
	MaxTables = 8
	// MaxCells limits the cells of all tables of a query.
	MaxCells = 500_000
	// MaxRows limits the rows of a result.
	MaxRows = 100
	// MaxResult limits the text of a result in bytes.
	MaxResult = 32 << 10
	// maxValue limits a text or a blob of SQLite in bytes.
	maxValue = 1 << 20
	// timeout limits the time of a query.
	timeout = 5 * time.Second
)

// Table is a table with the name that queries use.
type Table struct {
	// Name is the name in SQL.
	Name string
	// Table has the rows.
	Table *table.Table
	// Passages are the numbers of the passages of the rows, in the order of the rows, or 0.
	Passages []int
}

// Result is the result of a query.
type Result struct {
	// Columns are the names of the columns.
	Columns []string
	// Rows are the first rows, as text.
	Rows [][]string
	// Cut reports that there are more rows.
	Cut bool
}

var (
	// quoted matches strings, names in quotes, and comments.
	quoted = regexp.MustCompile(`(?s)'(?:[^']|'')*'|"(?:[^"]|"")*"|` + "`[^`]*`" + `|\[[^\]]*\]|--[^\n]*|/\*.*?\*/`)
	// refused matches words that a query must not use. A recursion need not end.
	refused = regexp.MustCompile(`(?i)\b(attach|detach|pragma\w*|recursive|vacuum|insert|update|delete|drop|create|alter|replace\s+into|load_extension)\b`)
	begins  = regexp.MustCompile(`(?i)^\s*(select|with)\b`)
)

// Check reports why a text is not one SELECT.
func Check(text string) error {
	bare := strings.TrimRight(quoted.ReplaceAllString(text, " "), " \t\r\n;")
	switch {
	case len(text) > MaxSQL:
		return fault.New(fault.Invalid, "query_too_long", "the query has %d bytes; at most %d are allowed", len(text), MaxSQL)
	case !begins.MatchString(bare) || strings.Contains(bare, ";"):
		return fault.New(fault.Invalid, "query_not_select", "the query must be one SELECT")
	}
	if word := refused.FindString(bare); word != "" {
		return fault.New(fault.Invalid, "query_word", "the query must not use %s", strings.ToUpper(word))
	}
	return nil
}

// Run runs a SELECT on tables. Errors of the query have the kind fault.Invalid.
func Run(ctx context.Context, tables []Table, text string) (Result, error) {
	if err := Check(text); err != nil {
		return Result{}, err
	}
	cells := 0
	for _, t := range tables {
		cells += len(t.Table.Rows) * len(t.Table.Columns)
	}
	if cells > MaxCells || len(tables) > MaxTables {
		return Result{}, fault.New(fault.Invalid, "query_tables_large",
			"the tables are too large: %d tables with %d cells; at most %d tables with %d cells are allowed",
			len(tables), cells, MaxTables, MaxCells)
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return Result{}, fmt.Errorf("open a database in memory: %w", err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("open a database in memory: %w", err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, t := range tables {
		if err := load(ctx, conn, t); err != nil {
			return Result{}, fmt.Errorf("load table %s: %w", t.Name, err)
		}
	}
	if err := restrict(ctx, conn); err != nil {
		return Result{}, err
	}
	return read(ctx, conn, text)
}

// restrict forbids writes, other databases, and large values.
func restrict(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only = 1"); err != nil {
		return fmt.Errorf("forbid writes: %w", err)
	}
	for id, value := range map[int]int{
		lib.SQLITE_LIMIT_ATTACHED: 0, lib.SQLITE_LIMIT_LENGTH: maxValue,
		lib.SQLITE_LIMIT_SQL_LENGTH: MaxSQL,
	} {
		if _, err := sqlite.Limit(conn, id, value); err != nil {
			return fmt.Errorf("limit the query: %w", err)
		}
	}
	return nil
}

// ColumnNames returns the names of the columns in SQL: the headers, with a number behind those that occur twice. The last
// column is passage.
func ColumnNames(t *table.Table) []string {
	seen := map[string]bool{"passage": true}
	var out []string
	for i, c := range t.Columns {
		name := strings.ReplaceAll(strings.Join(strings.Fields(c.Header), " "), `"`, "'")
		if name == "" {
			name = "column " + strconv.Itoa(i+1)
		}
		for base, n := name, 2; seen[strings.ToLower(name)]; n++ {
			name = base + " " + strconv.Itoa(n)
		}
		seen[strings.ToLower(name)] = true
		out = append(out, name)
	}
	return append(out, "passage")
}

// load creates a table and adds its rows, without totals. Numbers are REAL, dates are texts such as 2026-03-12, and times are
// seconds.
func load(ctx context.Context, conn *sql.Conn, t Table) error {
	var define, marks []string
	for i, name := range ColumnNames(t.Table) {
		kind := "REAL"
		switch {
		case i == len(t.Table.Columns):
			kind = "INTEGER"
		case t.Table.Columns[i].Kind == table.Text || t.Table.Columns[i].Kind == table.Date:
			kind = "TEXT"
		}
		define, marks = append(define, `"`+name+`" `+kind), append(marks, "?")
	}
	if _, err := conn.ExecContext(ctx, `CREATE TABLE "`+t.Name+`" (`+strings.Join(define, ", ")+`)`); err != nil {
		return err //nolint:wrapcheck // Run names the table
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err //nolint:wrapcheck // Run names the table
	}
	defer func() { _ = tx.Rollback() }()
	insert, err := tx.PrepareContext(ctx, `INSERT INTO "`+t.Name+`" VALUES (`+strings.Join(marks, ", ")+`)`)
	if err != nil {
		return err //nolint:wrapcheck // Run names the table
	}
	defer func() { _ = insert.Close() }()
	for _, i := range t.Table.Data() {
		values := make([]any, 0, len(marks))
		for c, cell := range t.Table.Rows[i].Cells {
			values = append(values, value(t.Table.Columns[c], cell))
		}
		if _, err := insert.ExecContext(ctx, append(values, t.Passages[i])...); err != nil {
			return err //nolint:wrapcheck // Run names the table
		}
	}
	return tx.Commit() //nolint:wrapcheck // Run names the table
}

// value returns the value of a cell in SQL.
func value(c table.Column, cell table.Cell) any {
	switch {
	case cell.Missing:
		return nil
	case c.Kind == table.Text:
		return cell.Text
	case !cell.Valued:
		return nil
	case c.Kind == table.Date:
		return table.Day(cell.Value).Format(time.DateOnly)
	}
	return cell.Value
}

// read runs the query.
func read(ctx context.Context, conn *sql.Conn, text string) (Result, error) {
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return Result{}, failed(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	var out Result
	if out.Columns, err = rows.Columns(); err != nil {
		return Result{}, failed(ctx, err)
	}
	size := 0
	for rows.Next() {
		if len(out.Rows) == MaxRows || size > MaxResult {
			out.Cut = true
			break
		}
		cells := make([]sql.NullString, len(out.Columns))
		into := make([]any, len(cells))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return Result{}, failed(ctx, err)
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			if row[i] = c.String; !c.Valid {
				row[i] = "NULL"
			}
			if len(row[i]) > MaxResult {
				row[i] = strings.ToValidUTF8(row[i][:MaxResult], "")
			}
			size += len(row[i])
		}
		out.Rows = append(out.Rows, row)
	}
	if err := rows.Err(); err != nil && !out.Cut {
		return Result{}, failed(ctx, err)
	}
	return out, nil
}

// failed returns the error of a query.
func failed(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.New(fault.Invalid, "query_slow", "the query takes longer than %d seconds", int(timeout/time.Second))
	}
	if ctx.Err() != nil {
		return fmt.Errorf("query: %w", ctx.Err())
	}
	return fault.Wrap(fault.Invalid, err, "query_failed", "the query fails: %s", err.Error())
}
