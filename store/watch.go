package store

import (
	"context"
	"sync"
)

// Watchers runs the goroutines of a store's Watch. The zero value is ready to
// use.
type Watchers struct {
	mu      sync.Mutex // guards the fields below
	closed  bool
	cancels map[*context.CancelFunc]struct{}
	running sync.WaitGroup
}

// Start runs body in a goroutine until ctx ends or Close is called. body calls
// notify when the revision has grown, and returns when its context ends. Start's
// channel is closed after body returns.
func (w *Watchers) Start(ctx context.Context, body func(ctx context.Context, notify func())) <-chan struct{} {
	ctx, cancel := context.WithCancel(ctx)
	changed := make(chan struct{}, 1) // one value announces any number of changes
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		cancel()
		close(changed)
		return changed
	}
	if w.cancels == nil {
		w.cancels = map[*context.CancelFunc]struct{}{}
	}
	w.cancels[&cancel] = struct{}{}
	w.running.Go(func() {
		defer close(changed)
		defer w.remove(&cancel)
		body(ctx, func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		})
	})
	return changed
}

func (w *Watchers) remove(cancel *context.CancelFunc) {
	(*cancel)()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.cancels, cancel)
}

// Close stops all goroutines and waits for them.
func (w *Watchers) Close() {
	w.mu.Lock()
	w.closed = true
	for cancel := range w.cancels {
		(*cancel)()
	}
	w.mu.Unlock()
	w.running.Wait()
}
