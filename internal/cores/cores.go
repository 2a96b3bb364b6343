// Package cores keeps processor cores free for people who wait for an answer.
// Background work, such as embedding and indexing, borrows a core from a Pool
// and returns it after each small piece of work.
package cores

import "context"

// Pool lends a fixed number of cores. A nil Pool lends without limit. All
// methods are safe for concurrent use.
type Pool struct {
	lent chan struct{} // one value per core in use
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
