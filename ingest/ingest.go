package ingest

import (
	"context"
	"errors"
	"log/slog"
	"runtime"

	"docent/internal/fault"

	"github.com/VictoriaMetrics/metrics"

	"docent/embed"
	"docent/ingest/intake"
)

// Pipeline is the version of extraction and chunking. Ingest reads all sources
// again after it changes. Change it when the same bytes result in other chunks in
// all formats. If only the reader of one format changes, raise the version of
// that format; see extract.Version.
const Pipeline = "docent/6"

// Config configures an Ingester.
type Config struct {
	// Store keeps the documents; required.
	Store Store
	// Embedder makes the vectors; required.
	Embedder embed.Embedder
	// Reader reads documents; required. Ingester.Close closes it. Package worker
	// has a Reader that uses separate processes. It also has a Reader without
	// separate processes, for tests and for programs with trusted documents.
	Reader Reader
	// MaxFileSize bounds a source, and a line of a JSONL file, in bytes;
	// default 64 MiB.
	MaxFileSize int64
	// Workers is the number of sources that are read at the same time. It is also
	// the number of batches that are embedded at the same time. Default the number
	// of CPUs.
	Workers int
	// Logger receives details for operators; default none.
	Logger *slog.Logger
	// Metrics counts documents by status in docent_ingest_documents_total;
	// default a separate set.
	Metrics *metrics.Set

	limits limits // tests set other values
}

// limits are the bounds of an Ingester that only tests change.
type limits struct {
	// InFlight bounds the memory of the sources in progress, in bytes. Each source
	// counts with eight times its size. A source that exceeds the bound is read
	// alone.
	InFlight int64
	// BatchDocuments is the maximum number of documents stored in one step.
	BatchDocuments int
	// BatchBytes is the maximum size of the sources stored in one step, in
	// bytes. A single larger source is stored alone.
	BatchBytes int64
}

// Ingester synchronizes a store with sources. It is safe for concurrent use.
type Ingester struct {
	cfg       Config
	pipelines pipelines
	reader    Reader
	log       *slog.Logger

	workspaces workspaces
}

// Reader reads untrusted documents. It is safe for concurrent use. If a document
// is unreadable, the error is fault.Invalid and gives the reason in one line.
// Other errors are not caused by the document.
type Reader interface {
	// Read reads one document. Reading.Media may be set even with an error.
	Read(ctx context.Context, src intake.Source) (intake.Reading, error)
	// Edges returns the hashes of the first and last blocks of a document.
	Edges(ctx context.Context, src intake.Source) ([]uint64, error)
	// Parts writes the documents inside a source to a file, one after the other.
	// whole reports whether the source is also a document itself.
	Parts(ctx context.Context, src intake.Source, file string) (whole bool, parts []intake.Part, err error)
	Formats
	// Close frees the reader's resources.
	Close(ctx context.Context) error
}

// Formats describes the formats of a Reader. Its methods are fast.
type Formats interface {
	// MayHaveParts reports whether a source with this name and beginning may
	// contain other documents.
	MayHaveParts(name string, head []byte) bool
	// Version returns the version of the reader for a media type.
	Version(media string) int
}

// New checks the configuration and returns an ingester. Close it when done.
func New(cfg Config) (*Ingester, error) {
	switch {
	case cfg.Store == nil:
		return nil, errors.New("ingest: Config.Store is missing")
	case cfg.Embedder == nil:
		return nil, errors.New("ingest: Config.Embedder is missing")
	case cfg.Reader == nil:
		return nil, errors.New("ingest: Config.Reader is missing")
	case cfg.MaxFileSize < 0, cfg.Workers < 0:
		return nil, errors.New("ingest: MaxFileSize and Workers must not be negative")
	}
	setDefault(&cfg.MaxFileSize, 64<<20)
	setDefault(&cfg.Workers, runtime.GOMAXPROCS(0))
	l := &cfg.limits
	setDefault(&l.InFlight, 256<<20)
	setDefault(&l.BatchDocuments, 64)
	setDefault(&l.BatchBytes, 8<<20)
	l.BatchBytes = min(l.BatchBytes, l.InFlight/2)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Metrics == nil {
		cfg.Metrics = metrics.NewSet()
	}
	return &Ingester{cfg: cfg, pipelines: pipelines{cfg.Reader.Version}, reader: cfg.Reader, log: cfg.Logger}, nil
}

func setDefault[T int | int64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// Close closes the Reader. No call may be running.
func (in *Ingester) Close(ctx context.Context) error { return in.reader.Close(ctx) }

// The values of Result.Status.
const (
	// Added: the source is new.
	Added = "added"
	// Changed: a new version of the source is stored.
	Changed = "changed"
	// Unchanged: the stored document is current.
	Unchanged = "unchanged"
	// Removed: the document or its source no longer exists.
	Removed = "removed"
	// Failed: the source cannot be read; Reason says why.
	Failed = "failed"
	// Skipped: the source has no text, or is a file that docent does not read unless it is named;
	// Reason says why.
	Skipped = "skipped"
)

// Result is the outcome of one document.
type Result struct {
	// Source is the source of the document.
	Source string `json:"source"`
	// Status is one of Added, Changed, Unchanged, Removed, Failed, and Skipped.
	Status string `json:"status"`
	// Chunks is the number of passages. For a removed document it is the
	// earlier number.
	Chunks int `json:"chunks"`
	// Reason says in one line why the document failed or was skipped.
	Reason fault.Text `json:"reason,omitzero"`
	// Note says which content could not be read, such as some pages.
	Note string `json:"note,omitempty"`
	// DocumentID is the id of the stored document, or 0.
	DocumentID int64 `json:"document_id,omitempty"`
	// Size is the size of the stored document in bytes, unpacked; 0 if this run did
	// not store it.
	Size int64 `json:"-"`
}

// Progress is the progress of a run.
type Progress struct {
	// Files is the number of finished files.
	Files int
	// TotalFiles is the number of all files.
	TotalFiles int
	// Bytes is the size of the finished files.
	Bytes int64
	// TotalBytes is the size of all files.
	TotalBytes int64
	// Chunks is the number of stored passages.
	Chunks int
	// Reading is a file that is being read; "" if unknown.
	Reading string
}

// Request describes one run over files and folders.
type Request struct {
	// Collection gets the documents; "" is the default one.
	Collection string
	// Paths are files and folders.
	Paths []string
	// Links decides about symbolic links that lead out of Paths.
	Links Links
	// Prune removes the documents below Paths whose files no longer exist. A path
	// in Paths may itself be missing, provided that its folder can be read.
	Prune bool
	// Retry also reads unchanged sources that failed earlier.
	Retry bool
	// Progress, if set, is called before the first file and after each file. It
	// must return quickly.
	Progress func(Progress)
}
