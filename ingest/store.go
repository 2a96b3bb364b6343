package ingest

import (
	"context"

	"docent/ingest/intake"
	"docent/rag/corpus"
)

// Store keeps ingested documents. It is safe for concurrent use.
type Store interface {
	// Sources returns the state of each source of a collection. If one is set, it
	// returns only that source and its parts, which are named ONE#PART.
	Sources(ctx context.Context, collection, embedder, one string) ([]intake.SourceState, error)
	// PutDocuments stores each document and replaces the earlier document of its
	// source. It stores all documents of the call or none. Readers see either the
	// old or the new version of a document. PutDocuments also stores the messages
	// about the documents for webhooks. It returns the ids in the order of the
	// documents.
	PutDocuments(ctx context.Context, puts []intake.Put) ([]int64, error)
	// RemoveDocuments deletes documents with their chunks, vectors, and originals.
	// It returns the number of deleted documents and ignores unknown ids.
	RemoveDocuments(ctx context.Context, ids []int64) (int, error)
	// Unembedded returns up to limit chunks without a vector of the embedder, with
	// their documents. The chunks are ordered by id and come after the given id.
	Unembedded(ctx context.Context, embedder string, after int64, limit int) ([]corpus.Passage, error)
	// PutEmbeddings stores vectors of the embedder and gives their documents a new
	// revision. It ignores the vectors of deleted chunks.
	PutEmbeddings(ctx context.Context, embedder string, embeddings []intake.Embedding) error
}
