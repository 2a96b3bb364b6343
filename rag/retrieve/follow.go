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
	for {
		if _, ok := <-changed; !ok {
			break
		}
		if !r.catchUp(ctx, changed) {
			break
		}
		r.updating.Lock()
		r.saveIfWorth()
		r.updating.Unlock()
	}
	// ctx has ended, and the next start is quicker with what is known now.
	return r.Save(context.WithoutCancel(ctx))
}

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
