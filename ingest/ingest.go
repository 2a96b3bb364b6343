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

// Pipeline names the extraction and chunking of this program. It changes when
// the same bytes give other chunks in all formats. Ingest then reads all sources
// again. When only the reader of one format changes, raise the version of the
// format; see extract.Version.
const Pipeline = "docent/5"

// Config configures an Ingester.
type Config struct {
	// Store keeps the documents; required.
	Store Store
	// Embedder makes the vectors; required.
	Embedder embed.Embedder
	// Reader reads documents; required. Close closes it. Package worker has
	// one that reads in other processes. It also has one that reads in this
	// process, for tests and for programs that trust their documents.
	Reader Reader
	// MaxFileSize is the largest source read, and the longest line of a JSONL
	// file, in bytes; default 64 MiB.
	MaxFileSize int64
	// Workers is how many sources are read at once, and how many batches are
	// embedded at once; default the number of CPUs.
	Workers int
	// InFlight bounds the memory that sources take while they are read and
	// stored, in bytes, taken as eight times their size; a source for which
	// that is not enough is read alone. Default 256 MiB.
	InFlight int64
	// BatchDocuments is the most documents stored in one step; default 64.
	BatchDocuments int
	// BatchBytes is the most bytes of sources stored in one step, unless a
	// single one has more; default 8 MiB.
	BatchBytes int64
	// Logger gets details for operators; default none.
	Logger *slog.Logger
	// Metrics counts the documents of runs by status, as
	// docent_ingest_documents_total; default a separate set.
	Metrics *metrics.Set
}

// Ingester brings a store in line with sources. It is safe for concurrent use.
type Ingester struct {
	cfg       Config
	pipelines pipelines
	reader    Reader
	log       *slog.Logger
}

// Reader reads documents from unknown authors. It is safe for concurrent use.
// Errors of kind fault.Invalid say in one line why a document cannot be read.
// Other errors are not the fault of the document.
type Reader interface {
	// Read reads one document. Reading.Media may be set with an error.
	Read(ctx context.Context, src intake.Source) (intake.Reading, error)
	// Edges returns hashes of a document's first and last blocks.
	Edges(ctx context.Context, src intake.Source) ([]uint64, error)
	// Parts writes the documents inside a source to a file, one after the other.
	// whole reports whether the source is itself a document too.
	Parts(ctx context.Context, src intake.Source, file string) (whole bool, parts []intake.Part, err error)
	Formats
	// Close frees the reader's resources.
	Close(ctx context.Context) error
}

// Formats describes the formats of a reader. Its methods are cheap.
type Formats interface {
	// MayHaveParts reports whether a source with this name and beginning may
	// hold other documents.
	MayHaveParts(name string, head []byte) bool
	// Version returns the version of the reader for a media type.
	Version(media string) int
	// Raised reports whether any format has a version above 1.
	Raised() bool
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
	case cfg.MaxFileSize < 0, cfg.Workers < 0, cfg.InFlight < 0, cfg.BatchDocuments < 0, cfg.BatchBytes < 0:
		return nil, errors.New("ingest: MaxFileSize, Workers, InFlight, BatchDocuments and BatchBytes must not be negative")
	}
	setDefault(&cfg.MaxFileSize, 64<<20)
	setDefault(&cfg.Workers, runtime.GOMAXPROCS(0))
	setDefault(&cfg.InFlight, 256<<20)
	setDefault(&cfg.BatchDocuments, 64)
	setDefault(&cfg.BatchBytes, 8<<20)
	cfg.BatchBytes = min(cfg.BatchBytes, cfg.InFlight/2)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Metrics == nil {
		cfg.Metrics = metrics.NewSet()
	}
	return &Ingester{cfg: cfg, pipelines: pipelines{cfg.Reader.Version, cfg.Reader.Raised()}, reader: cfg.Reader, log: cfg.Logger}, nil
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
	// Changed: the source is stored anew.
	Changed = "changed"
	// Unchanged: there was nothing to do.
	Unchanged = "unchanged"
	// Removed: the document is gone from its source, or the source itself.
	Removed = "removed"
	// Failed: the source cannot be read; Reason says why.
	Failed = "failed"
)

// Result says what became of one document.
type Result struct {
	// Source is the document's source.
	Source string `json:"source"`
	// Status is one of Added, Changed, Unchanged, Removed and Failed.
	Status string `json:"status"`
	// Chunks is how many passages it has; of a removed one, how many it had.
	Chunks int `json:"chunks"`
	// Reason says in one line why it failed.
	Reason fault.Text `json:"reason,omitzero"`
	// Note says what could not be read of an added or changed document, such as
	// some of its pages.
	Note string `json:"note,omitempty"`
	// DocumentID is the stored document's, 0 if none is stored.
	DocumentID int64 `json:"document_id,omitempty"`
}

// Progress is how far a run has come.
type Progress struct {
	// Files is how many files are done.
	Files int
	// TotalFiles is how many there are.
	TotalFiles int
	// Bytes is the size of those that are done.
	Bytes int64
	// TotalBytes is the size of all.
	TotalBytes int64
	// Chunks is how many passages were stored.
	Chunks int
	// Reading is a file that is being read, "" if it is not known.
	Reading string
}

// Request is one run over files and folders.
type Request struct {
	// Collection gets the documents; "" is the default one.
	Collection string
	// Paths are files and folders.
	Paths []string
	// Prune removes documents whose file is gone, under the folders and files
	// of Paths only: also those of a path that does not exist itself, if its
	// folder can be read.
	Prune bool
	// Retry reads sources again that failed with the same content before.
	Retry bool
	// Progress, if set, is called after each file, and once before the first.
	// It must return quickly.
	Progress func(Progress)
}
