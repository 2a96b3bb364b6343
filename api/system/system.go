// Package system describes the installation to administrators: checks, versions, sizes, replicas,
// backups, and the weekly digest.
package system

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/internal/fault"
)

// Check is the result of a check, as docent doctor shows it.
type Check struct {
	// Name names the checked part.
	Name string `json:"name" doc:"The checked part, such as database."`
	// OK reports that the check passed.
	OK bool `json:"ok"`
	// Found describes what works.
	Found string `json:"found,omitempty" doc:"A description in English of a part that works."`
	// Problem says why the check failed.
	Problem *fault.Text `json:"problem,omitempty" doc:"Why the check failed."`
	// Remedy is the fix.
	Remedy string `json:"remedy,omitempty" doc:"The fix in English, if the check failed."`
}

// Database describes the database.
type Database struct {
	// Kind is the kind.
	Kind string `json:"kind" enum:"sqlite,postgres"`
	// Bytes is the size.
	Bytes int64 `json:"bytes" doc:"The size on the disk, with indexes."`
	// Schema is the version of the tables.
	Schema int64 `json:"schema" doc:"The version of the tables."`
}

// Vectors counts the vectors of a model.
type Vectors struct {
	// Model is the model.
	Model string `json:"model"`
	// Done is the number of passages with a vector.
	Done int `json:"done" doc:"The number of passages with a vector."`
	// Total is the number of passages that the model takes.
	Total int `json:"total" doc:"The number of passages that the model takes. It depends on their language."`
}

// Disk is the room on the disk of the data folder.
type Disk struct {
	// Free is the room for docent, in bytes.
	Free uint64 `json:"free" doc:"Free bytes."`
	// Total is the size, in bytes.
	Total uint64 `json:"total" doc:"All bytes."`
}

// Replica is a process that serves this installation.
type Replica struct {
	// ID identifies it until it restarts.
	ID string `json:"id"`
	// Self reports that it sent this response.
	Self bool `json:"self" doc:"It sent this response."`
	// Seen is the time of the last sign of life.
	Seen time.Time `json:"seen" doc:"When it last renewed its lease."`
	// Until is the end of its lease.
	Until time.Time `json:"until" doc:"The end of its lease. Other processes take over its conversations then, unless it renews the lease."`
}

// System describes an installation.
type System struct {
	// Version is the version of the program.
	Version string `json:"version"`
	// Reader is the version of the reader of documents.
	Reader string `json:"reader" doc:"The version of the reader of documents."`
	// StartedAt is the start of this process.
	StartedAt time.Time `json:"started_at" doc:"The start of this process."`
	// CheckedAt is the time of the checks.
	CheckedAt time.Time `json:"checked_at" doc:"The time of the checks. docent repeats them after ten seconds at the earliest."`
	// Checks are the checks of docent doctor.
	Checks []Check `json:"checks" doc:"The checks of docent doctor on the running server. Chat models are not called; their last call counts."`
	// Database describes the database.
	Database Database `json:"database"`
	// Documents is the number of documents.
	Documents int `json:"documents"`
	// Failed is the number of unreadable ones.
	Failed int `json:"failed" doc:"The number of documents that could not be read."`
	// Passages is the number of stored passages.
	Passages int `json:"passages" doc:"The number of stored passages."`
	// Vectors counts vectors by model.
	Vectors []Vectors `json:"vectors" doc:"Vectors by model. The first model is the embedder, and the others are encoders."`
	// Disk is the room for data.
	Disk *Disk `json:"disk,omitempty" doc:"The disk of the data folder. Absent if the system does not tell."`
	// Replicas are the processes that share the database.
	Replicas []Replica `json:"replicas" doc:"The processes that serve this installation. Empty with SQLite, which only one process serves."`
}

// Config connects the routes with the rest of docent.
type Config struct {
	// Read describes the installation. Default: nil, the route finds nothing.
	Read func(ctx context.Context) (System, error)
	// Backups makes backups. Required with Read.
	Backups Backups
	// Digests sends the weekly digest. Required with Read.
	Digests Digests
	// ReadOnly refuses to make backups and to send digests, because everybody who reaches docent could do so.
	// Default: false.
	ReadOnly bool
}

type output struct{ Body System }

// tags group the routes in the description.
var tags = []string{"system"}

// server handles the routes.
type server struct{ Config }

// AddRoutes adds the routes.
func AddRoutes(r *route.Router, cfg Config) {
	s := server{cfg}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/system", OperationID: "system", Tags: tags, Errors: []int{http.StatusNotFound},
		Summary:     "Check this installation, and describe its versions, sizes, and processes",
		Description: "It runs the checks of docent doctor, which can take some seconds.",
	}, s.read)
	s.addBackups(r)
	s.addDigest(r)
}

// errUnknown is the error without Config.Read.
var errUnknown = fault.New(fault.NotFound, "system_unknown", "this server does not describe its system")

func (s server) read(ctx context.Context, _ *struct{}) (*output, error) {
	if s.Read == nil {
		return nil, errUnknown
	}
	system, err := s.Read(ctx)
	return &output{system}, err
}
