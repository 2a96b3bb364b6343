package sql_test

import (
	"testing"
	"time"

	"docent/backup"
	"docent/internal/lease"
	"docent/internal/storetest"
)

func TestBackupRuns(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := time.Now().UTC().Truncate(time.Second)
		add := func(after time.Duration, problem string) {
			t.Helper()
			storetest.OK(t, w.backups.AddBackup(t.Context(), backup.Run{At: at.Add(after), Place: "/b/docent.backup", Size: 7, Problem: problem}))
		}
		if last, err := w.backups.LastBackup(t.Context()); err != nil || !last.IsZero() {
			t.Errorf("without backups, the last one is from %v: %v", last, err)
		}
		add(0, "")
		add(time.Minute, "the disk is full")
		all, err := w.backups.Backups(t.Context(), 10)
		storetest.OK(t, err)
		if len(all) != 2 || all[0].Problem == "" || all[1] != (backup.Run{At: at, Place: "/b/docent.backup", Size: 7}) {
			t.Errorf("backups: %+v", all)
		}
		for range backup.MaxRuns {
			add(time.Hour, "the disk is full")
		}
		if last, err := w.backups.LastBackup(t.Context()); err != nil || !last.Equal(at) {
			t.Errorf("the last complete backup is from %v: %v", last, err)
		}
		if all, err = w.backups.Backups(t.Context(), 2*backup.MaxRuns); err != nil || len(all) != backup.MaxRuns+1 {
			t.Errorf("%d runs are kept: %v", len(all), err)
		}
	})
}

func TestJobs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const job = "backup"
		take := func(owner string, until time.Duration, want bool) {
			t.Helper()
			if mine, err := w.jobs.TakeJob(t.Context(), job, owner, time.Now().Add(until)); err != nil || mine != want {
				t.Errorf("%s takes the job: %v, %v, want %v", owner, mine, err, want)
			}
		}
		runs := func(want bool) {
			t.Helper()
			if runs, err := w.jobs.JobRuns(t.Context(), job); err != nil || runs != want {
				t.Errorf("the job runs: %v, %v, want %v", runs, err, want)
			}
		}
		runs(false)
		take("a", time.Minute, true)
		take("a", time.Minute, true)
		take("b", time.Minute, false)
		runs(true)
		storetest.OK(t, w.jobs.EndJob(t.Context(), job, "b"))
		runs(true)
		take("a", -time.Minute, true) // it is killed, and the time passes
		runs(false)
		take("b", time.Minute, true)
		take("b", 2*lease.Max, true) // then, the clock is set back
		take("a", time.Minute, true)
		storetest.OK(t, w.jobs.EndJob(t.Context(), job, "a"))
		runs(false)
	})
}
