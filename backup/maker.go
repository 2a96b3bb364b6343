package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/internal/lease"
)

const (
	// job is the name of the lease.
	job = "backup"
	// lookEvery is the time between two looks at the schedule.
	lookEvery = 5 * time.Second
	// retryAfter is the time between a failed backup of the schedule and the next attempt.
	retryAfter = 15 * time.Minute
	// maxProblem bounds the stored text of an error, in bytes.
	maxProblem = 500
)

// Plan has the settings of a Maker that can change while it runs.
type Plan struct {
	Schedule

	// Keep is the number of backups in the folder. 0 keeps all.
	Keep int
}

// MakerConfig configures a Maker.
type MakerConfig struct {
	// Database is copied. Required.
	Database Database
	// Runs records the backups. Required.
	Runs Runs
	// Leases selects one process. Required.
	Leases lease.Jobs
	// Folder gets the backups. Default: "", no backups can be made.
	Folder string
	// PassphraseFile has the passphrase in its first line. Default: "", backups are not encrypted.
	PassphraseFile string
	// MaxFile is the size of the largest stored file, in bytes. Required.
	MaxFile int64
	// Header describes the database; see Create. Required.
	Header func(ctx context.Context) (Header, error)
	// Plan returns the present plan. Required.
	Plan func() Plan
	// Now returns the time, in the time zone of the schedule. Default: time.Now.
	Now func() time.Time
	// Logger receives failures. Default: none.
	Logger *slog.Logger
}

// Maker makes backups in a folder, on demand and by a schedule. Several processes may have one. It is
// safe for concurrent use.
type Maker struct {
	cfg   MakerConfig
	asked chan string // owners of leases for backups on demand

	failed time.Time // when Run has failed last; only Run uses it
}

