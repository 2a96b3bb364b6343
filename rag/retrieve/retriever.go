package retrieve

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"

	"github.com/VictoriaMetrics/metrics"

	"docent/embed"
	"docent/internal/fault"
	"docent/internal/meter"
	"docent/rag/corpus"
)

// Config says what a retriever works on.
type Config struct {
	// Corpus is what is searched; required.
	Corpus corpus.Corpus
	// Embedder embeds questions; the corpus' vectors are those it made;
	// required.
	Embedder embed.Embedder
	// Static compares sentences and words in the second stage, whatever the
	// Embedder; required.
	Static *embed.Static
	// Keywords is an empty keyword index; required. The retriever owns it.
	Keywords Matcher
	// Vectors is an empty vector index; required. The retriever owns it.
	Vectors Index
	// Snapshot is the file that keeps what is derived from the corpus between
	// runs; its folder must exist. Default "": none is kept.
	Snapshot string
	// Weights are the second stage's; default DefaultWeights of the Embedder.
	Weights Weights
	// Log hears of snapshots and of chunks that cannot be used; default: nobody.
	Log *slog.Logger
	// Metrics gets the time that searches take, as a stage of docent_rag_seconds.
	// Default: nil, a set of its own.
	Metrics *metrics.Set
}

// Retriever finds passages. It keeps what it needs of the corpus in memory and
// follows it: Load once, then Follow in a server or nothing in a program that
// asks and ends. All methods are safe for concurrent use.
type Retriever struct {
	cfg Config
	// updating is held by whoever brings rows and indexes in step with the
	// corpus or writes a snapshot of them.
	updating sync.Mutex
	// revision is how far they are; guarded by updating.
	revision corpus.Revision
	// unsaved counts the chunks changed since the last snapshot; guarded by
	// updating.
	unsaved int
	// dimensions is the length of the vectors in the index; guarded by updating.
	dimensions int

	// mu guards rows. A document's old chunks leave rows in the same moment
	// as its new ones come in; chunks that only an index has are not found.
	mu   sync.RWMutex
	rows rows
	// scratch is the memory of a second stage, for reuse.
	scratch sync.Pool
	// took is how long searches take.
	took *meter.Seconds
}

// New checks the configuration. The retriever finds nothing before
// Load.
func New(cfg Config) (*Retriever, error) {
	for name, missing := range map[string]bool{
		"Corpus": cfg.Corpus == nil, "Embedder": cfg.Embedder == nil,
		"Static": cfg.Static == nil, "Keywords": cfg.Keywords == nil, "Vectors": cfg.Vectors == nil,
	} {
		if missing {
			return nil, fault.New(fault.Invalid, "retriever: %s is missing", name)
		}
	}
	if cfg.Weights == nil {
		cfg.Weights = DefaultWeights(cfg.Embedder.Name())
	}
	if err := cfg.Weights.validate(); err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Metrics == nil {
		cfg.Metrics = metrics.NewSet()
	}
	r := &Retriever{cfg: cfg, rows: newRows(cfg.Static.Tokens()), took: meter.New(cfg.Metrics, "docent_rag_seconds", `stage="search"`)}
	r.scratch.New = func() any { return newScratch(cfg.Static.Tokens()) }
	return r, nil
}

// Len counts the chunks that can be found.
func (r *Retriever) Len() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.rows.byID)
}

// batchChunks is about how many chunks are indexed at a time.
const batchChunks = 512

// Refresh brings the retriever in step with the corpus.
func (r *Retriever) Refresh(ctx context.Context) error {
	r.updating.Lock()
	defer r.updating.Unlock()
	return r.refresh(ctx)
}

func (r *Retriever) refresh(ctx context.Context) error {
	now, err := r.cfg.Corpus.Revision(ctx)
	if err != nil {
		return fmt.Errorf("retriever: revision: %w", err)
	}
	if r.revision.Number > 0 && (now.Database != r.revision.Database || now.Number < r.revision.Number) {
		r.cfg.Log.Warn("the corpus is another one than before: indexing it anew")
		if err := r.empty(ctx); err != nil {
			return err
		}
	}
	r.revision.Database = now.Database
	if now.Number == r.revision.Number {
		return nil
	}
	var batch []corpus.Change
	last, chunks := r.revision.Number, 0
	for change, err := range r.cfg.Corpus.Changes(ctx, r.revision.Number, r.cfg.Embedder.Name()) {
		if err != nil {
			return fmt.Errorf("retriever: changes since %d: %w", r.revision.Number, err)
		}
		batch = append(batch, change)
		last = max(last, change.Revision)
		if chunks += len(change.Chunks); chunks >= batchChunks {
			if err := r.apply(ctx, batch); err != nil {
				return err
			}
			// Two documents may share a revision, the second still to come:
			// only the end of the list says that all before it was seen.
			r.revision.Number = max(r.revision.Number, last-1)
			batch, chunks = batch[:0], 0
		}
	}
	if err := r.apply(ctx, batch); err != nil {
		return err
	}
	r.revision.Number = max(last, now.Number)
	return nil
}

