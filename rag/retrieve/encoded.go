package retrieve

import (
	"context"
	"fmt"
	"sync"

	"docent/embed"
	"docent/rag/corpus"
)

// Encoder is a model that embeds chunks in the background.
type Encoder struct {
	// Embedder is the model.
	Embedder embed.Embedder
	// Languages selects the documents that the model takes. It also selects the
	// questions, if another model takes the others.
	Languages corpus.Languages
	// Index finds chunks by the vectors of the model. It must be empty; the
	// retriever owns it.
	Index VectorMirror
}

// VectorMirror is a vector index in memory.
type VectorMirror interface {
	Nearest
	Mirror
}

// EncoderProgress says how many chunks have a vector of an encoder.
type EncoderProgress struct {
	// Model is the name of the encoder.
	Model string
	// Done counts the chunks with a vector in the index.
	Done int
	// Total counts the chunks that the encoder takes.
	Total int
}

// encoded holds the vectors of an encoder. The retriever updates it while it
// holds Retriever.updating.
type encoded struct {
	Encoder
	// revision is the revision of the last vector that was read.
	revision int64
	// fresh are vectors that were read and are not in the index.
	fresh map[int64][]float32

	// mu guards the following fields.
	mu sync.RWMutex
	// vectors are the vectors in the index, by chunk.
	vectors map[int64][]float32
	// total counts the chunks that the encoder takes.
	total int
}

// missingShare divides the number of chunks. If more chunks than the quotient
// lack a vector, searches do not use the encoder.
const missingShare = 20

func newEncoded(e Encoder) *encoded {
	return &encoded{Encoder: e, fresh: map[int64][]float32{}, vectors: map[int64][]float32{}}
}

func (e *encoded) progress() EncoderProgress {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return EncoderProgress{Model: e.Embedder.Name(), Done: len(e.vectors), Total: e.total}
}

// ready reports whether searches use the encoder.
func (e *encoded) ready() bool {
	p := e.progress()
	return p.Done > 0 && p.Total-p.Done <= p.Total/missingShare
}

// encoders are the encoders of a retriever.
type encoders []*encoded

// pending reports whether a chunk lacks a vector of its encoder.
func (es encoders) pending() bool {
	for _, e := range es {
		if p := e.progress(); p.Done < p.Total {
			return true
		}
	}
	return false
}

// lookup sets out to the vectors of chunks, nil for those without one.
func (e *encoded) lookup(ids []int64, out [][]float32) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	for i, id := range ids {
		out[i] = e.vectors[id]
	}
}

// has reports whether a chunk has a vector.
func (e *encoded) has(chunk int64) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.vectors[chunk] != nil
}

// read reads new vectors. It must run before the rows are read: the
// chunk of a vector that was read is then among the rows, or was deleted.
func (es encoders) read(ctx context.Context, store corpus.Encodings) error {
	for _, e := range es {
		for v, err := range store.Encoded(ctx, e.Embedder.Name(), e.revision) {
			if err != nil {
				return fmt.Errorf("retriever: vectors by %s: %w", e.Embedder.Name(), err)
			}
			// Vectors that share a revision are visible together.
			e.revision = v.Revision
			if len(v.Vector) == e.Embedder.Dimensions() {
				e.fresh[v.ChunkID] = v.Vector
			}
		}
	}
	return nil
}

// index adds the vectors that were read to the indexes. The rows must not change
// meanwhile.
func (es encoders) index(ctx context.Context, rows *rows) error {
	for _, e := range es {
		var entries []Entry
		for id, vector := range e.fresh {
			row := rows.byID[id]
			if row == nil || !e.Languages.Accept(row.Document.Language) {
				continue
			}
			d := row.Document
			entries = append(entries, Entry{
				ID: id, DocumentID: d.ID, Collection: d.Collection, Source: d.Source, Ordinal: row.Ordinal, Vector: vector,
			})
		}
		if err := e.Index.Put(ctx, entries); err != nil {
			return fmt.Errorf("retriever: index vectors by %s: %w", e.Embedder.Name(), err)
		}
		clear(e.fresh)
		e.add(entries, rows)
	}
	return nil
}

// add makes vectors visible to searches.
func (e *encoded) add(entries []Entry, rows *rows) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range entries {
		e.vectors[entries[i].ID] = entries[i].Vector
	}
	e.total = 0
	for _, list := range rows.byDocument {
		if e.Languages.Accept(list[0].Document.Language) {
			e.total += len(list)
		}
	}
}

// drop removes chunks that are gone.
func (e *encoded) drop(ctx context.Context, chunks []int64) error {
	if err := e.Index.Delete(ctx, chunks); err != nil {
		return fmt.Errorf("retriever: delete vectors by %s: %w", e.Embedder.Name(), err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range chunks {
		delete(e.vectors, id)
	}
	return nil
}

// asked is a question for one encoder.
type asked struct {
	*encoded
	vector []float32
}

// ask embeds a question for the encoders that are ready and know its language. If
// none does, it asks those that are ready. It skips those that have no further
// documents. chunks counts all chunks.
func (es encoders) ask(ctx context.Context, q Query, question, language string, chunks int) ([]asked, error) {
	if q.Mode != Full && q.Mode != Hybrid {
		return nil, nil
	}
	var ready, able encoders
	for _, e := range es {
		if !e.ready() {
			continue
		}
		ready = append(ready, e)
		if e.Languages.Accept(language) {
			able = append(able, e)
		}
	}
	if len(able) == 0 {
		able = ready
	}
	var out []asked
	for _, e := range able {
		if len(out) > 0 && out[len(out)-1].progress().Total >= chunks {
			break
		}
		vector, err := e.Embedder.EmbedQuery(ctx, question)
		if err != nil {
			return nil, fmt.Errorf("retrieve: embed the question with %s: %w", e.Embedder.Name(), err)
		}
		out = append(out, asked{e, vector})
	}
	return out, nil
}

// encoderFor returns the first of the asked encoders that takes documents in a
// language, or nil. Only its scores count for them.
func (q question) encoderFor(language string) *encoded {
	for _, e := range q.encoders {
		if e.Languages.Accept(language) {
			return e.encoded
		}
	}
	return nil
}

// encoderScore replaces the similarities in out, those by the embedder, with the
// similarities by the encoders. The scores of each encoder are normalized over
// all candidates that have one, so that the scores of two encoders can be
// compared. A candidate has the score of the first encoder that takes it.
// Candidates without a vector keep the score of the embedder.
func (s *scoring) encoderScore(out []float32) {
	if len(s.asking.encoders) == 0 {
		return
	}
	normalize(out)
	ids := candidateIDs(s.candidates)
	vectors := make([][]float32, len(ids))
	for _, e := range s.asking.encoders {
		e.lookup(ids, vectors)
		var known []float32
		for _, v := range vectors {
			if v != nil {
				known = append(known, embed.Dot(e.vector, v))
			}
		}
		normalize(known)
		for i, v := range vectors {
			if v == nil {
				continue
			}
			if s.asking.encoderFor(s.candidates[i].Document.Language) == e.encoded {
				out[i] = known[0]
			}
			known = known[1:]
		}
	}
}
