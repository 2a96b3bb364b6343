package retrieve

import (
	"context"
	"fmt"
	"sync"

	"docent/rag/corpus"
)

// encodedMemory implements EncoderVectors with vectors in memory. The retriever
// updates it while it holds Retriever.updating.
type encodedMemory struct {
	Encoder
	store corpus.Encodings
	// rows are the chunks of the corpus.
	rows *rows
	// revision is the revision of the last vector that was read.
	revision int64
	// fresh are vectors that were read and are not in the index.
	fresh map[int64][]float32

	// mu guards vectors.
	mu sync.RWMutex
	// vectors are the vectors in the index, by chunk.
	vectors map[int64][]float32
}

func newEncodedMemory(e Encoder, store corpus.Encodings, rows *rows) *encodedMemory {
	return &encodedMemory{Encoder: e, store: store, rows: rows, fresh: map[int64][]float32{}, vectors: map[int64][]float32{}}
}

// Nearest implements Nearest.
func (m *encodedMemory) Nearest(ctx context.Context, vector []float32, k int, filter Filter) ([]Hit, error) {
	return m.Index.Nearest(ctx, vector, k, filter)
}

// Vectors implements EncoderVectors.
func (m *encodedMemory) Vectors(_ context.Context, ids []int64) ([][]float32, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := make([][]float32, len(ids))
	for i, id := range ids {
		out[i] = m.vectors[id]
	}
	return out, nil
}

// read reads new vectors. It must run before the rows are read: the chunk of a
// vector that was read is then among the rows, or was deleted.
func (m *encodedMemory) read(ctx context.Context) error {
	for v, err := range m.store.Encoded(ctx, m.Embedder.Name(), m.revision) {
		if err != nil {
			return fmt.Errorf("retriever: vectors by %s: %w", m.Embedder.Name(), err)
		}
		// Vectors that share a revision are visible together.
		m.revision = v.Revision
		if len(v.Vector) == m.Embedder.Dimensions() {
			m.fresh[v.ChunkID] = v.Vector
		}
	}
	return nil
}

// Refresh implements EncoderVectors. It adds the vectors that were read to the
// index. The rows must not change meanwhile.
func (m *encodedMemory) Refresh(ctx context.Context) (done, total int, err error) {
	var entries []Entry
	for id, vector := range m.fresh {
		row := m.rows.get(id)
		if row == nil || !m.Languages.Accept(row.Document.Language) {
			continue
		}
		d := row.Document
		entries = append(entries, Entry{
			ID: id, DocumentID: d.ID, Collection: d.Collection, Source: d.Source, Ordinal: row.Ordinal, Vector: vector,
		})
	}
	if err := m.Index.Put(ctx, entries); err != nil {
		return 0, 0, fmt.Errorf("index: %w", err)
	}
	clear(m.fresh)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range entries {
		m.vectors[entries[i].ID] = entries[i].Vector
	}
	for d, n := range m.rows.documents {
		if m.Languages.Accept(d.Language) {
			total += n
		}
	}
	return len(m.vectors), total, nil
}

// drop removes chunks that are gone.
func (m *encodedMemory) drop(ctx context.Context, chunks []int64) error {
	if err := m.Index.Delete(ctx, chunks); err != nil {
		return fmt.Errorf("retriever: delete vectors by %s: %w", m.Embedder.Name(), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range chunks {
		delete(m.vectors, id)
	}
	return nil
}
