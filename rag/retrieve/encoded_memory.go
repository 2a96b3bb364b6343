package retrieve

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"docent/rag/corpus"
	"docent/rag/retrieve/vectors"
)

// encodedMemory implements EncoderVectors with vectors in the snapshot and in memory.
// The retriever updates it while it holds Retriever.updating.
type encodedMemory struct {
	Encoder
	store corpus.Encodings
	// rows are the chunks of the corpus.
	rows *rows
	// unsaved is that of the retriever.
	unsaved *int
	// vectors are the vectors in the index, and those that were read since.
	vectors *vectors.Set
}

func newEncodedMemory(e Encoder, r *Retriever) *encodedMemory {
	return &encodedMemory{
		Encoder: e, store: r.cfg.Encodings, rows: &r.memory.rows, unsaved: &r.unsaved,
		vectors: vectors.New(vectors.Config{
			Names:      append([]string{e.Embedder.Name(), strconv.FormatBool(e.Languages.Except)}, e.Languages.Listed...),
			Dimensions: e.Embedder.Dimensions(),
		}),
	}
}

// Nearest implements Nearest.
func (m *encodedMemory) Nearest(ctx context.Context, vector []float32, k int, filter Filter) ([]Hit, error) {
	return m.Index.Nearest(ctx, vector, k, filter)
}

// Vectors implements EncoderVectors.
func (m *encodedMemory) Vectors(_ context.Context, ids []int64) ([][]float32, error) {
	return column(ids, m.vectors.Get), nil
}

// read reads new vectors, up to a limit, and reports whether there are more. It must
// run before the rows are read: the chunk of a vector that was read is then among the
// rows, or was deleted.
func (m *encodedMemory) read(ctx context.Context, limit int) (more bool, err error) {
	more, err = m.vectors.Read(func(since int64) iter.Seq2[vectors.Encoding, error] {
		return func(yield func(vectors.Encoding, error) bool) {
			for e, err := range m.store.Encoded(ctx, m.Embedder.Name(), since) {
				if !yield(vectors.Encoding(e), err) {
					return
				}
			}
		}
	}, limit)
	if err != nil {
		return false, fmt.Errorf("retriever: vectors by %s: %w", m.Embedder.Name(), err)
	}
	return more, nil
}

// Refresh implements EncoderVectors. It adds the vectors that were read to the
// index. The rows must not change meanwhile.
func (m *encodedMemory) Refresh(ctx context.Context) (done, total int, err error) {
	pending := m.vectors.Pending()
	var entries []Entry
	for _, id := range slices.Sorted(maps.Keys(pending)) {
		row := m.rows.get(id)
		if row == nil || !m.Languages.Accept(row.Document.Language) {
			continue
		}
		d := row.Document
		entries = append(entries, Entry{
			ID: id, DocumentID: d.ID, Collection: d.Collection, Source: d.Source, Ordinal: row.Ordinal, Vector: pending[id],
		})
	}
	if err := m.Index.Put(ctx, entries); err != nil {
		return 0, 0, fmt.Errorf("index: %w", err)
	}
	*m.unsaved += len(pending)
	m.vectors.Commit(column(entries, func(e Entry) int64 { return e.ID }))
	for d, n := range m.rows.documents {
		if m.Languages.Accept(d.Language) {
			total += n
		}
	}
	return m.vectors.Len(), total, nil
}

// move gives the chunks of moved documents their new collection. Chunks that were replaced have no vector.
func (m *encodedMemory) move(ctx context.Context, rows []*Row) error {
	var entries []Entry
	for _, row := range rows {
		if v := m.vectors.Get(row.ID); v != nil {
			d := row.Document
			entries = append(entries, Entry{
				ID: row.ID, DocumentID: d.ID, Collection: d.Collection, Source: d.Source, Ordinal: row.Ordinal, Vector: v,
			})
		}
	}
	if err := m.Index.Put(ctx, entries); err != nil {
		return fmt.Errorf("retriever: move vectors by %s: %w", m.Embedder.Name(), err)
	}
	return nil
}

// drop removes chunks that are gone.
func (m *encodedMemory) drop(ctx context.Context, chunks []int64) error {
	if err := m.Index.Delete(ctx, chunks); err != nil {
		return fmt.Errorf("retriever: delete vectors by %s: %w", m.Embedder.Name(), err)
	}
	m.vectors.Delete(chunks)
	return nil
}

// empty removes all vectors, so that they are read from the store again.
func (m *encodedMemory) empty(ctx context.Context) error {
	if x, ok := m.Index.(VectorSaver); ok {
		_ = x.Load(ctx, nil, nil) // it fails, and empties the index
	} else if err := m.drop(ctx, m.vectors.IDs()); err != nil {
		return err
	}
	m.vectors.Reset()
	return nil
}

// load uses the first sections of a snapshot that are of this encoder. Without them,
// the vectors are read from the store.
func (m *encodedMemory) load(ctx context.Context, saved *table, sections [][]byte) error {
	for pair := range slices.Chunk(sections, 2) {
		ok, err := m.vectors.Load(pair[0])
		if err != nil {
			return err
		}
		if ok {
			return loadVectors(ctx, m.Index, m.vectors.IDs(), func(id int64) (Entry, bool) {
				e, ok := saved.entry(id)
				e.Vector = m.vectors.Get(id)
				return e, ok && e.Vector != nil
			}, pair[len(pair)-1])
		}
	}
	return m.empty(ctx)
}
