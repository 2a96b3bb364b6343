// Package cores keeps processor cores free for people who wait for an answer.
// Background work, such as embedding and indexing, borrows a core from a Pool
// and returns it after each small piece of work.
package cores

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// maxRest bounds how long Rest waits.
	maxRest = time.Second
	// restAfter is the time for which background work rests after an answer.
	restAfter = 100 * time.Millisecond
	// restPause is the interval at which Rest looks.
	restPause = 5 * time.Millisecond
)

// Pool lends a fixed number of cores. A nil Pool lends without limit. All
// methods are safe for concurrent use.
type Pool struct {
	lent chan struct{} // one value per core in use
	// waiting counts the people who wait for an answer. answered is the time of the
	// latest answer in Unix nanoseconds.
	waiting, answered atomic.Int64
}

// New makes a pool of n cores, at least one.
func New(n int) *Pool { return &Pool{lent: make(chan struct{}, max(n, 1))} }

// Acquire waits for a core. It fails only if ctx ends first. Call Release
// after a success.
func (p *Pool) Acquire(ctx context.Context) error {
	if p == nil {
		return ctx.Err()
	}
	select {
	case p.lent <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release returns a core.
func (p *Pool) Release() {
	if p != nil {
		<-p.lent
	}
}

// Yield returns a core to the pool, so that a waiting caller gets it, and
// borrows one again.
func (p *Pool) Yield() {
	if p != nil {
		<-p.lent
		p.lent <- struct{}{}
	}
}

// Answer records that somebody waits for an answer, until the caller calls done.
func (p *Pool) Answer() (done func()) {
	if p == nil {
		return func() {}
	}
	p.waiting.Add(1)
	return func() {
		p.answered.Store(time.Now().UnixNano())
		p.waiting.Add(-1)
	}
}

// Busy counts the cores in use and the people who wait for an answer. It is 0 for a
// nil Pool.
func (p *Pool) Busy() int {
	if p == nil {
		return 0
	}
	return len(p.lent) + int(p.waiting.Load())
}

// Rest waits while somebody waits for an answer, and shortly after. Background
// work calls it between small pieces. It takes at most maxRest, so that work goes
// on under constant load. It fails only if ctx ends first.
func (p *Pool) Rest(ctx context.Context) error {
	for began := time.Now(); p.answering() && time.Since(began) < maxRest; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(restPause):
		}
	}
	return ctx.Err()
}

// answering reports whether somebody waits for an answer, or got one just now. The
// answer itself needs some work after the search.
func (p *Pool) answering() bool {
	return p != nil && (p.waiting.Load() > 0 || time.Since(time.Unix(0, p.answered.Load())) < restAfter)
}