// NewMaker returns a Maker.
func NewMaker(cfg MakerConfig) (*Maker, error) {
	if cfg.Database == nil || cfg.Runs == nil || cfg.Leases == nil || cfg.Header == nil || cfg.Plan == nil {
		return nil, errors.New("backup: a field of MakerConfig is missing")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Maker{cfg: cfg, asked: make(chan string, 1)}, nil
}

// Run makes backups until ctx ends. It records and logs failures.
func (m *Maker) Run(ctx context.Context) error {
	if m.cfg.Folder == "" {
		return nil
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		owner := ""
		select {
		case <-ctx.Done():
			return nil
		case owner = <-m.asked:
		case <-tick.C:
		}
		if owner == "" && m.cfg.Now().Sub(m.failed) < retryAfter {
			continue // also if the failure could not be recorded
		}
		if err := m.step(ctx, owner); err != nil && ctx.Err() == nil {
			m.failed = m.cfg.Now()
			m.cfg.Logger.WarnContext(ctx, "backup", "error", err)
		}
	}
}

// step makes a backup for the owner of the lease, or one that is due.
func (m *Maker) step(ctx context.Context, owner string) error {
	if owner == "" {
		due, err := m.due(ctx)
		if err != nil || !due {
			return err
		}
		if owner, err = lease.Take(ctx, m.cfg.Leases, job, m.cfg.Now); err != nil || owner == "" {
			return err
		}
		if due, err = m.due(ctx); err != nil || !due { // another process was faster
			return errors.Join(err, m.cfg.Leases.EndJob(ctx, job, owner))
		}
	}
	return lease.Hold(ctx, m.cfg.Leases, job, owner, m.cfg.Now, m.makeFile) //nolint:wrapcheck // makeFile names the step
}

// errRunning is the error for a second backup at the same time.
var errRunning = fault.New(fault.Conflict, "backup_running", "a backup is already being made; wait until it is complete")

// Start begins a backup, and returns before it is made. It fails with fault.Conflict without a folder, and while a
// backup is made.
func (m *Maker) Start(ctx context.Context) error {
	if m.cfg.Folder == "" {
		return fault.New(fault.Conflict, "backup_no_folder",
			"this server has no folder for backups; start docent with --backup-folder DIR")
	}
	owner, err := lease.Take(ctx, m.cfg.Leases, job, m.cfg.Now)
	if err != nil {
		return err
	}
	if owner == "" {
		return errRunning
	}
	select {
	case m.asked <- owner:
		return nil
	default: // an earlier one was not begun in time
		return errors.Join(errRunning, m.cfg.Leases.EndJob(ctx, job, owner))
	}
}

// due reports whether the schedule demands a backup now.
func (m *Maker) due(ctx context.Context) (bool, error) {
	now := m.cfg.Now()
	latest := m.cfg.Plan().Latest(now)
	if latest.IsZero() {
		return false, nil
	}
	runs, err := m.cfg.Runs.Backups(ctx, MaxRuns)
	if err != nil {
		return false, err //nolint:wrapcheck // the store names the operation
	}
	for _, r := range runs {
		switch {
		case filepath.Dir(r.Place) != m.cfg.Folder:
		case r.Problem == "":
			return r.At.Before(latest), nil
		case now.Sub(r.At) < retryAfter:
			return false, nil
		}
	}
	return true, nil
}

// makeFile makes a backup, records it, and removes old ones.
func (m *Maker) makeFile(ctx context.Context) error {
	begun := m.cfg.Now()
	place := filepath.Join(m.cfg.Folder, newName(begun))
	size, failed := m.write(ctx, place)
	if ctx.Err() != nil {
		return context.Cause(ctx) // the next process makes it
	}
	run := Run{At: m.cfg.Now(), Place: place, Size: size}
	if failed != nil {
		run.Problem = problem(failed)
	}
	if err := errors.Join(failed, m.cfg.Runs.AddBackup(ctx, run)); err != nil {
		return err
	}
	removed, err := pruneFolder(m.cfg.Folder, m.cfg.Plan().Keep)
	m.cfg.Logger.InfoContext(ctx, "made a backup", "size", size, "took", m.cfg.Now().Sub(begun).Round(time.Millisecond), "removed", removed)
	return err
}

func (m *Maker) write(ctx context.Context, place string) (size int64, err error) {
	passphrase, err := Passphrase(m.cfg.PassphraseFile)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(m.cfg.Folder, 0o700); err != nil {
		return 0, fmt.Errorf("folder of backups: %w", err)
	}
	if err := cleanFolder(m.cfg.Folder); err != nil {
		return 0, err
	}
	header, err := m.cfg.Header(ctx)
	if err != nil {
		return 0, err
	}
	if _, err := Create(ctx, place, passphrase, m.cfg.Database, header, m.cfg.MaxFile, func(Progress) {}); err != nil {
		return 0, err
	}
	info, err := os.Stat(place)
	if err != nil {
		return 0, fmt.Errorf("read backup: %w", err)
	}
	return info.Size(), nil
}

// problem returns the stored text of an error.
func problem(err error) string {
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), maxProblem)], "")
}

// Kept is a run with the state of its file.
type Kept struct {
	Run

	// Present reports that its file is on this machine.
	Present bool
}

// State describes the backups of a server.
type State struct {
	// Folder gets the backups; "" if none can be made.
	Folder string
	// Encrypted reports that new backups are encrypted.
	Encrypted bool
	// Running reports that a process makes a backup now.
	Running bool
	// Next is the time of the next backup, or zero.
	Next time.Time
	// Runs are the latest runs, newest first.
	Runs []Kept
}

// State returns the state.
func (m *Maker) State(ctx context.Context) (State, error) {
	out := State{Folder: m.cfg.Folder, Encrypted: m.cfg.PassphraseFile != ""}
	if out.Folder != "" {
		out.Next = m.cfg.Plan().Next(m.cfg.Now())
	}
	var err error
	if out.Running, err = m.cfg.Leases.JobRuns(ctx, job); err != nil {
		return out, err //nolint:wrapcheck // the store names the operation
	}
	runs, err := m.cfg.Runs.Backups(ctx, MaxRuns)
	for _, r := range runs {
		info, missing := os.Lstat(r.Place)
		out.Runs = append(out.Runs, Kept{r, r.Problem == "" && missing == nil && info.Mode().IsRegular()})
	}
	return out, err //nolint:wrapcheck // the store names the operation
}
