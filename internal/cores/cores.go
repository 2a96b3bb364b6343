// Package cores keeps processor cores free for people who wait for an answer.
// Background work, such as embedding and indexing, borrows a core from a Pool
// and returns it after each small piece of work.
package cores

import (
	"context"
	"sync/atomic"
	"time"
)

// idleAfter is the time without questions after which Idle reports true.
const idleAfter = 2 * time.Second

// Pool lends a fixed number of cores. A nil Pool lends without limit. All
// methods are safe for concurrent use.
type Pool struct {
	lent chan struct{} // one value per core in use
	// asked is the time of the latest question in Unix nanoseconds.
	asked atomic.Int64
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

// Asked records that somebody waits for an answer.
func (p *Pool) Asked() {
	if p != nil {
		p.asked.Store(time.Now().UnixNano())
	}
}

// Idle reports that nobody waits for an answer: Asked was not called in the
// last seconds. Background work may then use all cores.
func (p *Pool) Idle() bool {
	return p == nil || time.Since(time.Unix(0, p.asked.Load())) > idleAfter
}
