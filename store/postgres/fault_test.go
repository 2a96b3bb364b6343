package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"docent/internal/fault"
	"docent/internal/pgtest"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	pg := func(code string) error { return fmt.Errorf("exec: %w", &pgconn.PgError{Code: code}) }
	for _, tc := range []struct {
		err  error
		kind fault.Kind
	}{
		{pg("40001"), fault.Busy},
		{pg("40P01"), fault.Busy},
		{pg("55P03"), fault.Busy},
		{pg("57014"), fault.Unavailable},
		{pg("57P01"), fault.Unavailable},
		{pg("53300"), fault.Unavailable},
		{pg("53100"), fault.Unavailable},
		{pg("28P01"), fault.Unavailable},
		{pg("3D000"), fault.Unavailable},
		{pg("22P05"), fault.Invalid},
		{pg("54000"), fault.Invalid},
		{pg("23505"), fault.Conflict},
		{pg("42P01"), fault.Internal},
		{pg(""), fault.Internal},
		{io.ErrUnexpectedEOF, fault.Unavailable},
		{&net.OpError{Op: "dial", Err: errors.New("refused")}, fault.Unavailable},
		{context.Canceled, fault.Canceled},
		{context.DeadlineExceeded, fault.Unavailable},
		{fault.New(fault.NotFound, "test_sentence", "x"), fault.NotFound},
		{errors.New("x"), fault.Internal},
	} {
		if got := fault.KindOf(fail("test", tc.err)); got != tc.kind {
			t.Errorf("%v is %s, want %s", tc.err, got, tc.kind)
		}
	}
	if fail("test", nil) != nil {
		t.Error("no error became one")
	}
}

func TestCollides(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		code, constraint string
		want             bool
	}{
		{"40001", "", true},
		{"40P01", "", true},
		{"23505", "chat_client_id", true},
		{"23505", "chunk_document_id_ordinal_key", true},
		{"23505", "session_agent_name_session_id_key", false},
		{"23503", "document_blob_sha256_fkey", true},
		{"23503", "chat_session_id_fkey", false},
		{"42P01", "", false},
	} {
		if got := collides(&pgconn.PgError{Code: tc.code, ConstraintName: tc.constraint}); got != tc.want {
			t.Errorf("%s %s: %v", tc.code, tc.constraint, got)
		}
	}
	if collides(io.EOF) {
		t.Error("a lost connection is no collision")
	}
}

// TestConstraintNames checks that the schema has the constraints that collides
// names.
func TestConstraintNames(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for _, name := range []string{"chat_client_id", "chunk_document_id_ordinal_key", "document_blob_sha256_fkey"} {
		var n int
		err := s.pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM pg_constraint WHERE conname = $1) + (SELECT count(*) FROM pg_class WHERE relname = $1)`, name).Scan(&n)
		if err != nil || n == 0 {
			t.Errorf("there is no %s: %v", name, err)
		}
	}
}

func testStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{URL: pgtest.URL(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
