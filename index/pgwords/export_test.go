package pgwords

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"docent/rag/retrieve"
)

// WordWriter writes to the keyword index alone. It replaces whole documents, as
// Refresh does.
type WordWriter struct {
	*Index
	mu      sync.Mutex
	entries map[int64]retrieve.Entry
}

// NewWordWriter makes a WordWriter for an empty index.
func NewWordWriter(x *Index) *WordWriter {
	return &WordWriter{Index: x, entries: map[int64]retrieve.Entry{}}
}

// Put implements indextest.Writer.
func (w *WordWriter) Put(ctx context.Context, entries []retrieve.Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := map[int64]bool{}
	for _, e := range entries {
		if old, ok := w.entries[e.ID]; ok {
			changed[old.DocumentID] = true
		}
		w.entries[e.ID], changed[e.DocumentID] = e, true
	}
	return w.replace(ctx, changed)
}

// Delete implements indextest.Writer.
func (w *WordWriter) Delete(ctx context.Context, ids []int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := map[int64]bool{}
	for _, id := range ids {
		if old, ok := w.entries[id]; ok {
			changed[old.DocumentID] = true
		}
		delete(w.entries, id)
	}
	return w.replace(ctx, changed)
}

func (w *WordWriter) replace(ctx context.Context, documents map[int64]bool) error {
	var entries []retrieve.Entry
	for _, e := range w.entries {
		if documents[e.DocumentID] {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b retrieve.Entry) int {
		return cmp.Or(cmp.Compare(a.DocumentID, b.DocumentID), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return pgx.BeginFunc(ctx, w.cfg.Pool, func(tx pgx.Tx) error {
		count := newWordCounts()
		if err := w.replaceWords(ctx, tx, slices.Collect(maps.Keys(documents)), entries, count); err != nil {
			return err
		}
		return count.write(ctx, tx)
	})
}

// EntriesOf is entriesOf.
var EntriesOf = entriesOf
