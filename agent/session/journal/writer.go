package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docent/internal/fault"
	"docent/payload"
)

// Attempts of a write, and the pause before the second attempt. Each pause is twice as long as the
// one before. The attempts bridge a restart of the store.
const (
	writeAttempts = 7
	writePause    = 100 * time.Millisecond
)

// Writer writes and reads the record of one session. It repeats a write while
// the store does not answer. Only one goroutine may write at a time.
type Writer struct {
	Reader
	// Load is the first part of the keys of commits. It is unique for each load of the session.
	Load string
	// Fence is the fence of all writes, or 0.
	Fence int64
	// Writes counts the attempts to write.
	Writes int64
	// Closing is closed at the start of a shutdown. Only one attempt follows, without a pause.
	Closing <-chan struct{}
	// Observe receives the duration of each attempt to commit.
	Observe func(time.Duration)

	commits int // the last part of the keys of commits
}

// Commit writes a turn's record. All attempts have the same key, so the store writes the record
// once. The end of ctx does not stop Commit.
func (w *Writer) Commit(ctx context.Context, record TurnRecord) (written Written, err error) {
	ctx = context.WithoutCancel(ctx)
	w.commits++
	record.Fence = w.Fence
	record.Key = fmt.Sprintf("%s/%d", w.Load, w.commits)
	err = w.retry(ctx, func(ctx context.Context) (err error) {
		began := time.Now()
		written, err = w.Store.CommitTurn(ctx, record)
		w.Observe(time.Since(began))
		return err
	})
	if err != nil && fault.KindOf(err) != fault.NotFound {
		err = fmt.Errorf("commit turn %d of session %s: %w", record.Turn, w.Name, err)
	}
	return written, err
}

// Empty resets the session and returns its newest sequence number. It may be repeated.
func (w *Writer) Empty(ctx context.Context) (seq int64, err error) {
	err = w.retry(ctx, func(ctx context.Context) (err error) {
		seq, err = w.Store.ResetSession(ctx, w.Session, w.Fence)
		return err //nolint:wrapcheck // it names the session
	})
	return seq, err
}

// Show shows the newest branch with a turn. It may be repeated.
func (w *Writer) Show(ctx context.Context, store Versions, turn int64) (hidden []payload.TurnRange, err error) {
	err = w.retry(ctx, func(ctx context.Context) (err error) {
		hidden, err = store.ShowTurn(ctx, w.Session, w.Fence, turn)
		return err
	})
	return hidden, err
}

// retry calls write until it succeeds, fails permanently, or has failed writeAttempts times.
func (w *Writer) retry(ctx context.Context, write func(ctx context.Context) error) error {
	pause := writePause
	for attempt := 1; ; attempt++ {
		within, cancel := context.WithTimeout(ctx, w.Timeout)
		err := write(within)
		cancel()
		w.Writes++
		if err == nil || attempt >= writeAttempts || !fault.KindOf(err).Retryable() || errors.Is(err, ErrStale) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-w.Closing:
			attempt = max(attempt, writeAttempts-1)
		}
		pause *= 2
	}
}
