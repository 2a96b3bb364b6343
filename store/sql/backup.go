package sql

import (
	"context"
	"time"

	"docent/backup"
	"docent/internal/lease"
	"docent/store"
)

var (
	_ backup.Runs = Store{}
	_ lease.Jobs  = Store{}
)

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

// TakeJob takes or extends the lease of a job; see lease.Jobs.
func (s backupRuns) TakeJob(ctx context.Context, job, owner string, until time.Time) (bool, error) {
	now := s.db.Now()
	n, err := s.db.Exec(ctx, `INSERT INTO job_lease (job, owner, until) VALUES ($1, $2, $3) ON CONFLICT (job) DO UPDATE
		SET owner = excluded.owner, until = excluded.until
		WHERE job_lease.owner = $2 OR job_lease.until < $4 OR job_lease.until > $5`,
		job, owner, until, now, now.Add(lease.Max))
	return n > 0, s.db.Fail("lease the job "+job, err)
}

// EndJob ends the lease of an owner; see lease.Jobs.
func (s backupRuns) EndJob(ctx context.Context, job, owner string) error {
	return s.db.Fail("end the job "+job, change(ctx, s.db, nil, `DELETE FROM job_lease WHERE job = $1 AND owner = $2`, job, owner))
}

// JobRuns reports whether anybody has the lease of a job; see lease.Jobs.
func (s backupRuns) JobRuns(ctx context.Context, job string) (bool, error) {
	now, one := s.db.Now(), 0
	runs, err := found(ctx, s.db, []any{&one}, `SELECT 1 FROM job_lease WHERE job = $1 AND until >= $2 AND until <= $3`,
		job, now, now.Add(lease.Max))
	return runs, s.db.Fail("look at the job "+job, err)
}
