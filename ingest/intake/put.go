package intake

import (
	"docent/internal/fault"
	"docent/rag/corpus"
)

// SourceState is the stored state of a source. Ingest uses it to decide whether
// to read the source again.
type SourceState struct {
	// ID is the id of the document.
	ID int64
	// Source is the source of the document.
	Source string
	// Title is the title of the document.
	Title string
	// SHA256 is the hash of the bytes last ingested, in hex.
	SHA256 string
	// Size is the number of those bytes.
	Size int64
	// ModifiedUnixNano is the modification time of those bytes; 0 if unknown.
	ModifiedUnixNano int64
	// ETag is the entity tag of a downloaded source.
	ETag string
	// Status says whether the document is searchable.
	Status corpus.Status
	// Error says why a failed source could not be read.
	Error fault.Text
	// Pipeline is the version of the program that read the source.
	Pipeline string
	// Chunks counts its chunks.
	Chunks int
	// Embedded counts its chunks with a vector by the requested embedder.
	Embedded int
}

// Put is a document to store with its chunks and vectors.
type Put struct {
	// Document names the collection and the source. The store sets ID, Version,
	// Chunks, and the times. A Failed document has no chunks. It replaces the
	// earlier document, so searches no longer find the unreadable source.
	Document corpus.Document
	// Chunks are in order. The store sets their IDs.
	Chunks []corpus.Chunk
	// Embedder names the model of Vectors.
	Embedder string
	// Vectors has one vector for each chunk. All have the same length.
	Vectors [][]float32
	// Original contains the bytes of the source. The store keeps the bytes once for
	// each SHA256. If Original is nil, it keeps none.
	Original []byte
	// Replaces is the id of the document to replace. If it no longer exists under its
	// collection and source, PutDocuments fails with fault.NotFound. 0 also adds documents.
	Replaces int64
}

// Embedding is a vector for a stored chunk.
type Embedding struct {
	// ChunkID is the id of the chunk.
	ChunkID int64
	// Vector is the embedding of the chunk.
	Vector []float32
}

// Enrichment is searchable text that a chat model wrote about a stored chunk.
type Enrichment struct {
	// ChunkID is the id of the chunk.
	ChunkID int64
	// Key identifies the prompt, the model, and the passage. Equal keys have equal
	// texts.
	Key string
	// Text is the written text.
	Text string
}

// Enrichable is a stored chunk that a chat model can write about.
type Enrichable struct {
	corpus.Passage
	// Key is the key of the chunk's enrichment, or "".
	Key string
}
