package sql

import (
	"context"
	"time"

	"docent/backup"
	"docent/store"
)

var _ backup.Runs = Store{}

// backupRuns stores the runs of backups.
type backupRuns struct{ db Database }

// AddBackup stores a run, and removes old ones; see backup.Runs.
func (s backupRuns) AddBackup(ctx context.Context, run backup.Run) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO backup_run (at, place, size, problem) VALUES ($1, $2, $3, $4)`,
			run.At, store.Text(run.Place), run.Size, store.Text(run.Problem)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM backup_run WHERE id <= (SELECT max(id) FROM backup_run) - $1
			AND id NOT IN (SELECT max(id) FROM backup_run WHERE problem = '')`, backup.MaxRuns)
		return err
	})
	return s.db.Fail("record a backup", err)
}

// Backups returns the latest runs; see backup.Runs.
func (s backupRuns) Backups(ctx context.Context, limit int) ([]backup.Run, error) {
	out, err := list(ctx, s.db, func(r Row) (b backup.Run, err error) {
		err = r.Scan(Time(&b.At), &b.Place, &b.Size, &b.Problem)
		return b, err
	}, `SELECT at, place, size, problem FROM backup_run ORDER BY id DESC LIMIT $1`, limit)
	return out, s.db.Fail("list backups", err)
}

// LastBackup returns the time of the latest complete backup; see backup.Runs.
func (s backupRuns) LastBackup(ctx context.Context) (at time.Time, err error) {
	_, err = found(ctx, s.db, []any{Time(&at)}, `SELECT at FROM backup_run WHERE problem = '' ORDER BY id DESC LIMIT 1`)
	return at, s.db.Fail("find the last backup", err)
}
