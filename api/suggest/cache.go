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
)

// cache keeps values that are expensive to make. It makes one value at a time, so that visitors do not load the search
// beside each other. Errors are not kept. It is safe for concurrent use.
type cache[T any] struct {
	making chan struct{} // holds a token while a value is made
	mu     sync.Mutex    // guards kept and order
	kept   map[string]T
	order  []string // the keys, oldest first
}

func newCache[T any]() *cache[T] {
	return &cache[T]{making: make(chan struct{}, 1), kept: map[string]T{}}
}

// get returns the value of a key, and makes it if it is missing. The work goes on if the reader leaves, so that the
// next one finds the value.
func (c *cache[T]) get(ctx context.Context, key string, fill func(ctx context.Context) (T, error)) (T, error) {
	if v, ok := c.find(key); ok {
		return v, nil
	}
	select {
	case c.making <- struct{}{}:
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
	defer func() { <-c.making }()
	if v, ok := c.find(key); ok { // another reader made it meanwhile
		return v, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	v, err := fill(ctx)
	if err == nil {
		c.keep(key, v)
	}
	return v, err
}

func (c *cache[T]) find(key string) (T, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.kept[key]
	return v, ok
}

func (c *cache[T]) keep(key string, v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.order) == maxKept {
		delete(c.kept, c.order[0])
		c.order = c.order[1:]
	}
	c.kept[key] = v
	c.order = append(c.order, key)
}
