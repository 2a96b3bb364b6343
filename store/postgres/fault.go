package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"docent/internal/fault"
)

// SQLSTATE codes and classes; see PostgreSQL's appendix A.
const (
	serialization      = "40001"
	deadlock           = "40P01"
	foreignKey         = "23503"
	unique             = "23505"
	queryCanceled      = "57014"
	diskFull           = "53100"
	lockNotAvailable   = "55P03"
	classConnection    = "08"
	classData          = "22"
	classConstraint    = "23"
	classAuthorization = "28"
	classCatalog       = "3D" // no such database
	classResources     = "53"
	classLimit         = "54"
	classOperator      = "57" // shutting down, starting up
	classSystem        = "58"
)

// fail adds the operation to an error and gives the error its kind. It returns
// nil for nil.
func fail(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, classify(err))
}

// collides reports whether a transaction failed only because of a concurrent
// one, so that a retry helps. Only this function knows the names of
// constraints.
func collides(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case serialization, deadlock:
		return true
	case foreignKey: // the bytes were deleted while a document began to refer to them
		return e.ConstraintName == "document_blob_sha256_fkey"
	case unique: // two calls stored the same message or the same new document
		return e.ConstraintName == "chat_client_id" || e.ConstraintName == "event_client_id" ||
			e.ConstraintName == "chunk_document_id_ordinal_key"
	default:
		return false
	}
}

// classify maps PostgreSQL's error codes to kinds. No other function does.
func classify(err error) error {
	var known *fault.Fault
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return classifyConnection(err)
	}
	switch e.Code {
	case serialization, deadlock, lockNotAvailable:
		return fault.Wrap(fault.Busy, err, "database_busy", "the database is busy; try again")
	case queryCanceled:
		return fault.Wrap(fault.Unavailable, err, "database_slow", "the database took too long")
	case diskFull:
		return fault.Wrap(fault.Unavailable, err, "database_disk_full", "the disk of the database is full")
	}
	switch e.Code[:min(2, len(e.Code))] {
	case classData, classLimit:
		return fault.Wrap(fault.Invalid, err, "database_value_invalid", "a value does not fit the database")
	case classConstraint:
		return fault.Wrap(fault.Conflict, err, "database_conflict", "the change conflicts with stored data")
	case classAuthorization, classCatalog:
		return fault.Wrap(fault.Unavailable, err,
			"database_refused", "the database refuses the connection; check user, password, and name in the URL")
	case classConnection, classResources, classOperator, classSystem:
		return fault.Wrap(fault.Unavailable, err, "database_unreachable", "the database is not available")
	default:
		return err
	}
}

// classifyConnection recognizes an unreachable server.
func classifyConnection(err error) error {
	var connect *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fault.Wrap(fault.Unavailable, err, "database_unreachable", "the database is not available")
	}
	return err
}
