package encode

import (
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"sync"
	"time"

	"docent/internal/cores"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Defaults and limits.
const (
	// DefaultLease is the default of Config.Lease.
	DefaultLease = 30 * time.Second
	// maxComputed bounds the vectors that wait to be stored. More are dropped.
	maxComputed = 1024
	// maxAsked is the number of documents of the latest questions that are
	// encoded first.
	maxAsked = 256
	// minPause and maxPause bound the pause after a failure.
	minPause = 250 * time.Millisecond
	maxPause = 30 * time.Second
)

// Config configures a Worker.
type Config struct {
	// Store has the chunks and their vectors. Required.
	Store corpus.Encodings
	// Corpus announces new chunks. Required.
	Corpus corpus.Corpus
	// Models are the encoders. The worker finishes the first one before it encodes
	// with the next. Required.
	Models []Model
	// Cores tells whether somebody waits for an answer. The worker then rests.
	// Default: nil, nobody.
	Cores *cores.Pool
	// Lease is the time after which another process takes over the work of a
	// killed process. Default: DefaultLease.
	Lease time.Duration
	// Log receives messages about progress and failures. Default: none.
	Log *slog.Logger
}

// Worker encodes chunks in the background. All methods are safe for concurrent
// use.
type Worker struct {
	cfg   Config
	owner string
	// wake receives a value when Computed has new vectors.
	wake chan struct{}

	mu sync.Mutex // guards the fields of the jobs that say so
	// jobs has the state for each model.
	jobs []*job
}

// job is the work of one model.
type job struct {
	Model
	name string

	// computed are vectors that questions needed. asked are the documents of the
	// latest questions, the latest last. Worker.mu guards both.
	computed []corpus.Encoding
	asked    []int64

	// The following fields belong to Run.

	// until is the version of the last encoded document, 0 at the start of a
	// pass over all documents, which is of the corpus at revision.
	until, revision int64
	// held is the time until which this process has the lease, or zero.
	held time.Time
	// done counts the chunks since the last time that all were encoded.
	done  int
	began time.Time
}

// NewWorker checks the configuration.
func NewWorker(cfg Config) (*Worker, error) {
	if cfg.Store == nil || cfg.Corpus == nil || len(cfg.Models) == 0 {
		return nil, fault.New(fault.Internal, "config_encode_incomplete", "encode: Config needs Store, Corpus, and Models")
	}
	if cfg.Lease <= 0 {
		cfg.Lease = DefaultLease
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	w := &Worker{cfg: cfg, owner: rand.Text(), wake: make(chan struct{}, 1)}
	for _, m := range cfg.Models {
		w.jobs = append(w.jobs, &job{Model: m, name: m.Embedder.Name()})
	}
	return w, nil
}

// Computed takes vectors that a question needed, to store them. The rest of
// their documents is encoded first.
func (w *Worker) Computed(model string, passages []corpus.Passage, vectors [][]float32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range w.jobs {
		if j.name != model {
			continue
		}
		for i, p := range passages {
			if !j.Languages.Accept(p.Document.Language) {
				continue
			}
			if len(j.computed) < maxComputed {
				j.computed = append(j.computed, corpus.Encoding{ChunkID: p.ID, Vector: vectors[i]})
			}
			j.asked = slices.DeleteFunc(j.asked, func(id int64) bool { return id == p.Document.ID })
			j.asked = append(j.asked, p.Document.ID)
		}
		j.asked = j.asked[max(0, len(j.asked)-maxAsked):]
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run encodes until ctx ends, which is not an error. It retries after failures.
func (w *Worker) Run(ctx context.Context) error {
	changed, err := w.cfg.Corpus.Watch(ctx)
	if err != nil {
		return err
	}
	defer w.release(context.WithoutCancel(ctx))
	pause := minPause
	for {
		more, err := w.step(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			w.cfg.Log.Error("chunks could not be encoded", "error", err, "again_in", pause)
			w.rest(ctx, nil, pause)
			pause = min(2*pause, maxPause)
			continue
		case !more:
			w.rest(ctx, changed, w.cfg.Lease)
		}
		pause = minPause
	}
}

// rest waits for changes, vectors, or the end of the pause.
func (w *Worker) rest(ctx context.Context, changed <-chan struct{}, pause time.Duration) {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-w.wake:
	case <-t.C:
	}
}

// step encodes one batch for the first model that lacks vectors. more reports
// whether chunks are left for this process.
func (w *Worker) step(ctx context.Context) (more bool, err error) {
	for _, j := range w.jobs {
		if more, err = w.stepModel(ctx, j); more || err != nil {
			return more, err
		}
	}
	return false, nil
}

func (w *Worker) stepModel(ctx context.Context, j *job) (more bool, err error) {
	w.mu.Lock()
	computed, asked := j.computed, slices.Clone(j.asked)
	j.computed = nil
	w.mu.Unlock()
	if err := w.cfg.Store.PutEncodings(ctx, j.name, computed); err != nil {
		return false, err
	}
	now, err := w.cfg.Corpus.Revision(ctx)
	if err != nil {
		return false, err
	}
	if now.Number != j.revision {
		j.until, j.revision = 0, now.Number // new documents come first
	}
	passages, err := w.next(ctx, j, asked)
	if err != nil || len(passages) == 0 {
		return false, err
	}
	if ok, err := w.lease(ctx, j); !ok || err != nil {
		return false, err
	}
	if j.done == 0 {
		j.began = time.Now()
	}
	if err := encode(ctx, w.cfg.Store, j.Embedder, passages, w.cfg.Cores.Rest); err != nil {
		return false, err
	}
	j.done += len(passages)
	return true, nil
}

// next returns the chunks to encode next, or none if all have a vector.
func (w *Worker) next(ctx context.Context, j *job, asked []int64) ([]corpus.Passage, error) {
	q := corpus.EncodingQuery{Model: j.name, Languages: j.Languages, Limit: batchChunks}
	if len(asked) > 0 {
		q.Documents = asked
		passages, err := w.cfg.Store.Unencoded(ctx, q)
		if err != nil || len(passages) > 0 {
			return passages, err
		}
		w.mu.Lock()
		j.asked = slices.DeleteFunc(j.asked, func(id int64) bool { return slices.Contains(asked, id) })
		w.mu.Unlock()
		q.Documents = nil
	}
	if j.until < 0 {
		return nil, nil // the pass over this revision has ended
	}
	q.Until = j.until
	passages, err := w.cfg.Store.Unencoded(ctx, q)
	switch {
	case err != nil:
		return nil, err
	case len(passages) > 0:
		j.until = passages[0].Document.Revision
		return passages, nil
	}
	j.until = -1
	if j.done > 0 {
		w.cfg.Log.Info("all chunks are encoded", "model", j.name, "chunks", j.done, "took", time.Since(j.began).Round(time.Millisecond))
	}
	j.done = 0
	return nil, w.giveBack(ctx, j)
}

// lease takes or extends the lease of a model. It returns false while another
// process has it.
func (w *Worker) lease(ctx context.Context, j *job) (bool, error) {
	now := time.Now()
	if j.held.Sub(now) > w.cfg.Lease*2/3 {
		return true, nil
	}
	ok, err := w.cfg.Store.LeaseEncoder(ctx, j.name, w.owner, now, now.Add(w.cfg.Lease))
	j.held = time.Time{}
	if ok && err == nil {
		j.held = now.Add(w.cfg.Lease)
	}
	return ok, err
}

// giveBack ends the lease of a model.
func (w *Worker) giveBack(ctx context.Context, j *job) error {
	if j.held.IsZero() {
		return nil
	}
	j.held = time.Time{}
	now := time.Now()
	_, err := w.cfg.Store.LeaseEncoder(ctx, j.name, w.owner, now, now)
	return err
}

// release ends all leases.
func (w *Worker) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, j := range w.jobs {
		if err := w.giveBack(ctx, j); err != nil {
			w.cfg.Log.Warn("the lease of the encoder stays until it expires", "model", j.name, "error", err)
		}
	}
}
