package insight

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"docent/payload"
)

const (
	// maxWaiting bounds the answers that wait for the database. Further ones are not recorded.
	maxWaiting = 256
	// recordTimeout bounds the write of some answers.
	recordTimeout = 5 * time.Second
)

// Recorder adds the facts of answers without a conversation. Its methods are safe for concurrent use.
// If the process is killed, the facts of the last moment are lost.
type Recorder struct {
	store   Store
	keep    time.Duration
	log     *slog.Logger
	waiting chan Entry
}

// NewRecorder returns a Recorder. With a keep of 0, it counts answers but keeps no facts. Run stores
// the answers.
func NewRecorder(store Store, keep time.Duration, log *slog.Logger) *Recorder {
	return &Recorder{store, keep, log, make(chan Entry, maxWaiting)}
}

// Record adds an answer without waiting for the database.
func (r *Recorder) Record(ctx context.Context, channel Channel, asker string, m payload.RAGMessage) {
	e, ok := entryOf(Answer{Time: time.Now(), Channel: channel, Asker: asker}, m)
	if !ok {
		return
	}
	e.Forgotten = r.keep <= 0
	if content, err := json.Marshal(m); err == nil && len(content) <= MaxContent {
		e.Content = content
	}
	select {
	case r.waiting <- e:
	default:
		r.log.WarnContext(ctx, "the facts about an answer are not recorded: too many wait for the database", "waiting", maxWaiting)
	}
}

// Run stores recorded answers until ctx ends, and then the waiting ones.
func (r *Recorder) Run(ctx context.Context) error {
	for {
		select {
		case e := <-r.waiting:
			r.flush(ctx, e)
		case <-ctx.Done():
			r.flush(ctx)
			return nil
		}
	}
}

// flush stores some answers and all waiting ones in one transaction. It logs a failure.
func (r *Recorder) flush(ctx context.Context, entries ...Entry) {
	for len(entries) < maxWaiting {
		select {
		case e := <-r.waiting:
			entries = append(entries, e)
			continue
		default:
		}
		break
	}
	if len(entries) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout) // the answers were given
	defer cancel()
	if err := r.store.AddAnswers(ctx, entries...); err != nil {
		r.log.WarnContext(ctx, "add the facts about answers", "error", err, "answers", len(entries))
	}
}