// empty forgets everything.
func (r *Retriever) empty(ctx context.Context) error {
	r.mu.Lock()
	ids := make([]int64, 0, len(r.rows.byID))
	for id := range r.rows.byID {
		ids = append(ids, id)
	}
	r.rows = newRows(r.cfg.Static.Tokens())
	r.mu.Unlock()
	r.revision, r.dimensions = corpus.Revision{}, 0
	return r.unindex(ctx, ids)
}

// apply brings changes in. The order makes each document change at once: new
// chunks become known to the indexes, then old and new swap in rows, then the
// indexes forget the old ones.
func (r *Retriever) apply(ctx context.Context, changes []corpus.Change) error {
	if len(changes) == 0 {
		return nil
	}
	fresh := make([][]*row, len(changes))
	var entries []Entry
	for i := range changes {
		fresh[i], entries = r.derive(&changes[i], entries)
	}
	if err := r.cfg.Keywords.Put(ctx, entries); err != nil {
		return fmt.Errorf("retriever: index keywords: %w", err)
	}
	if err := r.cfg.Vectors.Put(ctx, entries); err != nil {
		return fmt.Errorf("retriever: index vectors: %w", err)
	}
	var gone []int64
	r.mu.Lock()
	for i := range changes {
		gone = append(gone, r.rows.replace(changes[i].Document.ID, fresh[i])...)
	}
	r.mu.Unlock()
	r.unsaved += len(entries) + len(gone)
	return r.unindex(ctx, gone)
}

func (r *Retriever) unindex(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	if err := r.cfg.Keywords.Delete(ctx, ids); err != nil {
		return fmt.Errorf("retriever: delete keywords: %w", err)
	}
	if err := r.cfg.Vectors.Delete(ctx, ids); err != nil {
		return fmt.Errorf("retriever: delete vectors: %w", err)
	}
	return nil
}

// derive makes the rows of a changed document and appends the indexes' entries.
func (r *Retriever) derive(c *corpus.Change, entries []Entry) ([]*row, []Entry) {
	if c.Removed || len(c.Chunks) == 0 {
		return nil, entries
	}
	doc := &rowDocument{id: c.Document.ID, source: c.Document.Source, collection: c.Document.Collection}
	out := make([]*row, len(c.Chunks))
	for i := range c.Chunks {
		chunk := &c.Chunks[i]
		var vector []float32
		if i < len(c.Vectors) && r.usable(c.Vectors[i], chunk.ID) {
			vector = c.Vectors[i]
		}
		heading := corpus.HeadingLine(c.Document.Title, chunk.Headings)
		out[i] = newRow(r.cfg.Static, doc, chunk, heading, vector)
		entries = append(entries, Entry{
			ID: chunk.ID, DocumentID: doc.id, Collection: doc.collection, Source: doc.source,
			Ordinal: chunk.Ordinal, Language: c.Document.Language, Heading: heading, Text: chunk.Text, Vector: vector,
		})
	}
	doc.rows = out
	doc.measure()
	return out, entries
}

// usable reports whether a vector can be compared with the others. A stored
// one that cannot must not keep everything else from being found.
func (r *Retriever) usable(vector []float32, chunk int64) bool {
	if len(vector) == 0 {
		return false
	}
	if r.dimensions == 0 {
		r.dimensions = len(vector)
	}
	ok := len(vector) == r.dimensions && !slices.ContainsFunc(vector, func(f float32) bool {
		return math.IsNaN(float64(f)) || math.IsInf(float64(f), 0)
	})
	if !ok {
		r.cfg.Log.Warn("a stored vector cannot be used", "chunk", chunk, "dimensions", len(vector), "want", r.dimensions)
	}
	return ok
}
