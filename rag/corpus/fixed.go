package corpus

import (
	"context"
	"iter"
)

// Fixed is a corpus in memory that does not change. It is safe for concurrent use.
type Fixed struct {
	changes  []Change
	passages map[int64]Passage
}

// NewFixed returns a corpus of documents with their chunks. vectors has the
// vectors of each document's chunks. NewFixed sets the ids: documents and chunks
// count from 1.
func NewFixed(documents []Document, chunks [][]Chunk, vectors [][][]float32) *Fixed {
	f := &Fixed{passages: map[int64]Passage{}}
	for i, d := range documents {
		d.ID, d.Revision, d.Status, d.Chunks = int64(i+1), int64(i+1), Ready, len(chunks[i])
		own := make([]Chunk, len(chunks[i]))
		for n, c := range chunks[i] {
			c.ID, c.DocumentID, c.Ordinal = int64(len(f.passages)+1), d.ID, n
			own[n] = c
			f.passages[c.ID] = Passage{Chunk: c, Document: d}
		}
		f.changes = append(f.changes, Change{Revision: d.Revision, Document: d, Chunks: own, Vectors: vectors[i]})
	}
	return f
}

// Revision returns the number of documents as the revision.
func (f *Fixed) Revision(context.Context) (Revision, error) {
	return Revision{Database: "memory", Number: int64(len(f.changes))}, nil
}

// Changes yields the documents after revision since. It ignores the name of the
// embedder.
func (f *Fixed) Changes(_ context.Context, since int64, _ string) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for _, c := range f.changes {
			if c.Revision > since && !yield(c, nil) {
				return
			}
		}
	}
}

// Watch returns a channel that is closed when ctx ends.
func (f *Fixed) Watch(ctx context.Context) (<-chan struct{}, error) {
	never := make(chan struct{})
	context.AfterFunc(ctx, func() { close(never) })
	return never, nil
}

// DocumentChunks returns chunks of a document by ordinal, as Library does. An unknown document has none.
func (f *Fixed) DocumentChunks(_ context.Context, id int64, after, limit int) ([]Chunk, error) {
	if id < 1 || id > int64(len(f.changes)) {
		return nil, nil
	}
	chunks := f.changes[id-1].Chunks
	return chunks[min(after+1, len(chunks)):min(after+1+limit, len(chunks))], nil
}

// Passages returns the named chunks with their documents.
func (f *Fixed) Passages(_ context.Context, ids []int64) ([]Passage, error) {
	out := make([]Passage, 0, len(ids))
	for _, id := range ids {
		if p, ok := f.passages[id]; ok {
			out = append(out, p)
		}
	}
	return out, nil
}
