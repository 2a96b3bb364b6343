package retrieve

import (
	"context"
	"math"
	"sync"

	"docent/embed"
	"docent/rag/corpus"
)

// Features supplies the data for the second stage: rows of the candidates and
// statistics of the corpus. By default, a Retriever keeps the rows of all chunks
// in memory. An implementation over a database needs one query for each method.
// It makes a row with NewRow when it stores a chunk, or when it reads one. It is
// safe for concurrent use.
type Features interface {
	// Rows returns the rows of the given chunks, in that order. It returns nil
	// for an unknown id.
	Rows(ctx context.Context, ids []int64) ([]*Row, error)
	// Statistics describes the corpus and how common the given tokens are in
	// it.
	Statistics(ctx context.Context, tokens []uint16) (Statistics, error)
}

// Statistics describe a corpus.
type Statistics struct {
	// Chunks counts the chunks.
	Chunks int
	// Tokens counts the tokens of all chunks.
	Tokens int
	// Frequencies are the numbers of chunks that contain each of the given tokens.
	Frequencies []uint32
}

// mean is the mean number of tokens of a chunk.
func (s Statistics) mean() float32 { return float32(s.Tokens) / float32(max(s.Chunks, 1)) }

// idf is the rarity of a token that n chunks contain.
func (s Statistics) idf(n uint32) float32 {
	return float32(math.Log(1 + (float64(s.Chunks)-float64(n)+0.5)/(float64(n)+0.5)))
}

// Row is the data of a chunk for the second stage. It must not change.
type Row struct {
	// ID is the chunk's id.
	ID int64
	// Document is the chunk's document.
	Document *RowDocument
	// Ordinal counts the document's chunks.
	Ordinal int
	// Kind is the kind of text.
	Kind corpus.Kind
	// Heading is the number of Tokens that belong to the title and the heading
	// path.
	Heading uint16
	// Tokens are the tokens of the built-in vocabulary: heading, then text.
	Tokens []uint16
	// Sentences are the ends of the sentences, as positions in Tokens.
	Sentences []uint16
	// Vector is the chunk's embedding, or nil if it has none.
	Vector []float32
}

// RowDocument is the data of a document for the second stage. It must not change.
type RowDocument struct {
	// ID is the document's id.
	ID int64
	// Source is the document's source. It orders results of equal score.
	Source string
	// Collection is the document's collection.
	Collection string
	// Language is the document's ISO 639-1 code, or "" if unknown.
	Language string
	// Mean is the mean of the chunks' vectors, scaled to length 1; nil if there is
	// none.
	Mean []float32
}

// SetMean computes the mean of the vectors of the document's rows.
func (d *RowDocument) SetMean(rows []*Row) {
	var sum []float32
	for _, r := range rows {
		if len(r.Vector) == 0 {
			continue
		}
		if sum == nil {
			sum = make([]float32, len(r.Vector))
		}
		for i, f := range r.Vector[:min(len(r.Vector), len(sum))] {
			sum[i] += f
		}
	}
	length := float32(math.Sqrt(float64(embed.Dot(sum, sum))))
	if d.Mean = nil; length == 0 {
		return
	}
	for i := range sum {
		sum[i] /= length
	}
	d.Mean = sum
}

// memory implements Features with rows in memory.
type memory struct {
	// mu guards rows. A document's old chunks leave rows at the moment when its
	// new chunks arrive.
	mu   sync.RWMutex
	rows rows
}

func (m *memory) Rows(_ context.Context, ids []int64) ([]*Row, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := make([]*Row, len(ids))
	for i, id := range ids {
		out[i] = m.rows.get(id)
	}
	return out, nil
}

// moved returns the new rows of documents that are in another collection than before. Only the caller may change the rows
// meanwhile.
func (m *memory) moved(fresh [][]*Row) (out []*Row) {
	for _, list := range fresh {
		if len(list) == 0 {
			continue
		}
		now := list[0].Document
		if old := m.rows.document(now.ID); len(old) > 0 && old[0].Document.Collection != now.Collection {
			out = append(out, list...)
		}
	}
	return out
}

func (m *memory) Statistics(_ context.Context, tokens []uint16) (Statistics, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := Statistics{Chunks: m.rows.chunks, Tokens: m.rows.length, Frequencies: make([]uint32, len(tokens))}
	for i, t := range tokens {
		s.Frequencies[i] = m.rows.frequency[t]
	}
	return s, nil
}

// len counts the rows.
func (m *memory) len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.rows.chunks
}

// replace gives a document new chunks and returns the ids of the chunks that
// disappeared.
func (m *memory) replace(changes []corpus.Change, fresh [][]*Row) (gone []int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range changes {
		gone = append(gone, m.rows.replace(changes[i].Document.ID, fresh[i])...)
	}
	return gone
}

// reset replaces all rows and returns the old ones.
func (m *memory) reset(fresh rows) rows {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.rows
	m.rows = fresh
	return old
}
