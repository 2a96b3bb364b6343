package retrieve

import (
	"context"
	"io"

	"docent/rag/text"
)

// Entry is a chunk as an index stores it.
type Entry struct {
	// ID is the chunk's id. It is positive.
	ID int64
	// DocumentID is the id of the chunk's document.
	DocumentID int64
	// Collection is the document's collection.
	Collection string
	// Source is the document's source. It orders hits of equal score.
	Source string
	// Ordinal counts the document's chunks. It orders hits of equal score and
	// source.
	Ordinal int
	// Language is the document's ISO 639-1 code, or "" if unknown.
	Language string
	// Heading is the line above the text: title and heading path.
	Heading string
	// Text is the passage. Vector indexes ignore Heading and Text.
	Text string
	// Vector is the embedding: of length 1, all zeros, or nil if the chunk has
	// none. An index may keep it, so it must not change.
	Vector []float32
}

// Hit is a chunk that an index found.
type Hit struct {
	// ID is the chunk's id.
	ID int64
	// Score orders hits. Higher is better.
	Score float64
}

// Filter narrows a search. An index applies it before it ranks: a search finds
// the best k of the accepted chunks.
type Filter struct {
	// Collections are the searched collections. None means all.
	Collections []string
	// Documents are the ids of the searched documents. None means all.
	Documents []int64
}

// Accepts returns a function that reports whether chunks of a document in a
// collection may be found.
func (f Filter) Accepts() func(collection string, document int64) bool {
	collections, documents := set(f.Collections), set(f.Documents)
	return func(collection string, document int64) bool {
		return (len(collections) == 0 || collections[collection]) && (len(documents) == 0 || documents[document])
	}
}

func set[T comparable](list []T) map[T]bool {
	out := make(map[T]bool, len(list))
	for _, v := range list {
		out[v] = true
	}
	return out
}

// Nearest finds chunks by vector. It orders hits by cosine similarity, highest first. Equal scores are ordered by source, ordinal,
// and id. It never finds chunks without a vector, and finds nothing for a zero vector. It fails with fault.Invalid if the length
// of the vector differs from the indexed vectors. It is safe for concurrent use.
type Nearest interface {
	// Nearest returns at most k hits. If k is below 1, it returns none.
	Nearest(ctx context.Context, vector []float32, k int, filter Filter) ([]Hit, error)
}

// Words finds chunks that share a term with a text, and describes how chunks
// match a text. It orders hits like Nearest. It is safe for concurrent use.
type Words interface {
	// Words returns at most k hits. If k is below 1, it returns none.
	Words(ctx context.Context, text string, k int, filter Filter) ([]Hit, error)
	// Match describes the terms of a question, in order of appearance, and how well each of the given chunks matches it. It
	// returns a zero Match for an unknown id.
	Match(ctx context.Context, question string, ids []int64) ([]text.Term, []Match, error)
}

// Match says how well a chunk matches a text, word by word. Its numbers can be
// compared between chunks for one text, not between texts.
type Match struct {
	// Score is the chunk's score in Words.
	Score float64
	// Heading scores the title and the heading path alone.
	Heading float64
	// Document scores the chunk's whole document.
	Document float64
	// Coverage is the share, from 0 to 1, of the text's terms in the chunk. Rare
	// terms count more.
	Coverage float64
}

// Mirror is an index in memory that follows the database. A Retriever owns it and
// keeps it up to date. Indexes with a storage of their own do not implement it.
//
// The hits depend only on the current entries, not on earlier ones. Each Put and
// Delete is atomic for searches. A Mirror is safe for concurrent use.
type Mirror interface {
	// Put adds entries and replaces those with the same ids. If an entry cannot
	// be indexed, Put fails with fault.Invalid and changes nothing.
	Put(ctx context.Context, entries []Entry) error
	// Delete removes chunks. It ignores unknown ids.
	Delete(ctx context.Context, ids []int64) error
	// Len counts the chunks that can be found.
	Len() int
}

// Saver is a Mirror that can be part of the retriever's snapshot. The snapshot contains vectors but no texts. If there is a
// snapshot, a Words that is a Mirror must therefore be a Saver.
type Saver interface {
	Mirror
	// Save writes the whole index.
	Save(w io.Writer) error
	// Load replaces the contents of the index with the output of Save. It keeps data, which must not change. If data has another
	// origin, Load fails with fault.Invalid and leaves the index empty.
	Load(data []byte) error
}

// VectorSaver is a vector index that can keep data in the retriever's snapshot. The
// vectors themselves are in the snapshot anyway.
type VectorSaver interface {
	VectorMirror
	// Save writes the data of all entries, or nothing.
	Save(w io.Writer) error
	// Load replaces the contents of the index with the output of Save. entry returns the entry of a chunk. Load keeps data, which
	// must not change. If data has another origin, Load fails and leaves the index empty.
	Load(ctx context.Context, data []byte, entry func(id int64) (Entry, bool)) error
}
