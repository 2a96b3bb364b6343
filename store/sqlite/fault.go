package sqlite

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"docent/internal/fault"
)

// errClosed is the error of a write on a closed store.
var errClosed = fault.New(fault.Unavailable, "database_closed", "the database is closed")

// fail adds the operation to an error and gives the error its kind. It returns
// nil for nil.
func fail(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, classify(err))
}

// primary masks the part of a result code that names its class.
const primary = 0xff

// code returns the result code of a SQLite error; 0 for other errors.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code()
}

// isBusy reports whether another connection holds the lock.
func isBusy(err error) bool {
	c := code(err) & primary
	return c == lib.SQLITE_BUSY || c == lib.SQLITE_LOCKED
}

// classify maps SQLite's result codes to kinds. No other function does.
func classify(err error) error {
	var known *fault.Fault
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch code(err) & primary {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fault.Wrap(fault.Busy, err, "database_locked", "the database is busy with another process; try again")
	case lib.SQLITE_INTERRUPT:
		return fault.Wrap(fault.Canceled, err, "request_canceled", "the request was canceled")
	case lib.SQLITE_FULL:
		return fault.Wrap(fault.Unavailable, err, "database_disk_full", "the disk of the database is full")
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_IOERR, lib.SQLITE_PERM, lib.SQLITE_AUTH:
		return fault.Wrap(fault.Unavailable, err, "database_file_unreadable", "the database file cannot be read or written")
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return fault.Wrap(fault.Internal, err, "database_file_damaged", "the database file is damaged or is not a database")
	case lib.SQLITE_TOOBIG, lib.SQLITE_MISMATCH:
		return fault.Wrap(fault.Invalid, err, "database_value_too_large", "a value is too large for the database")
	case lib.SQLITE_CONSTRAINT:
		return fault.Wrap(fault.Conflict, err, "database_conflict", "the change conflicts with stored data")
	default:
		return err
	}
}
