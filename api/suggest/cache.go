package suggest

import (
	"context"
	"sync"
	"time"
)

const (
	// maxKept bounds the values in a cache.
	maxKept = 500
	// patience bounds the time to make a value.
	patience = time.Minute
	// atOnce bounds the collections and documents for which docent tries questions at once, because each question is a search.
	atOnce = 2
)

// cache keeps values that are expensive to make. It makes each value once, and values of different keys beside each other.
// Errors are not kept. It is safe for concurrent use.
type cache[T any] struct {
	slots  chan struct{} // each running work holds a token; nil for any number
	mu     sync.Mutex    // guards the following fields
	kept   map[string]T
	order  []string                 // the keys, oldest first
	making map[string]chan struct{} // closed at the end of the work on a key
}

// newCache returns a cache that makes some values at once. 0 means any number.
func newCache[T any](atOnce int) *cache[T] {
	c := &cache[T]{kept: map[string]T{}, making: map[string]chan struct{}{}}
	if atOnce > 0 {
		c.slots = make(chan struct{}, atOnce)
	}
	return c
}

// get returns the value of a key, and makes it if it is missing. The work goes on if the reader leaves, so that the
// next one finds the value.
func (c *cache[T]) get(ctx context.Context, key string, fill func(ctx context.Context) (T, error)) (T, error) {
	for {
		v, ok, done := c.find(key)
		switch {
		case ok:
			return v, nil
		case done == nil:
			return c.fill(ctx, key, fill)
		}
		select {
		case <-done: // the other reader may have failed
		case <-ctx.Done():
			return v, context.Cause(ctx)
		}
	}
}

// find returns the value of a key, or the end of the work on it. Without either, the caller does the work.
func (c *cache[T]) find(key string) (v T, ok bool, done chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok = c.kept[key]; ok {
		return v, true, nil
	}
	if done = c.making[key]; done == nil {
		c.making[key] = make(chan struct{})
	}
	return v, false, done
}

// fill makes the value of a key.
func (c *cache[T]) fill(ctx context.Context, key string, fill func(ctx context.Context) (T, error)) (v T, err error) {
	kept := false
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if kept {
			c.keep(key, v)
		}
		close(c.making[key])
		delete(c.making, key)
	}()
	if c.slots != nil {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return v, context.Cause(ctx)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	v, err = fill(ctx)
	kept = err == nil
	return v, err
}

// keep stores a value. The caller holds the lock.
func (c *cache[T]) keep(key string, v T) {
	if len(c.order) == maxKept {
		delete(c.kept, c.order[0])
		c.order = c.order[1:]
	}
	c.kept[key] = v
	c.order = append(c.order, key)
}
