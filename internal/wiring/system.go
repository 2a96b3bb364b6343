package wiring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"docent/agent/session/replica"
	"docent/api/system"
	"docent/backup"
	"docent/ingest"
	"docent/internal/disk"
	"docent/internal/fault"
)

// examinedFor is the time for which the results of checks are used again.
const examinedFor = 10 * time.Second

// examined examines a running server. It is safe for concurrent use.
type examined struct {
	server    *Server
	startedAt time.Time

	mu     sync.Mutex // guards the following fields
	doctor *Doctor
	at     time.Time
	checks []system.Check
}

func newExamined(s *Server) *examined {
	return &examined{server: s, startedAt: time.Now().UTC().Truncate(time.Second), doctor: newServerDoctor(s)}
}

// examine returns the checks and their time.
func (e *examined) examine(ctx context.Context) ([]system.Check, time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if time.Since(e.at) < examinedFor {
		return e.checks, e.at
	}
	var checks []system.Check
	e.doctor.Config = e.server.now().store.Config
	e.doctor.Examine(ctx, func(f Finding) {
		c := system.Check{Name: f.Name, OK: f.Err == nil, Found: f.Found}
		if f.Err != nil {
			problem := problemOf(f.Err)
			c.Problem, c.Remedy = &problem, f.Remedy
		}
		checks = append(checks, c)
	})
	if ctx.Err() == nil { // otherwise, the client has left, and checks failed for this reason
		e.at, e.checks = time.Now().UTC(), checks
	}
	return checks, time.Now().UTC()
}

// problemOf returns the text of an error as docent doctor shows it.
func problemOf(err error) fault.Text {
	var f *fault.Fault
	if errors.As(err, &f) && f.Message != "" || errors.Is(err, context.DeadlineExceeded) {
		return fault.TextOf(err)
	}
	return fault.NewText("other_error", "%w", err)
}

// read describes the installation.
func (e *examined) read(ctx context.Context) (out system.System, err error) {
	s := e.server
	out = system.System{Version: s.version, Reader: ingest.Pipeline, StartedAt: e.startedAt, Replicas: []system.Replica{}}
	out.Checks, out.CheckedAt = e.examine(ctx)
	out.Database.Kind = s.DB.Kind
	if out.Database.Schema, _, err = s.DB.SchemaVersion(ctx); err != nil {
		return out, err
	}
	if out.Database.Bytes, err = s.DB.Size(ctx); err != nil {
		return out, err
	}
	collections, err := s.DB.Library.Collections(ctx)
	if err != nil {
		return out, err
	}
	for _, c := range collections {
		out.Documents += c.Documents
		out.Failed += c.Failed
		out.Passages += c.Chunks
	}
	indexed, err := s.passages(ctx)
	if err != nil {
		return out, err
	}
	out.Vectors = []system.Vectors{{Model: s.Embedder.Name(), Done: indexed, Total: out.Passages}}
	for _, p := range s.Retriever.Encoders() {
		out.Vectors = append(out.Vectors, system.Vectors(p))
	}
	if free, total, known := disk.Space(s.Config.Data); known {
		out.Disk = &system.Disk{Free: free, Total: total}
	}
	out.Replicas, err = replicasOf(ctx, s)
	return out, err
}

// replicasOf lists the processes that share the database of a server.
func replicasOf(ctx context.Context, s *Server) ([]system.Replica, error) {
	out := []system.Replica{}
	if s.relay == nil {
		return out, nil
	}
	all, err := s.DB.Replicas.ListReplicas(ctx)
	for _, r := range all {
		out = append(out, system.Replica{ID: r.ID, Self: r.ID == s.relay.ID(), Seen: r.Until.Add(-replica.DefaultLease), Until: r.Until})
	}
	return out, err
}

// systemConfig configures the routes about the installation of a server.
func systemConfig(s *Server) system.Config {
	return system.Config{
		Read: newExamined(s).read, Backups: s.backups, Digests: s.digests, ReadOnly: s.authenticator == nil && !s.Config.Loopback(),
	}
}

// newBackups returns the maker of backups in the configured folder.
func newBackups(s *Server) (*backup.Maker, error) {
	cfg := s.Config.Backups
	if cfg.Folder != "" {
		var err error
		if cfg.Folder, err = filepath.Abs(cfg.Folder); err != nil {
			return nil, fmt.Errorf("folder of backups: %w", err)
		}
	}
	m, err := backup.NewMaker(backup.MakerConfig{
		Database: s.DB.Backup, Runs: s.DB.Backups, Leases: s.DB.Jobs,
		Folder: cfg.Folder, PassphraseFile: cfg.PassphraseFile, MaxFile: s.Config.MaxFileSize, Logger: s.Log,
		Header: func(ctx context.Context) (backup.Header, error) {
			schema, _, err := s.DB.SchemaVersion(ctx)
			return backup.Header{Schema: schema, Program: s.version, Database: s.DB.Kind}, err
		},
		Plan: func() backup.Plan {
			now := s.now().store.Config.Backups
			return backup.Plan{Schedule: backup.Schedule{Every: now.Every, At: now.At}, Keep: now.Keep}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("backups: %w", err)
	}
	return m, nil
}
