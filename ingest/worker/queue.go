package worker

import (
	"context"
	"sync"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// slow tells the client of a context that its document takes long.
func slow(ctx context.Context) {
	if c := intake.ClientOf(ctx); c.Slow != nil {
		c.Slow()
	}
}

// queue bounds the number of documents that are read at once. The next document
// is the first one of the client whose last turn was longest ago.
type queue struct {
	mu      sync.Mutex // guards the fields below
	free    int
	waiting []*waiter
	bytes   int64            // bytes of the waiting documents
	turns   map[string]int64 // last turn of each waiting client
	clock   int64
}

// waiter is a waiting document.
type waiter struct {
	key   string
	bytes int64
	turn  chan struct{} // closed when the document gets its turn
}

func newQueue(n int) *queue { return &queue{free: n, turns: map[string]int64{}} }

// wait waits for a turn. Call done after the turn. wait fails with fault.Busy
// if too many or too large documents are waiting.
func (q *queue) wait(ctx context.Context, key string, bytes int64) (done func(), err error) {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return q.release, nil
	}
	if len(q.waiting) >= maxWaiting || len(q.waiting) > 0 && q.bytes+bytes > maxWaitingBytes {
		q.mu.Unlock()
		return nil, fault.New(fault.Busy, "reading_busy", "too many documents are waiting to be read; try again in a minute")
	}
	w := &waiter{key, bytes, make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.bytes += bytes
	q.mu.Unlock()
	select {
	case <-w.turn:
		return q.release, nil
	case <-ctx.Done():
		q.leave(w)
		return nil, ctx.Err()
	}
}

// leave removes a waiter. If the waiter has got its turn meanwhile, leave
// passes it on.
func (q *queue) leave(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.waiting {
		if other == w {
			q.remove(i)
			return
		}
	}
	q.next()
}

// release ends a turn.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next()
}

// next passes the turn on. The caller holds q.mu.
func (q *queue) next() {
	best := -1
	for i, w := range q.waiting {
		if best < 0 || q.turns[w.key] < q.turns[q.waiting[best].key] {
			best = i
		}
	}
	if best < 0 {
		q.free++
		clear(q.turns)
		return
	}
	w := q.waiting[best]
	q.remove(best)
	q.clock++
	if len(q.turns) >= 16*maxWaiting {
		clear(q.turns)
	}
	q.turns[w.key] = q.clock
	close(w.turn)
}

func (q *queue) remove(i int) {
	q.bytes -= q.waiting[i].bytes
	q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
}
