package ingest

import (
	"context"
	"fmt"
	"runtime/debug"

	"docent/embed"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	// reembedBatch is the number of chunks that are embedded and stored in one step.
	reembedBatch = 512
	// countBatch is the number of chunks that are counted in one step.
	countBatch = 4096
)

// Reembed embeds each stored chunk that has no vector of the given embedder. It
// returns the number of new vectors. After each batch it calls progress, if set,
// with the number of embedded chunks and their total.
func Reembed(ctx context.Context, store Store, embedder embed.Embedder, progress func(done, total int)) (int, error) {
	name := embedder.Name()
	total := 0
	if progress != nil {
		var err error
		if total, err = countUnembedded(ctx, store, name); err != nil || total == 0 {
			return 0, err
		}
	}
	done, after := 0, int64(0)
	for {
		passages, err := store.Unembedded(ctx, name, after, reembedBatch)
		if err != nil {
			return done, fmt.Errorf("find chunks without a vector by %s: %w", name, err)
		}
		if len(passages) == 0 {
			return done, nil
		}
		texts := make([]string, len(passages))
		for i, p := range passages {
			texts[i] = corpus.IndexText(p.Document.Title, p.Chunk)
		}
		vectors, err := embedTexts(ctx, embedder, texts)
		if err != nil {
			return done, fmt.Errorf("embed %d chunks again: %w", len(texts), err)
		}
		put := make([]intake.Embedding, len(passages))
		for i, p := range passages {
			put[i] = intake.Embedding{ChunkID: p.Chunk.ID, Vector: vectors[i]}
		}
		if err := store.PutEmbeddings(ctx, name, put); err != nil {
			return done, fmt.Errorf("store %d vectors by %s: %w", len(put), name, err)
		}
		done += len(passages)
		after = passages[len(passages)-1].ID
		if progress != nil {
			progress(done, max(total, done))
		}
	}
}

// countUnembedded returns the number of chunks without a vector by the embedder.
func countUnembedded(ctx context.Context, store Store, name string) (int, error) {
	total, after := 0, int64(0)
	for {
		passages, err := store.Unembedded(ctx, name, after, countBatch)
		if err != nil {
			return 0, fmt.Errorf("count chunks without a vector by %s: %w", name, err)
		}
		if total += len(passages); len(passages) < countBatch {
			return total, nil
		}
		after = passages[len(passages)-1].ID
	}
}

// embedTexts calls the embedder and checks the number of vectors. It turns a
// panic of the embedder into an error.
func embedTexts(ctx context.Context, embedder embed.Embedder, texts []string) (vectors [][]float32, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			vectors, err = nil, &embed.PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	vectors, err = embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fault.New(fault.Internal, "embedder_count", "the embedder returned %d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors, nil
}
