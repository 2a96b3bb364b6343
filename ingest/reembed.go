package ingest

import (
	"context"
	"fmt"
	"runtime/debug"

	"docent/embed"
	"docent/internal/fault"
	"docent/rag"
)

const (
	// reembedBatch is how many chunks are embedded and stored in one step.
	reembedBatch = 512
	// countBatch is how many chunks are looked at in one step of counting.
	countBatch = 4096
)

// Reembed gives a vector to each stored chunk that has none by the present
// embedder, and returns how many it gave. progress, if set, is called after
// each batch with how many are done and how many there are.
func (in *Ingester) Reembed(ctx context.Context, progress func(done, total int)) (int, error) {
	name := in.cfg.Embedder.Name()
	total := 0
	if progress != nil {
		var err error
		if total, err = in.countUnembedded(ctx, name); err != nil || total == 0 {
			return 0, err
		}
	}
	done, after := 0, int64(0)
	for {
		passages, err := in.cfg.Store.Unembedded(ctx, name, after, reembedBatch)
		if err != nil {
			return done, fmt.Errorf("find chunks without a vector by %s: %w", name, err)
		}
		if len(passages) == 0 {
			return done, nil
		}
		texts := make([]string, len(passages))
		for i, p := range passages {
			texts[i] = rag.IndexText(p.Document.Title, p.Chunk)
		}
		vectors, err := in.embed(ctx, texts)
		if err != nil {
			return done, fmt.Errorf("embed %d chunks again: %w", len(texts), err)
		}
		put := make([]Embedding, len(passages))
		for i, p := range passages {
			put[i] = Embedding{ChunkID: p.Chunk.ID, Vector: vectors[i]}
		}
		if err := in.cfg.Store.PutEmbeddings(ctx, name, put); err != nil {
			return done, fmt.Errorf("store %d vectors by %s: %w", len(put), name, err)
		}
		done += len(passages)
		after = passages[len(passages)-1].ID
		if progress != nil {
			progress(done, max(total, done))
		}
	}
}

// countUnembedded is how many chunks have no vector by the embedder.
func (in *Ingester) countUnembedded(ctx context.Context, name string) (int, error) {
	total, after := 0, int64(0)
	for {
		passages, err := in.cfg.Store.Unembedded(ctx, name, after, countBatch)
		if err != nil {
			return 0, fmt.Errorf("count chunks without a vector by %s: %w", name, err)
		}
		if total += len(passages); len(passages) < countBatch {
			return total, nil
		}
		after = passages[len(passages)-1].ID
	}
}

// embed calls the embedder and checks what it returns. A panic in this goroutine
// is an error of these texts.
func (in *Ingester) embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			vectors, err = nil, &embed.PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	vectors, err = in.cfg.Embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fault.New(fault.Internal, "embedder_count", "the embedder returned %d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors, nil
}
