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
	"docent/internal/cores"
	"docent/internal/fault"
	"docent/internal/flat"
	"docent/internal/meter"
	"docent/rag/corpus"
)

// Config describes a retriever.
type Config struct {
	// Corpus is the searched corpus. Required.
	Corpus corpus.Corpus
	// Embedder embeds questions. The vectors of the corpus must come from the same
	// embedder. Required.
	Embedder embed.Embedder
	// Static compares sentences and words in the second stage. It is independent of
	// Embedder. Required.
	Static *embed.Static
	// Words is the keyword index. A Mirror must be empty; the retriever owns it.
	// Required.
	Words Words
	// Nearest is the vector index. A Mirror must be empty; the retriever owns
	// it. Required.
	Nearest Nearest
	// Features supply the second stage. Default: nil, the retriever keeps rows
	// in memory.
	Features Features
	// Enriched searches enrichments. Default: none.
	Enriched Enriched
	// Encodings has the vectors of Encoders. Required with Encoders whose vectors
	// are in memory.
	Encodings corpus.Encodings
	// Encoders are models whose vectors searches use once most chunks have one.
	// Default: none.
	Encoders []Encoder
	// Reranker reorders the best results. Default: nil, no reranking.
	Reranker Reranker
	// RerankShare returns the share of the Reranker in the score of a passage,
	// from 0 to 1. The features have the rest. language is that of the question,
	// as text.Language returns it. Default: 1 for all passages.
	RerankShare func(language string, passage corpus.Passage) float64
	// Snapshot is a file for the indexes between runs. Its folder must exist.
	// Default: "", no snapshot.
	Snapshot string
	// Snapshots knows the snapshots of the database. Default: nil, without this check.
	Snapshots corpus.Snapshots
	// Weights are the weights of the second stage. Default: DefaultWeights of
	// the Embedder.
	Weights Weights
	// Cores lends a core for each step of indexing, so that some cores stay free
	// for questions. Default: nil, which does not limit indexing.
	Cores *cores.Pool
	// Log receives messages about snapshots and unusable chunks. Default: nil,
	// which discards them.
	Log *slog.Logger
	// Metrics receives the duration of searches as a stage of
	// docent_rag_seconds. Default: nil, a set of its own.
	Metrics *metrics.Set
}

// Retriever finds passages. It builds indexes from the corpus and keeps them up
// to date. Call Load once before searches and, in a server, Follow. All other methods
// are safe for concurrent use.
type Retriever struct {
	cfg Config
	// mirrors are the indexes that the retriever keeps up to date.
	mirrors []Mirror
	// memory are the rows of all chunks. features is memory or Config.Features.
	memory   *memory
	features Features

	// encoders are those of Config.Encoders. encoded has the vectors of those that
	// are in memory.
	encoders encoders
	encoded  []*encodedMemory

	// updating is held to update or save the derived data. It guards the
	// following fields.
	updating sync.Mutex
	// revision is the revision of the derived data.
	revision corpus.Revision
	// enriched searches enrichments.
	enriched enriched
	// unsaved counts the chunks and vectors that changed since the last snapshot.
	unsaved int
	// dimensions is the length of the vectors in the index.
	dimensions int
	// moved is the minimum number of chunks that Load moves to the snapshot, and held is
	// that of Follow.
	moved, held int
	// batch is the approximate number of chunks that are indexed at a time.
	batch int

	// files are the snapshots that searches can read.
	files flat.Files

	// scratch pools the working memory of the second stage.
	scratch sync.Pool
	// took measures searches.
	took *meter.Seconds
}

