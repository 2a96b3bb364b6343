package system

import (
	"context"
	"net/http"
	"path/filepath"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/backup"
	"docent/internal/fault"
)

// Backups makes backups. *backup.Maker implements it.
type Backups interface {
	// Start begins a backup, and returns before it is made.
	Start(ctx context.Context) error
	// State describes the backups.
	State(ctx context.Context) (backup.State, error)
}

// BackupRun is an attempt to make a backup.
type BackupRun struct {
	// Timestamp is the end of the attempt.
	Timestamp time.Time `json:"timestamp" doc:"The end of the attempt."`
	// Name is the name of the file.
	Name string `json:"name" doc:"The name of the file."`
	// Path is the file.
	Path string `json:"path" doc:"The path of the file on the machine that made the backup."`
	// Size is the size of the file.
	Size int64 `json:"size" doc:"The size of the file in bytes."`
	// State says what is left of it.
	State string `json:"state" enum:"kept,missing,failed" doc:"kept: the file is on this machine. missing: it is not, because it was removed, or because another machine has it. failed: there is no backup."`
	// Problem says why it failed.
	Problem string `json:"problem,omitempty" doc:"Why the backup failed, in English."`
}

// BackupList describes the backups of a server.
type BackupList struct {
	// Folder is the folder for backups.
	Folder string `json:"folder" doc:"The folder of the server for backups. Empty if the server makes none."`
	// Encrypted reports that new backups are encrypted.
	Encrypted bool `json:"encrypted" doc:"New backups are encrypted."`
	// Running reports that a backup is being made.
	Running bool `json:"running" doc:"A backup is being made."`
	// Next is the time of the next backup.
	Next *time.Time `json:"next,omitempty" doc:"The time of the next backup of the schedule. Absent without one."`
	// Zone is the time zone of the schedule.
	Zone string `json:"zone" doc:"The name of the time zone of the schedule."`
	// Runs are the latest attempts.
	Runs []BackupRun `json:"runs" doc:"The latest attempts, newest first. Those of docent backup are included."`
}

type backupsOutput struct{ Body BackupList }

func (s server) addBackups(r *route.Router) {
	const path = "/api/system/backups"
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: path, OperationID: "list-backups", Tags: tags, Errors: []int{http.StatusNotFound},
		Summary: "List backups, the newest first",
	}, s.backups)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: path, OperationID: "start-backup", Tags: tags, DefaultStatus: http.StatusAccepted,
		Errors:      []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
		Summary:     "Make a backup now",
		Description: "The server writes it into the folder of --backup-folder. The response comes before the backup is complete.",
	}, s.startBackup)
}

func (s server) backups(ctx context.Context, _ *struct{}) (*backupsOutput, error) {
	if s.Read == nil {
		return nil, errUnknown
	}
	state, err := s.Backups.State(ctx)
	if err != nil {
		return nil, err
	}
	zone, _ := time.Now().Zone()
	out := &backupsOutput{BackupList{
		Folder: state.Folder, Encrypted: state.Encrypted, Running: state.Running, Zone: zone, Runs: []BackupRun{},
	}}
	if !state.Next.IsZero() {
		out.Body.Next = &state.Next
	}
	for _, r := range state.Runs {
		run := BackupRun{Timestamp: r.At, Name: filepath.Base(r.Place), Path: r.Place, Size: r.Size, State: "missing", Problem: r.Problem}
		switch {
		case r.Problem != "":
			run.State = "failed"
		case r.Present:
			run.State = "kept"
		}
		out.Body.Runs = append(out.Body.Runs, run)
	}
	return out, nil
}

func (s server) startBackup(ctx context.Context, _ *struct{}) (*struct{}, error) {
	switch {
	case s.Read == nil:
		return nil, errUnknown
	case s.ReadOnly:
		return nil, fault.New(fault.Forbidden, "backup_open",
			"everybody who reaches this server could make backups, so turn authentication on first, or use docent backup")
	}
	return nil, s.Backups.Start(ctx) //nolint:nilnil // there is no content
}
