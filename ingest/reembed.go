package ingest

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime/debug"
	"time"

	"docent/embed"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	// reembedBatch is the number of chunks that are embedded and stored in one step.
	reembedBatch = 512
	// countBatch is the number of chunks that are counted in one step.
	countBatch = 4096
	// DefaultReembedLease is the default of Reembedding.Lease.
	DefaultReembedLease = time.Minute
	// looks is the number of looks at a lease of another process while it lasts.
	looks = 6
	// giveBackTimeout bounds giving a lease back.
	giveBackTimeout = time.Second
)

// Reembedding describes a run of Reembed.
type Reembedding struct {
	// Store has the chunks and their vectors. Required.
	Store Store
	// Leases select the process that embeds. Required.
	Leases Leases
	// Embedder makes the vectors. Required.
	Embedder embed.Embedder
	// Wait also waits while another process embeds, and takes over if that process is
	// killed. Default false: Reembed then returns at once.
	Wait bool
	// Lease is the time after which another process takes over. Default
	// DefaultReembedLease.
	Lease time.Duration
	// Progress is called after each batch with the number of embedded chunks and their
	// total. Default none.
	Progress func(done, total int)
}

// Leases select one process for each model. corpus.Encodings is one.
type Leases interface {
	// LeaseEncoder gives owner the right to a model until the given time; see
	// corpus.Encodings.
	LeaseEncoder(ctx context.Context, model, owner string, now, until time.Time) (ok bool, err error)
}

// reembedLease is the lease of one run.
type reembedLease struct {
	Reembedding
	model, owner string
	held         time.Time // the time until which the run has the lease, or zero
}

// take takes or extends the lease. It returns false while another process has it.
func (l *reembedLease) take(ctx context.Context) (bool, error) {
	now := time.Now()
	if l.held.Sub(now) > l.Lease*2/3 {
		return true, nil
	}
	ok, err := l.Leases.LeaseEncoder(ctx, l.model, l.owner, now, now.Add(l.Lease))
	l.held = time.Time{}
	if ok && err == nil {
		l.held = now.Add(l.Lease)
	}
	return ok, err
}

// giveBack ends the lease, also if ctx has ended. Without success, the lease expires.
func (l *reembedLease) giveBack(ctx context.Context) {
	if l.held.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	now := time.Now()
	_, _ = l.Leases.LeaseEncoder(ctx, l.model, l.owner, now, now) //nolint:errcheck // the lease expires
}

// Reembed embeds each stored chunk that has no vector of the given embedder. It
// returns the number of new vectors. Among several processes, one embeds at a time.
func Reembed(ctx context.Context, r Reembedding) (int, error) {
	if r.Lease == 0 {
		r.Lease = DefaultReembedLease
	}
	name := r.Embedder.Name()
	lease := &reembedLease{Reembedding: r, model: "embedder " + name, owner: rand.Text()}
	defer lease.giveBack(ctx)
	total := 0
	if r.Progress != nil {
		var err error
		if total, err = countUnembedded(ctx, r.Store, name); err != nil || total == 0 {
			return 0, err
		}
	}
	done, after := 0, int64(0)
	for {
		passages, err := r.Store.Unembedded(ctx, name, after, reembedBatch)
		if err != nil {
			return done, fmt.Errorf("find chunks without a vector by %s: %w", name, err)
		}
		if len(passages) == 0 {
			return done, nil
		}
		ok, err := lease.take(ctx)
		switch {
		case err != nil:
			return done, fmt.Errorf("take the lease for embedding by %s: %w", name, err)
		case !ok && !r.Wait:
			return done, nil
		case !ok:
			after = 0 // the other process may leave chunks
			if err := rest(ctx, r.Lease/looks); err != nil {
				return done, err
			}
			continue
		}
		if err := reembed(ctx, r, passages); err != nil {
			return done, err
		}
		done += len(passages)
		after = passages[len(passages)-1].ID
		if r.Progress != nil {
			r.Progress(done, max(total, done))
		}
	}
}

// rest waits. It fails if ctx ends.
func rest(ctx context.Context, pause time.Duration) error {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// reembed embeds and stores one batch.
func reembed(ctx context.Context, r Reembedding, passages []corpus.Passage) error {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = corpus.IndexText(p.Document.Title, p.Chunk)
	}
	vectors, err := embedTexts(ctx, r.Embedder, texts)
	if err != nil {
		return fmt.Errorf("embed %d chunks again: %w", len(texts), err)
	}
	put := make([]intake.Embedding, len(passages))
	for i, p := range passages {
		put[i] = intake.Embedding{ChunkID: p.Chunk.ID, Vector: vectors[i]}
	}
	if err := r.Store.PutEmbeddings(ctx, r.Embedder.Name(), put); err != nil {
		return fmt.Errorf("store %d vectors by %s: %w", len(put), r.Embedder.Name(), err)
	}
	return nil
}

// countUnembedded returns the number of chunks without a vector by the embedder.
func countUnembedded(ctx context.Context, store Store, name string) (int, error) {
	total, after := 0, int64(0)
	for {
		passages, err := store.Unembedded(ctx, name, after, countBatch)
		if err != nil {
			return 0, fmt.Errorf("count chunks without a vector by %s: %w", name, err)
		}
		if total += len(passages); len(passages) < countBatch {
			return total, nil
		}
		after = passages[len(passages)-1].ID
	}
}

// embedTexts calls the embedder and checks the number of vectors. It turns a
// panic of the embedder into an error.
func embedTexts(ctx context.Context, embedder embed.Embedder, texts []string) (vectors [][]float32, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			vectors, err = nil, &embed.PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	vectors, err = embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fault.New(fault.Internal, "embedder_count", "the embedder returned %d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors, nil
}
