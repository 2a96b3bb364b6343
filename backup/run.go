package backup

import (
	"context"
	"time"
)

// MaxRuns bounds the kept runs. The oldest ones are removed.
const MaxRuns = 100

// Run is an attempt to make a backup.
type Run struct {
	// At is the end.
	At time.Time
	// Place is the file.
	Place string
	// Size is the size of the file in bytes.
	Size int64
	// Problem says why it failed; "" for a complete backup.
	Problem string
}

// Runs keeps the runs. It is safe for concurrent use.
type Runs interface {
	// AddBackup stores a run.
	AddBackup(ctx context.Context, run Run) error
	// Backups returns the latest runs, newest first.
	Backups(ctx context.Context, limit int) ([]Run, error)
	// LastBackup returns the time of the latest complete backup, or the zero time without one.
	LastBackup(ctx context.Context) (time.Time, error)
}
