package pgfollow

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/index"
	"docent/rag/corpus"
)

const (
	// batchChunks is the approximate number of chunks that are written at a time.
	batchChunks = 512
	// CommitChunks is the approximate number of chunks in a transaction.
	CommitChunks = 8192
	// LogEvery is the interval of messages about progress.
	LogEvery = 10 * time.Second
	// minPause is the pause of Follow after the first failure.
	minPause = 250 * time.Millisecond
	// maxPause is the longest pause of Follow.
	maxPause = 30 * time.Second
)

// Refresh applies all changes of the corpus to the tables. If they are empty or belong
// to another database, it reads the whole corpus. If another process refreshes them, it
// waits.
func (f *Follower) Refresh(ctx context.Context) error {
	f.refreshing.Lock()
	defer f.refreshing.Unlock()
	next, passages := time.Now().Add(LogEvery), 0
	for {
		done, err := f.step(ctx)
		if err != nil {
			return f.cfg.Fail("refresh the "+f.cfg.Name, err)
		}
		if done.all {
			return nil
		}
		passages += done.chunks
		if time.Now().After(next) {
			next = time.Now().Add(LogEvery)
			f.cfg.Log.Info("building the "+f.cfg.Name, "revision", done.revision, "of", done.of, "passages", passages)
		}
	}
}

// Exclusive calls another function that writes to the tables. No Refresh of this
// process runs meanwhile.
func (f *Follower) Exclusive(write func() error) error {
	f.refreshing.Lock()
	defer f.refreshing.Unlock()
	return write()
}

// progress is the state after a step.
type progress struct {
	all          bool
	revision, of int64
	chunks       int // of this step
}

// step applies the next changes in one transaction.
func (f *Follower) step(ctx context.Context) (p progress, err error) {
	err = pgx.BeginFunc(ctx, f.cfg.Pool, func(tx pgx.Tx) error {
		p.revision, p.of, err = f.Lock(ctx, tx)
		if p.all = p.revision == p.of; err != nil || p.all {
			return err
		}
		var batch []corpus.Change
		step := f.index.Step()
		since, last, pending := p.revision, p.revision, 0
		p.all = true
		for change, err := range f.cfg.Corpus.Changes(ctx, since, f.cfg.Embedder) {
			if err != nil {
				return fmt.Errorf("changes since %d: %w", since, err)
			}
			batch, last = append(batch, change), max(last, change.Revision)
			p.chunks, pending = p.chunks+len(change.Chunks), pending+len(change.Chunks)
			if pending >= batchChunks {
				if err := step.Apply(ctx, tx, batch); err != nil {
					return err
				}
				batch, pending = batch[:0], 0
			}
			// Two documents may share a revision, and the second may still follow. The next step therefore reads the last
			// revision again.
			if p.chunks >= CommitChunks && last-1 > since {
				p.all = false
				break
			}
		}
		if len(batch) > 0 {
			if err := step.Apply(ctx, tx, batch); err != nil {
				return err
			}
		}
		if err := step.End(ctx, tx); err != nil {
			return err
		}
		if p.revision = last - 1; p.all {
			p.revision = max(last, p.of)
		}
		_, err := tx.Exec(ctx, `UPDATE `+f.cfg.State+` SET revision = $1`, p.revision)
		return err
	})
	return p, err
}

// Follow calls refresh at once and after each change of the corpus until ctx ends, which
// is not an error. After a failure it retries at the next change, or after a pause. The
// pause grows with each failure.
func (f *Follower) Follow(ctx context.Context, refresh func(context.Context) error) error {
	changed, err := f.cfg.Corpus.Watch(ctx)
	if err != nil {
		return fmt.Errorf("%s: watch the corpus: %w", f.cfg.Name, err)
	}
	again := time.NewTimer(0)
	defer again.Stop()
	for pause := minPause; ; {
		select {
		case <-again.C:
		case _, ok := <-changed:
			if !ok {
				return nil
			}
		}
		err := refresh(ctx)
		switch {
		case err == nil:
			f.filled.Store(true)
			again.Stop()
			pause = minPause
		case ctx.Err() == nil:
			f.cfg.Log.Error("the "+f.cfg.Name+" could not follow the documents", "error", err, "again_in", pause)
			again.Reset(pause)
			pause = min(2*pause, maxPause)
		}
	}
}

// Filled fails with fault.Unavailable until Follow has refreshed the tables once. The
// error says how far they are.
func (f *Follower) Filled(ctx context.Context) error {
	if f.filled.Load() {
		return nil
	}
	now, err := f.cfg.Corpus.Revision(ctx)
	if err != nil {
		return fmt.Errorf("%s: revision: %w", f.cfg.Name, err)
	}
	var have int64
	if err := f.cfg.Pool.QueryRow(ctx, `SELECT revision FROM `+f.cfg.State).Scan(&have); err != nil {
		return f.cfg.Fail("read the state of the "+f.cfg.Name, err)
	}
	return index.Filling(f.cfg.Name, have, now.Number)
}
