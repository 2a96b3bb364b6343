package retrieve

import (
	"slices"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/text"
)

// maxRowTokens limits the tokens of a row, so that positions fit in 16 bits.
const maxRowTokens = 4096

// kinds numbers the kinds of chunks in snapshots.
var kinds = []corpus.Kind{corpus.Prose, corpus.Code, corpus.Table}

func kindNumber(k corpus.Kind) uint8 { return uint8(max(0, slices.Index(kinds, k))) }

// NewRow makes the row of a chunk. heading is the line above its text.
func NewRow(static *embed.Static, doc *RowDocument, c *corpus.Chunk, heading string, vector []float32) *Row {
	r := &Row{ID: c.ID, Document: doc, Ordinal: c.Ordinal, Kind: kinds[kindNumber(c.Kind)], Vector: vector}
	buf := make([]uint16, 0, 256)
	buf = static.AppendTokens(buf, heading)
	buf = buf[:min(len(buf), maxRowTokens/4)]
	r.Heading = uint16(len(buf))
	at := 0
	for _, end := range text.Stretches(c.Text, c.Kind == corpus.Code) {
		before := len(buf)
		buf = static.AppendTokens(buf, c.Text[at:end])
		at = end
		buf = buf[:min(len(buf), maxRowTokens)]
		if len(buf) > before {
			r.Sentences = append(r.Sentences, uint16(len(buf)))
		}
	}
	r.Tokens = append(make([]uint16, 0, len(buf)), buf...)
	return r
}

// rows are all searchable chunks. Those of the snapshot stay in its file.
type rows struct {
	saved table
	// changed has the rows of the documents that changed since the snapshot. A removed
	// document has none.
	changed map[int64][]*Row
	// byID are the rows of the changed documents.
	byID map[int64]*Row
	// chunks counts the rows.
	chunks int
	// frequency counts, by token, the rows that contain it.
	frequency []uint32
	seen      []uint32 // by token: the counting run that saw it last
	run       uint32
	// length counts the tokens of all rows.
	length int
}

func newRows(tokens int) rows {
	return rows{changed: map[int64][]*Row{}, byID: map[int64]*Row{}, frequency: make([]uint32, tokens), seen: make([]uint32, tokens)}
}

// get returns the row of a chunk, or nil.
func (r *rows) get(id int64) *Row {
	if w := r.byID[id]; w != nil {
		return w
	}
	row, document, ok := r.saved.find(id)
	if !ok {
		return nil
	}
	if _, changed := r.changed[r.saved.documents[document].ID]; changed {
		return nil
	}
	return r.saved.row(row, document)
}

// document returns the rows of a document.
func (r *rows) document(id int64) []*Row {
	if list, ok := r.changed[id]; ok {
		return list
	}
	return r.saved.document(id)
}

// documents yields all documents with rows, and the number of their rows.
func (r *rows) documents(yield func(d *RowDocument, n int) bool) {
	for i := range r.saved.documents {
		d := &r.saved.documents[i]
		if _, ok := r.changed[d.ID]; ok {
			continue
		}
		if start, end := r.saved.rowsOf(i); !yield(d, end-start) {
			return
		}
	}
	for _, list := range r.changed {
		if len(list) > 0 && !yield(list[0].Document, len(list)) {
			return
		}
	}
}

// sorted yields the rows of each document, in the order of the documents' ids.
func (r *rows) sorted(yield func(list []*Row) bool) {
	var ids []int64
	for d := range r.documents {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if !yield(r.document(id)) {
			return
		}
	}
}

// ids returns the ids of all chunks.
func (r *rows) ids() []int64 {
	out := make([]int64, 0, r.chunks)
	for list := range r.sorted {
		for _, w := range list {
			out = append(out, w.ID)
		}
	}
	return out
}

// replace gives a document new chunks and returns the ids of the removed ones.
func (r *rows) replace(document int64, fresh []*Row) (gone []int64) {
	old := r.document(document)
	for _, w := range old {
		delete(r.byID, w.ID)
		r.count(w, -1)
	}
	for _, w := range fresh {
		r.byID[w.ID] = w
		r.count(w, 1)
	}
	r.chunks += len(fresh) - len(old)
	for _, w := range old {
		if r.byID[w.ID] == nil {
			gone = append(gone, w.ID)
		}
	}
	if r.changed[document] = fresh; len(fresh) == 0 && r.saved.place(document) < 0 {
		delete(r.changed, document)
	}
	return gone
}

// count adds by to the frequency of each token of a row.
func (r *rows) count(w *Row, by int) {
	r.run++
	r.length += by * len(w.Tokens)
	for _, t := range w.Tokens {
		if r.seen[t] != r.run {
			r.seen[t] = r.run
			r.frequency[t] += uint32(by)
		}
	}
}
