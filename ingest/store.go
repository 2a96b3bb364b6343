package ingest

import (
	"context"

	"docent/internal/fault"

	"docent/rag"
)

// SourceState is what the store knows of a source: enough to decide whether it
// has to be read again.
type SourceState struct {
	// ID is the document's.
	ID int64
	// Source is the document's source.
	Source string
	// Title is the document's.
	Title string
	// SHA256 is the hash of the bytes last ingested, in hex.
	SHA256 string
	// Size is their number.
	Size int64
	// ModifiedUnixNano is the source's modification time then; 0 if unknown.
	ModifiedUnixNano int64
	// ETag is the server's tag of a fetched source.
	ETag string
	// Status says whether it is searchable.
	Status rag.Status
	// Error is the reason of a failed one.
	Error fault.Text
	// Pipeline is the document's.
	Pipeline string
	// Chunks counts its chunks.
	Chunks int
	// Embedded counts those of its chunks that have a vector by the embedder
	// asked for.
	Embedded int
}

// Put is a document to store with all that belongs to it.
type Put struct {
	// Document names collection and source; ID, Version, Chunks and the times
	// of storing are given by the store. A Failed document has no chunks, and replaces
	// what was there: a source that cannot be read is not searchable.
	Document rag.Document
	// Chunks are in order; their IDs are given by the store.
	Chunks []rag.Chunk
	// Embedder names the model of Vectors.
	Embedder string
	// Vectors has one embedding per chunk, all of one length.
	Vectors [][]float32
	// Original are the source's bytes, kept once per SHA256; nil keeps none.
	Original []byte
}

// Embedding is a vector for a stored chunk.
type Embedding struct {
	// ChunkID is the chunk's.
	ChunkID int64
	// Vector is its embedding.
	Vector []float32
}

// Store is where ingested documents go. It is safe for concurrent use.
type Store interface {
	// Sources returns the state of each source of a collection. If one is
	// named, it returns that source and its parts, which are called ONE#PART.
	Sources(ctx context.Context, collection, embedder, one string) ([]SourceState, error)
	// PutDocuments stores each document, replacing what its source had, in a
	// transaction of its own or in one with others of the call: a reader sees a document's old
	// version or its new one. All of the call are stored or none. It returns
	// the ids, in order.
	PutDocuments(ctx context.Context, puts []Put) ([]int64, error)
	// RemoveDocuments deletes documents with all that belongs to them and
	// returns how many there were; unknown ids are ignored.
	RemoveDocuments(ctx context.Context, ids []int64) (int, error)
	// Unembedded returns up to limit chunks, with their documents, that have no vector by the
	// embedder, by chunk id, after the given one.
	Unembedded(ctx context.Context, embedder string, after int64, limit int) ([]rag.Passage, error)
	// PutEmbeddings adds vectors by the embedder and gives their documents a new revision.
	// Vectors of chunks that are gone meanwhile are dropped.
	PutEmbeddings(ctx context.Context, embedder string, embeddings []Embedding) error
}
