package retrieve

import (
	"context"
	"fmt"
	"time"

	"docent/rag/corpus"
)

// Load makes the retriever ready. It reads the snapshot if there is one of this
// corpus and then brings all data up to date. If many chunks changed, it writes
// a new snapshot.
func (r *Retriever) Load(ctx context.Context) error {
	r.updating.Lock()
	defer r.updating.Unlock()
	now, err := r.cfg.Corpus.Revision(ctx)
	if err != nil {
		return fmt.Errorf("retriever: revision: %w", err)
	}
	if r.revision == (corpus.Revision{}) {
		r.restore(ctx, now)
	}
	if err := r.refresh(ctx); err != nil {
		return err
	}
	r.saveIfWorth()
	return nil
}

// Follow keeps the retriever in step with the corpus until ctx ends, which is
// no error. A corpus that does not answer is tried again at the next change and
// without one after a growing pause, until the index is in step.
func (r *Retriever) Follow(ctx context.Context) error {
	changed, err := r.cfg.Corpus.Watch(ctx)
	if err != nil {
		return fmt.Errorf("retriever: watch the corpus: %w", err)
	}
	snapshot := newSnapshotTimer()
	defer snapshot.Stop()
	for {
		select {
		case _, ok := <-changed:
			if !ok || !r.catchUp(ctx, changed) {
				// The next start is quicker with a snapshot of the present state.
				return r.Save(context.WithoutCancel(ctx))
			}
			snapshot.changed()
		case <-snapshot.C:
			if err := r.saveLater(ctx); err != nil {
				return err
			}
			snapshot.saved()
		}
	}
}

// saveLater writes the snapshot while following, if much has changed.
func (r *Retriever) saveLater(ctx context.Context) error {
	if err := r.cfg.Cores.Acquire(ctx); err != nil {
		return r.Save(context.WithoutCancel(ctx)) // ctx has ended, so Follow ends
	}
	defer r.cfg.Cores.Release()
	r.updating.Lock()
	defer r.updating.Unlock()
	r.saveIfWorth()
	return nil
}

const (
	// snapshotQuiet is how long the corpus must be unchanged before a snapshot
	// is written. Writing one copies the whole index.
	snapshotQuiet = 10 * time.Second
	// snapshotLatest is how long a snapshot waits for that at most.
	snapshotLatest = 5 * time.Minute
)

// snapshotTimer fires when a snapshot is due.
type snapshotTimer struct {
	*time.Timer
	// latest is when the snapshot is due although the corpus changes; zero
	// while nothing has changed.
	latest time.Time
}

func newSnapshotTimer() *snapshotTimer {
	t := &snapshotTimer{Timer: time.NewTimer(snapshotLatest)}
	t.Stop()
	return t
}

// changed notes a change of the corpus.
func (t *snapshotTimer) changed() {
	if t.latest.IsZero() {
		t.latest = time.Now().Add(snapshotLatest)
	}
	t.Reset(min(snapshotQuiet, time.Until(t.latest)))
}

// saved notes that nothing waits to be written.
func (t *snapshotTimer) saved() { t.latest = time.Time{} }

// catchUp refreshes until it succeeds; false means that changed was closed.
func (r *Retriever) catchUp(ctx context.Context, changed <-chan struct{}) bool {
	pause := minFollowPause
	for {
		err := r.Refresh(ctx)
		if err == nil {
			return true
		}
		if ctx.Err() == nil {
			r.cfg.Log.Error("the index could not follow the documents", "error", err, "again_in", pause)
		}
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case _, ok := <-changed:
			again.Stop()
			if !ok {
				return false
			}
		}
		pause = min(2*pause, maxFollowPause)
	}
}

const (
	// minFollowPause is how long Follow waits after the first failure.
	minFollowPause = 250 * time.Millisecond
	// maxFollowPause is the most it waits after many.
	maxFollowPause = 30 * time.Second
	// minUnsaved is how many changed chunks are worth a snapshot.
	minUnsaved = 256
	// unsavedShare is the part of all chunks that has to have changed, so that
	// growing by many small steps writes a few times the whole in all.
	unsavedShare = 10
)

// saveIfWorth writes the snapshot if much has changed; r.updating is held. A
// failure costs time at the next start only.
func (r *Retriever) saveIfWorth() {
	if r.unsaved < minUnsaved || r.unsaved < r.memory.len()/unsavedShare {
		return
	}
	if err := r.save(); err != nil {
		r.cfg.Log.Warn("the snapshot could not be written", "error", err)
	}
}