// New checks the configuration. The retriever finds nothing before Load.
func New(cfg Config) (*Retriever, error) {
	for name, missing := range map[string]bool{
		"Corpus": cfg.Corpus == nil, "Embedder": cfg.Embedder == nil,
		"Static": cfg.Static == nil, "Words": cfg.Words == nil, "Nearest": cfg.Nearest == nil,
		"Encodings": cfg.Encodings == nil && slices.ContainsFunc(cfg.Encoders, func(e Encoder) bool { return e.Vectors == nil }),
	} {
		if missing {
			return nil, fault.New(fault.Invalid, "config_retriever_incomplete", "retriever: %s is missing", name)
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
	r := &Retriever{
		cfg: cfg, memory: &memory{rows: newRows(cfg.Static.Tokens())}, features: cfg.Features,
		enriched: enriched{Enriched: cfg.Enriched, static: cfg.Static, chunks: map[int64]map[int64]bool{}},
		moved:    movedChunks,
		held:     heldChunks,
		batch:    batchChunks,
		took:     meter.New(cfg.Metrics, "docent_rag_seconds", `stage="search"`),
	}
	if r.features == nil {
		r.features = r.memory
	}
	if m, ok := cfg.Words.(Mirror); ok {
		if _, ok := m.(Saver); !ok && cfg.Snapshot != "" {
			return nil, fault.New(fault.Invalid, "config_retriever_snapshot", "retriever: Words cannot be saved in a snapshot")
		}
		r.mirrors = append(r.mirrors, m)
	}
	if m, ok := cfg.Nearest.(Mirror); ok {
		r.mirrors = append(r.mirrors, m)
	}
	for _, e := range cfg.Encoders {
		if e.Vectors == nil {
			m := newEncodedMemory(e, r)
			r.encoded, e.Vectors = append(r.encoded, m), m
		}
		r.encoders = append(r.encoders, &encoded{Encoder: e})
	}
	r.scratch.New = func() any { return newScratch(cfg.Static.Tokens()) }
	return r, nil
}

// derives reports whether the retriever derives anything from the corpus, except
// enrichments.
func (r *Retriever) derives() bool { return len(r.mirrors)+len(r.encoded) > 0 || r.keepsRows() }

// keepsRows reports whether the rows for the second stage are in memory.
// Otherwise, rows in memory only list the chunks of the mirrors.
func (r *Retriever) keepsRows() bool { return r.features == Features(r.memory) }

// Len counts the chunks in memory.
func (r *Retriever) Len() int { return r.memory.len() }

// batchChunks is the value of Retriever.batch.
const batchChunks = 512

// Encoders returns the progress of each encoder.
func (r *Retriever) Encoders() []EncoderProgress {
	out := make([]EncoderProgress, len(r.encoders))
	for i, e := range r.encoders {
		out[i] = e.progress()
	}
	return out
}

// Encoded reports whether searches use the encoder of that name.
func (r *Retriever) Encoded(model string) bool {
	return slices.ContainsFunc(r.encoders, func(e *encoded) bool { return e.Embedder.Name() == model && e.ready() })
}

// Stored returns the vectors of a model, in the order of ids. It returns nil for the
// chunks without one.
func (r *Retriever) Stored(ctx context.Context, model string, ids []int64) ([][]float32, error) {
	for _, e := range r.encoders {
		if e.Embedder.Name() == model {
			defer r.files.Begin()()
			stored, err := e.Vectors.Vectors(ctx, ids)
			return column(stored, slices.Clone[[]float32]), err // the caller may keep them
		}
	}
	return make([][]float32, len(ids)), nil
}

// Refresh applies all changes of the corpus to the retriever.
func (r *Retriever) Refresh(ctx context.Context) error {
	r.updating.Lock()
	defer r.updating.Unlock()
	_, err := r.refresh(ctx, math.MaxInt)
	return err
}

// refresh applies all changes. It stops early when there are many unsaved chunks or
// vectors, and then returns true.
func (r *Retriever) refresh(ctx context.Context, limit int) (more bool, err error) {
	left := limit - r.unsaved
	for _, m := range r.encoded {
		later, err := m.read(ctx, left)
		if err != nil {
			return false, err
		}
		more, left = more || later, left-len(m.vectors.Pending())
	}
	if later, err := r.refreshRows(ctx, limit); later || err != nil {
		return later, err
	}
	for _, e := range r.encoders {
		if err := e.refresh(ctx); err != nil {
			return false, err
		}
	}
	if more {
		return true, nil
	}
	return false, r.enriched.refresh(ctx, r.revision.Number)
}

// refreshRows applies the changed documents. It stops early when there are many
// unsaved chunks, and then returns true.
func (r *Retriever) refreshRows(ctx context.Context, limit int) (more bool, err error) {
	now, err := r.cfg.Corpus.Revision(ctx)
	if err != nil {
		return false, fmt.Errorf("retriever: revision: %w", err)
	}
	if r.revision.Number > 0 && (now.Database != r.revision.Database || now.Number < r.revision.Number) {
		r.cfg.Log.Warn("the corpus is another one than before: indexing it anew")
		if err := r.empty(ctx); err != nil {
			return false, err
		}
	}
	r.revision.Database = now.Database
	if !r.derives() && r.enriched.len() == 0 {
		r.revision.Number = now.Number
	}
	if now.Number == r.revision.Number {
		return false, nil
	}
	if err := r.cfg.Cores.Acquire(ctx); err != nil {
		return false, fmt.Errorf("retriever: wait for a core: %w", err)
	}
	defer r.cfg.Cores.Release()
	var batch []corpus.Change
	first, last, chunks := r.revision.Number, r.revision.Number, 0
	for change, err := range r.cfg.Corpus.Changes(ctx, r.revision.Number, r.cfg.Embedder.Name()) {
		if err != nil {
			return false, fmt.Errorf("retriever: changes since %d: %w", r.revision.Number, err)
		}
		batch = append(batch, change)
		last = max(last, change.Revision)
		if chunks += len(change.Chunks); chunks >= r.batch {
			if err := r.apply(ctx, batch); err != nil {
				return false, err
			}
			// Two documents may share a revision, and the second may still follow. Only the end of the list shows that all
			// earlier changes were seen.
			r.revision.Number = max(r.revision.Number, last-1)
			batch, chunks = batch[:0], 0
			if r.unsaved >= limit && r.revision.Number > first {
				return true, nil
			}
			r.cfg.Cores.Yield()
		}
	}
	if err := r.apply(ctx, batch); err != nil {
		return false, err
	}
	r.revision.Number = max(last, now.Number)
	return false, nil
}

// empty removes all data.
func (r *Retriever) empty(ctx context.Context) error {
	old := r.memory.reset(newRows(r.cfg.Static.Tokens()))
	r.revision, r.dimensions = corpus.Revision{}, 0
	for _, m := range r.encoded {
		if err := m.empty(ctx); err != nil {
			return err
		}
	}
	if err := r.enriched.empty(ctx); err != nil {
		return err
	}
	return r.unindex(ctx, old.ids())
}

// apply applies changes in an order that changes each document at once: the
// indexes add the new chunks, the rows swap new chunks for old ones, and the
// indexes delete the old chunks.
func (r *Retriever) apply(ctx context.Context, changes []corpus.Change) error {
	if len(changes) == 0 {
		return nil
	}
	if err := r.enriched.drop(ctx, changes); err != nil || !r.derives() {
		return err
	}
	fresh := make([][]*Row, len(changes))
	var entries []Entry
	for i := range changes {
		fresh[i], entries = r.derive(&changes[i], entries)
	}
	for part := range slices.Chunk(entries, r.batch) { // a document can have many more chunks
		for _, m := range r.mirrors {
			if err := m.Put(ctx, part); err != nil {
				r.unsaved = 0 // no snapshot until the change is applied: the indexes may have a part of it
				return fmt.Errorf("retriever: index: %w", err)
			}
		}
	}
	if moved := r.memory.moved(fresh); len(moved) > 0 {
		for _, m := range r.encoded {
			if err := m.move(ctx, moved); err != nil {
				r.unsaved = 0 // as above
				return err
			}
		}
	}
	gone := r.memory.replace(changes, fresh)
	r.unsaved += len(entries) + len(gone)
	return r.unindex(ctx, gone)
}

func (r *Retriever) unindex(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	for _, m := range r.encoded {
		if err := m.drop(ctx, ids); err != nil {
			return err
		}
	}
	for _, m := range r.mirrors {
		if err := m.Delete(ctx, ids); err != nil {
			return fmt.Errorf("retriever: delete: %w", err)
		}
	}
	return nil
}

// derive makes the rows of a changed document and appends the indexes' entries.
func (r *Retriever) derive(c *corpus.Change, entries []Entry) ([]*Row, []Entry) {
	if c.Removed || len(c.Chunks) == 0 {
		return nil, entries
	}
	doc := &RowDocument{ID: c.Document.ID, Source: c.Document.Source, Collection: c.Document.Collection, Language: c.Document.Language}
	out := make([]*Row, len(c.Chunks))
	for i := range c.Chunks {
		chunk := &c.Chunks[i]
		var vector []float32
		if i < len(c.Vectors) && r.usable(c.Vectors[i], chunk.ID) {
			vector = c.Vectors[i]
		}
		heading := corpus.HeadingLine(c.Document.Title, chunk.Headings)
		if r.keepsRows() {
			out[i] = NewRow(r.cfg.Static, doc, chunk, heading, vector)
		} else {
			out[i] = &Row{ID: chunk.ID, Document: doc, Ordinal: chunk.Ordinal, Vector: r.kept(vector)}
		}
		entries = append(entries, Entry{
			ID: chunk.ID, DocumentID: doc.ID, Collection: doc.Collection, Source: doc.Source,
			Ordinal: chunk.Ordinal, Language: c.Document.Language, Heading: heading, Text: chunk.Text, Vector: vector,
		})
	}
	doc.SetMean(out)
	return out, entries
}

// kept returns a vector if a mirror needs it after a restart.
func (r *Retriever) kept(vector []float32) []float32 {
	if _, ok := r.cfg.Nearest.(Mirror); ok {
		return vector
	}
	return nil
}

// usable reports whether a vector can be compared with the others. One bad
// stored vector must not break the search for all others.
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
