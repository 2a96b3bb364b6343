// Package encode computes the vectors of encoders in the background. Chunks are
// searchable before they have such a vector. A Worker encodes the chunks of the
// latest questions first, then the newest documents. Among several processes, a
// lease in the database selects the one that encodes with a model.
package encode

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"docent/embed"
	"docent/rag/corpus"
)

// Model is an encoder and the documents that it takes.
type Model struct {
	// Embedder computes the vectors.
	Embedder embed.Embedder
	// Languages selects the documents.
	Languages corpus.Languages
}

// batchChunks is the number of chunks that are encoded and stored in one step.
// It takes a fraction of a second.
const batchChunks = 32

// All encodes all chunks that have no vector. It takes no lease, so it is for
// databases of one process.
func All(ctx context.Context, store corpus.Encodings, model Model) error {
	q := corpus.EncodingQuery{Model: model.Embedder.Name(), Languages: model.Languages, Limit: 8 * batchChunks}
	for {
		passages, err := store.Unencoded(ctx, q)
		if err != nil {
			return fmt.Errorf("find chunks for %s: %w", q.Model, err)
		}
		if len(passages) == 0 {
			return nil
		}
		if err := encode(ctx, store, model.Embedder, passages, nobodyWaits); err != nil {
			return err
		}
		q.Until = passages[len(passages)-1].Document.Revision
	}
}

// pieceChunks is the number of chunks that are encoded without a rest. Two cores
// with AVX-512 VNNI need about 30 ms.
const pieceChunks = 8

// nobodyWaits is a rest without waiting.
func nobodyWaits(ctx context.Context) error { return ctx.Err() }

// encode computes and stores the vectors of passages. It rests before each piece.
func encode(
	ctx context.Context, store corpus.Encodings, embedder embed.Embedder, passages []corpus.Passage, rest func(context.Context) error,
) error {
	var vectors [][]float32
	for piece := range slices.Chunk(passages, pieceChunks) {
		if err := rest(ctx); err != nil {
			return err
		}
		some, err := encodePiece(ctx, embedder, piece)
		if err != nil {
			return err
		}
		vectors = append(vectors, some...)
	}
	return put(ctx, store, embedder.Name(), passages, vectors)
}

// encodePiece computes the vectors of passages. If the encoder panics, it takes
// the passages one by one. A passage that makes it panic gets a zero vector, which
// no search finds.
func encodePiece(ctx context.Context, embedder embed.Embedder, passages []corpus.Passage) ([][]float32, error) {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = corpus.IndexText(p.Document.Title, p.Chunk)
	}
	vectors, err := embedTexts(ctx, embedder, texts)
	if !panicked(err) {
		return vectors, err
	}
	vectors = nil
	for i := range texts {
		one, err := embedTexts(ctx, embedder, texts[i:i+1])
		if panicked(err) {
			one, err = [][]float32{make([]float32, embedder.Dimensions())}, nil
		}
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, one...)
	}
	return vectors, nil
}

// embedTexts calls the embedder. It turns a panic into an error.
func embedTexts(ctx context.Context, embedder embed.Embedder, texts []string) (vectors [][]float32, err error) {
	defer func() {
		if p := recover(); p != nil {
			vectors, err = nil, &embed.PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	if vectors, err = embedder.EmbedDocuments(ctx, texts); err != nil {
		return nil, fmt.Errorf("encode %d chunks with %s: %w", len(texts), embedder.Name(), err)
	}
	return vectors, nil
}

// panicked reports whether err is the panic of an embedder.
func panicked(err error) bool {
	var p *embed.PanicError
	return errors.As(err, &p)
}

// put stores the vectors of passages.
func put(ctx context.Context, store corpus.Encodings, model string, passages []corpus.Passage, vectors [][]float32) error {
	encodings := make([]corpus.Encoding, len(passages))
	for i, p := range passages {
		encodings[i] = corpus.Encoding{ChunkID: p.ID, Vector: vectors[i]}
	}
	if err := store.PutEncodings(ctx, model, encodings); err != nil {
		return fmt.Errorf("store %d vectors by %s: %w", len(encodings), model, err)
	}
	return nil
}
