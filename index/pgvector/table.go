package pgvector

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"docent/index/pgfollow"
	"docent/internal/fault"
)

// version is the version of the extension, as major and minor number.
type version struct{ major, minor int }

// parseVersion reads a version such as 0.8.1. It returns zeros for other texts.
func parseVersion(s string) version {
	major, rest, _ := strings.Cut(s, ".")
	minor, _, _ := strings.Cut(rest, ".")
	var v version
	var err1, err2 error
	v.major, err1 = strconv.Atoi(major)
	v.minor, err2 = strconv.Atoi(minor)
	if errors.Join(err1, err2) != nil {
		return version{}
	}
	return v
}

func (v version) atLeast(minor int) bool { return v.major > 0 || v.minor >= minor }

// hnsw reports whether the version has HNSW indexes.
func (v version) hnsw() bool { return v.atLeast(5) }

// half reports whether the version has vectors of half precision.
func (v version) half() bool { return v.atLeast(7) }

// iterative reports whether an HNSW index continues until a filter has enough
// hits.
func (v version) iterative() bool { return v.atLeast(8) }

const (
	// maxIndexed is the greatest length of vectors in an HNSW index.
	maxIndexed = 2000
	// maxHalfIndexed is maxIndexed for half precision.
	maxHalfIndexed = 4000
)

// indexable reports whether an HNSW index can hold the vectors.
func (x vectors) indexable() bool {
	if x.index.version.half() {
		return x.dimensions <= maxHalfIndexed
	}
	return x.dimensions <= maxIndexed
}

// key is the expression in the HNSW index, and operators is its operator class.
func (x vectors) key() (key, operators string) {
	if x.index.version.half() {
		return fmt.Sprintf("(vector::halfvec(%d))", x.dimensions), "halfvec_ip_ops"
	}
	return fmt.Sprintf("(vector::vector(%d))", x.dimensions), "vector_ip_ops"
}

// layout is the version of the tables and of the rows in them. docent builds tables
// of another version again.
const layout = 3

// columns are columns of the state. vectors is the number of entries. Servers of versions
// before index/pgwords write chunks and tokens when they start, also during an upgrade.
const columns = `vectors bigint NOT NULL DEFAULT 0, chunks bigint NOT NULL DEFAULT 0, tokens bigint NOT NULL DEFAULT 0`

// derived are the derived tables, except that of the states of encoders.
const derived = `pgvector_entry, pgvector_encoded`

// entryTable has the vectors, at length 1. It repeats the columns of other tables
// that searches filter and order by.
const entryTable = `CREATE TABLE pgvector_entry (
	chunk_id bigint PRIMARY KEY,
	document_id bigint NOT NULL,
	collection text NOT NULL,
	source text COLLATE "C" NOT NULL,
	ordinal integer NOT NULL,
	vector vector(%d) NOT NULL);
CREATE INDEX pgvector_entry_document ON pgvector_entry (document_id);
CREATE INDEX pgvector_entry_collection ON pgvector_entry (collection)`

// maxInRow is the greatest length of vectors that fit in their rows.
const maxInRow = 1500

// inRow keeps vectors in the rows of a table, so that a scan does not fetch each one
// from another table.
func inRow(table string) string {
	return `ALTER TABLE ` + table + ` ALTER COLUMN vector SET STORAGE PLAIN`
}

// fits creates the extension, and reports whether the table has vectors of the length.
func (x *Index) fits(ctx context.Context, tx pgx.Tx) (bool, error) {
	if err := x.extension(ctx, tx); err != nil {
		return false, err
	}
	var column string
	err := tx.QueryRow(ctx, `SELECT coalesce((SELECT format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = to_regclass('pgvector_entry') AND attname = 'vector' AND NOT attisdropped), '')`).Scan(&column)
	return column == fmt.Sprintf("vector(%d)", x.cfg.Dimensions), err
}

// tables implements pgfollow.Index and pgfollow.Step.
type tables struct{ *Index }

// Create implements pgfollow.Index.
func (t tables) Create(ctx context.Context, tx pgx.Tx) error {
	queries := []string{`DROP TABLE IF EXISTS pgvector_encoder, ` + derived, fmt.Sprintf(entryTable, t.cfg.Dimensions)}
	queries = append(queries, encoderTables...)
	if t.cfg.Dimensions <= maxInRow {
		queries = append(queries, inRow("pgvector_entry"))
	}
	for _, query := range queries {
		if _, err := tx.Exec(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// Clear implements pgfollow.Index.
func (t tables) Clear(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `TRUNCATE `+derived); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `WITH encoders AS (UPDATE pgvector_encoder SET revision = 0, vectors = 0) UPDATE pgvector_index SET vectors = 0`)
	return err
}

// Step implements pgfollow.Index.
func (t tables) Step() pgfollow.Step { return t }

// End implements pgfollow.Step.
func (tables) End(context.Context, pgx.Tx) error { return nil }

// SQLSTATE codes of a failed CREATE EXTENSION.
const (
	noPrivilege  = "42501"
	notSupported = "0A000"
	noFile       = "58P01"
)

// extension creates the extension if the database does not have it, and reads its
// version.
func (x *Index) extension(ctx context.Context, tx pgx.Tx) error {
	const installed = `SELECT extversion FROM pg_extension WHERE extname = 'vector'`
	var have string
	err := tx.QueryRow(ctx, installed).Scan(&have)
	if errors.Is(err, pgx.ErrNoRows) {
		if _, err := tx.Exec(ctx, `CREATE EXTENSION vector`); err != nil {
			return refused(err)
		}
		err = tx.QueryRow(ctx, installed).Scan(&have)
	}
	if err != nil {
		return fmt.Errorf("read the version of pgvector: %w", err)
	}
	if x.version = parseVersion(have); !x.version.hnsw() {
		return fault.New(fault.Invalid, "config_pgvector_too_old",
			"pgvector %s is too old; install version 0.5 or later, and run ALTER EXTENSION vector UPDATE in the database", have)
	}
	return nil
}

// checkExtension fails if extension would fail. It rolls back.
func (x *Index) checkExtension(ctx context.Context) error {
	tx, err := x.cfg.Pool.Begin(ctx)
	if err != nil {
		return err
	}
	return errors.Join(x.extension(ctx, tx), tx.Rollback(ctx))
}

// refused says what to do if the extension cannot be created.
func refused(err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case noPrivilege:
		return fault.New(fault.Invalid, "config_pgvector_not_allowed",
			"this database user may not create the extension pgvector; run CREATE EXTENSION vector in the database as a superuser: %w", err)
	case notSupported, noFile:
		return fault.New(fault.Invalid, "config_pgvector_missing",
			"the PostgreSQL server does not have the extension pgvector; install it there, or use another value of the setting index: %w", err)
	}
	return err
}
