package retrieve

import (
	"context"
	"io"

	"docent/rag/text"
)

// Entry is what an index holds of one chunk.
type Entry struct {
	// ID is the chunk's id; positive.
	ID int64
	// DocumentID is the document it is from.
	DocumentID int64
	// Collection is the document's collection.
	Collection string
	// Source is the document's source; it breaks ties.
	Source string
	// Ordinal counts the document's chunks; it breaks ties after Source.
	Ordinal int
	// Language is the document's ISO 639-1 code, "" if unknown.
	Language string
	// Heading is the line in front of the text: title and heading path.
	Heading string
	// Text is the passage. Indexes that need only the vector ignore it and
	// Heading.
	Text string
	// Vector is the embedding, of length 1 or all zeros; nil if the chunk has
	// none. An index may keep it: it must not change.
	Vector []float32
}

// Search asks an index for chunks.
type Search struct {
	// Text is what a keyword index searches for.
	Text string
	// Vector is what a vector index searches for.
	Vector []float32
	// K bounds the hits; below 1 there are none.
	K int
	// Collections are searched; none means all.
	Collections []string
}

// Hit is a chunk found.
type Hit struct {
	// ID is the chunk's id.
	ID int64
	// Score orders hits; higher is better.
	Score float64
}

// Index finds chunks. It is derived from a Corpus and kept in step with it by
// a Retriever.
//
// Hits are ordered by score, highest first; equal scores by source, then
// ordinal, then id. What is found depends on the entries now in the index
// only, not on the order they came in or on what was there before. A keyword
// index finds only chunks that share a term with the text; a vector index none
// without a vector and nothing for a zero vector. It is safe for concurrent
// use; a search sees each Put and Delete wholly or not at all.
type Index interface {
	// Put adds entries, replacing those of the same ids. With an entry that
	// cannot be indexed it fails with fault.Invalid and changes nothing.
	Put(ctx context.Context, entries []Entry) error
	// Delete removes the named chunks; unknown ids are passed over.
	Delete(ctx context.Context, ids []int64) error
	// Search returns at most K hits. A vector of another length than the
	// entries' is fault.Invalid.
	Search(ctx context.Context, s Search) ([]Hit, error)
	// Len counts the chunks that can be found.
	Len() int
}

// Match says how one chunk matches a text, word by word. The numbers are
// comparable between chunks for one text, not between texts.
type Match struct {
	// Score is the chunk's score in Search.
	Score float64
	// Heading scores title and heading path alone.
	Heading float64
	// Document scores the whole document the chunk is from.
	Document float64
	// Coverage is the share, 0 to 1, of the text's terms in the chunk, each
	// counted by its rarity.
	Coverage float64
}

// Matcher is what a Retriever needs of a keyword index beyond Index: the
// features of given chunks, and a form that loads fast.
type Matcher interface {
	Index
	// Match describes the text's terms, in order of appearance, and the chunks
	// with the given ids, in that order; all is zero for ids that are not there.
	Match(ctx context.Context, s string, ids []int64) ([]text.Term, []Match, error)
	// Save writes everything in the index.
	Save(w io.Writer) error
	// Load replaces everything in the index by what Save wrote. It keeps data,
	// which must not change. Data that Save did not write is fault.Invalid and
	// leaves the index empty.
	Load(data []byte) error
}

// Settler is what an index may do when there is time: put new entries in the
// form that serves many searches best. What searches find stays the same.
type Settler interface {
	// Settle returns when there is nothing more to do, or ctx ends.
	Settle(ctx context.Context) error
}
