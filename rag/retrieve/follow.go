package retrieve

import (
	"context"
	"fmt"
	"math"
	"time"

	"docent/rag/corpus"
)

// Load prepares the retriever for searches. It reads the snapshot of this corpus,
// if one exists, and then applies later changes. If many chunks changed, it
// writes a new snapshot. No search may run meanwhile.
func (r *Retriever) Load(ctx context.Context) error {
	r.updating.Lock()
	defer r.updating.Unlock()
	now, err := r.cfg.Corpus.Revision(ctx)
	if err != nil {
		return fmt.Errorf("retriever: revision: %w", err)
	}
	if r.revision == (corpus.Revision{}) && r.derives() {
		r.restore(ctx, now)
	}
	for least := r.memory.len() / unsavedShare; ; least = 0 { // all of a large index moves, also a small last part
		limit := max(r.moved, r.memory.len()/movedShare)
		more, err := r.refreshRows(ctx, limit) // vectors need the rows of their chunks
		if err == nil && !more {
			more, err = r.refresh(ctx, limit)
		}
		if err != nil {
			return err
		}
		// The vectors, tokens, and words of a snapshot stay in its file, and the system reads and drops them as needed. So use
		// it in place of the data that was made from the documents.
		if !r.saveIfWorth(ctx, max(minUnsaved, least)) || !r.restore(ctx, r.revision) || !more {
			_, err := r.refresh(ctx, math.MaxInt)
			return err
		}
	}
}

// Follow applies changes of the corpus since Load, and then each later one, until ctx ends, which is not an error. After a
// failure it retries at the next change, or after a pause. The pause grows with each failure.
func (r *Retriever) Follow(ctx context.Context) error {
	changed, err := r.cfg.Corpus.Watch(ctx)
	if err != nil {
		return fmt.Errorf("retriever: watch the corpus: %w", err)
	}
	snapshot := newSnapshotTimer()
	defer snapshot.Stop()
	encodings := time.NewTicker(encodingsPause)
	defer encodings.Stop()
	for ok := r.catchUp(ctx, changed, r.held, movedShare); ok; {
		select {
		case <-encodings.C:
			if r.encoders.pending() {
				ok = r.catchUp(ctx, changed, r.held, movedShare)
				snapshot.encoded()
			}
		case _, ok = <-changed:
			ok = ok && r.catchUp(ctx, changed, r.held, movedShare)
			snapshot.changed()
		case <-snapshot.C:
			ok = r.catchUp(ctx, changed, minUnsaved, unsavedShare)
			snapshot.saved()
		}
	}
	// The next start is quicker with a snapshot of the present state.
	return r.Save(context.WithoutCancel(ctx))
}

// advance applies all changes. If at least that many chunks changed, or that share, it
// writes the snapshot and uses it in place of the data in memory. Searches go on meanwhile.
func (r *Retriever) advance(ctx context.Context, least, share int) error {
	r.updating.Lock()
	defer r.updating.Unlock()
	for ; ; least, share = r.held, movedShare {
		limit := max(least, r.memory.len()/share)
		more, err := r.refresh(ctx, limit)
		if err != nil || !more && r.unsaved < limit {
			return err
		}
		if err := r.cfg.Cores.Acquire(ctx); err != nil {
			return fmt.Errorf("retriever: wait for a core: %w", err)
		}
		moved := r.saveIfWorth(ctx, limit) && r.restore(context.WithoutCancel(ctx), r.revision)
		r.cfg.Cores.Release()
		if !moved {
			_, err := r.refresh(ctx, math.MaxInt)
			return err
		}
	}
}

const (
	// snapshotQuiet is the time without changes before a snapshot is written, because writing one copies the whole index.
	snapshotQuiet = 10 * time.Second
	// snapshotLatest is the maximum wait for such a quiet time.
	snapshotLatest = 5 * time.Minute
)

// snapshotTimer fires when a snapshot is due.
type snapshotTimer struct {
	*time.Timer
	// latest is the time when the snapshot is due even if the corpus keeps changing. It is zero until something changes.
	latest time.Time
}

func newSnapshotTimer() *snapshotTimer {
	t := &snapshotTimer{Timer: time.NewTimer(snapshotLatest)}
	t.Stop()
	return t
}

// changed records a change of the corpus.
func (t *snapshotTimer) changed() {
	if t.latest.IsZero() {
		t.latest = time.Now().Add(snapshotLatest)
	}
	t.Reset(min(snapshotQuiet, time.Until(t.latest)))
}

// encoded records that vectors of encoders may have changed. They change all the time
// while an encoder works, so they do not wait for quiet.
func (t *snapshotTimer) encoded() {
	if t.latest.IsZero() {
		t.latest = time.Now().Add(snapshotLatest)
		t.Reset(snapshotLatest)
	}
}

// saved clears the timer after a snapshot was written.
func (t *snapshotTimer) saved() { t.latest = time.Time{} }

// catchUp advances until it succeeds. It returns false if changed is closed.
func (r *Retriever) catchUp(ctx context.Context, changed <-chan struct{}, least, share int) bool {
	pause := minFollowPause
	for {
		err := r.advance(ctx, least, share)
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
	// encodingsPause is the interval at which Follow reads new vectors of
	// encoders, while chunks lack one.
	encodingsPause = time.Second
	// minFollowPause is the pause of Follow after the first failure.
	minFollowPause = 250 * time.Millisecond
	// maxFollowPause is the longest pause of Follow.
	maxFollowPause = 30 * time.Second
	// movedChunks is the minimum number of chunks that Load makes in memory before it moves them to the snapshot. Killed
	// processes lose only this work.
	movedChunks = 100_000
	// heldChunks is that of Follow. It is smaller, because other work of a server needs memory, too.
	heldChunks = 20_000
	// movedShare divides the number of chunks. The quotient is the minimum number that Load or Follow moves at once, because
	// each snapshot contains all chunks.
	movedShare = 8
	// minUnsaved is the minimum number of changed chunks for a snapshot.
	minUnsaved = 256
	// unsavedShare divides the number of chunks. The quotient is the minimum number of changed chunks for a snapshot. An index
	// that grows in small steps then writes only a few times its size in all.
	unsavedShare = 10
)

// saveIfWorth writes the snapshot if at least that many chunks changed, and reports whether it did. The caller holds
// r.updating. A failure only makes the next start slower.
func (r *Retriever) saveIfWorth(ctx context.Context, changed int) bool {
	if r.cfg.Snapshot == "" || r.unsaved < changed {
		return false
	}
	if err := r.save(ctx); err != nil {
		r.cfg.Log.Warn("the snapshot could not be written", "error", err)
		return false
	}
	return true
}
