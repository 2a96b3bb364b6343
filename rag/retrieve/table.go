package retrieve

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"sort"

	"docent/internal/flat"
)

// table holds the rows of a snapshot. Its parts are in the file, and a row is made
// when someone needs it. Only the documents are in memory.
type table struct {
	documents []RowDocument // by id
	ends      []uint32      // by document: the end of its rows
	ids       []int64
	order     []uint32 // the rows by id
	ordinals  []uint32
	kinds     []uint8
	headings  []uint16
	tokens    flat.Lists[uint16]
	sentences flat.Lists[uint16]
	vectors   flat.Lists[float32]
	// vocabulary is the number of tokens that exist.
	vocabulary int
}

// putTable writes rows in the form of a table.
func putTable(w *flat.Writer, r *rows) {
	var docs []*RowDocument
	var ends, ordinals []uint32
	var ids []int64
	var kinds []uint8
	var headings []uint16
	for list := range r.sorted {
		docs = append(docs, list[0].Document)
		for _, row := range list {
			ids, ordinals = append(ids, row.ID), append(ordinals, uint32(row.Ordinal))
			kinds, headings = append(kinds, kindNumber(row.Kind)), append(headings, row.Heading)
		}
		ends = append(ends, uint32(len(ids)))
	}
	order := make([]uint32, len(ids))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(ids[a], ids[b]) })
	flat.Put(w, column(docs, func(d *RowDocument) int64 { return d.ID }))
	flat.PutStrings(w, column(docs, func(d *RowDocument) string { return d.Source }))
	flat.PutStrings(w, column(docs, func(d *RowDocument) string { return d.Collection }))
	flat.PutStrings(w, column(docs, func(d *RowDocument) string { return d.Language }))
	flat.PutLists(w, each(slices.Values(docs), func(d *RowDocument) []float32 { return d.Mean }))
	flat.Put(w, ends)
	flat.Put(w, ids)
	flat.Put(w, order)
	flat.Put(w, ordinals)
	flat.Put(w, kinds)
	flat.Put(w, headings)
	flat.PutLists(w, each(r.all, func(row *Row) []uint16 { return row.Tokens }))
	flat.PutLists(w, each(r.all, func(row *Row) []uint16 { return row.Sentences }))
	flat.PutLists(w, each(r.all, func(row *Row) []float32 { return row.Vector }))
}

// all yields all rows in the order of a table.
func (r *rows) all(yield func(*Row) bool) {
	for list := range r.sorted {
		for _, row := range list {
			if !yield(row) {
				return
			}
		}
	}
}

func column[S, T any](list []S, of func(S) T) []T {
	out := make([]T, len(list))
	for i, s := range list {
		out[i] = of(s)
	}
	return out
}

func each[S, T any](list iter.Seq[S], of func(S) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for s := range list {
			if !yield(of(s)) {
				return
			}
		}
	}
}

var errParts = errors.New("its parts do not fit together")

// takeTable reads a table whose vectors have the given length.
func takeTable(in *flat.Reader, dimensions, vocabulary int) (table, error) {
	ids := flat.Take[int64](in)
	sources, collections, languages := flat.TakeStrings(in), flat.TakeStrings(in), flat.TakeStrings(in)
	means := flat.TakeLists[float32](in)
	t := table{vocabulary: vocabulary, ends: flat.Take[uint32](in), ids: flat.Take[int64](in), order: flat.Take[uint32](in)}
	t.ordinals, t.kinds, t.headings = flat.Take[uint32](in), flat.Take[uint8](in), flat.Take[uint16](in)
	t.tokens, t.sentences, t.vectors = flat.TakeLists[uint16](in), flat.TakeLists[uint16](in), flat.TakeLists[float32](in)
	if err := in.Err(); err != nil {
		return table{}, err
	}
	docs := len(ids)
	if len(sources) != docs || len(collections) != docs || len(languages) != docs || !means.Fits(docs) || !flat.Ascending(ids) {
		return table{}, errParts
	}
	t.documents = make([]RowDocument, docs)
	for i, id := range ids {
		t.documents[i] = RowDocument{ID: id, Source: sources[i], Collection: collections[i], Language: languages[i], Mean: means.At(i)}
	}
	if !t.sound(dimensions) {
		return table{}, errParts
	}
	return t, nil
}

// sound reports whether the parts fit together. It does not read the contents of
// the lists.
func (t *table) sound(dimensions int) bool {
	n := len(t.ids)
	if len(t.order) != n || len(t.ordinals) != n || len(t.kinds) != n || len(t.headings) != n ||
		!t.tokens.Fits(n) || !t.sentences.Fits(n) || !t.vectors.Fits(n) {
		return false
	}
	if len(t.ends) != len(t.documents) || !flat.Ascending(t.ends) || n > 0 && (len(t.ends) == 0 || t.ends[0] == 0) ||
		len(t.ends) > 0 && int(t.ends[len(t.ends)-1]) != n {
		return false
	}
	for i, row := range t.order {
		if int(row) >= n || i > 0 && t.ids[t.order[i-1]] >= t.ids[row] {
			return false
		}
	}
	for i := range n {
		if length := len(t.vectors.At(i)); int(t.kinds[i]) >= len(kinds) || length != 0 && length != dimensions {
			return false
		}
	}
	return true
}

// rowsOf returns the range of the rows of a document.
func (t *table) rowsOf(document int) (start, end int) {
	if document > 0 {
		start = int(t.ends[document-1])
	}
	return start, int(t.ends[document])
}

// place returns the position of a document, or -1.
func (t *table) place(document int64) int {
	i, ok := slices.BinarySearchFunc(t.documents, document, func(d RowDocument, id int64) int { return cmp.Compare(d.ID, id) })
	if !ok {
		return -1
	}
	return i
}

// document makes the rows of a document.
func (t *table) document(id int64) []*Row {
	place := t.place(id)
	if place < 0 {
		return nil
	}
	start, end := t.rowsOf(place)
	out := make([]*Row, 0, end-start)
	for i := start; i < end; i++ {
		out = append(out, t.row(i, place))
	}
	return out
}

// find returns the positions of a chunk's row and document.
func (t *table) find(id int64) (row, document int, ok bool) {
	at, ok := sort.Find(len(t.order), func(i int) int { return cmp.Compare(id, t.ids[t.order[i]]) })
	if !ok {
		return 0, 0, false
	}
	row = int(t.order[at])
	return row, sort.Search(len(t.ends), func(d int) bool { return int(t.ends[d]) > row }), true
}

// entry returns a chunk as vector indexes need it.
func (t *table) entry(id int64) (Entry, bool) {
	row, document, ok := t.find(id)
	if !ok {
		return Entry{}, false
	}
	d := &t.documents[document]
	return Entry{
		ID: id, DocumentID: d.ID, Collection: d.Collection, Source: d.Source, Ordinal: int(t.ordinals[row]), Vector: t.vectors.At(row),
	}, true
}

// row makes the row with a number.
func (t *table) row(i, document int) *Row {
	r := &Row{
		ID: t.ids[i], Document: &t.documents[document], Ordinal: int(t.ordinals[i]), Kind: kinds[t.kinds[i]], Vector: t.vectors.At(i),
		Heading: t.headings[i], Tokens: t.tokens.At(i), Sentences: t.sentences.At(i),
	}
	if !r.sound(t.vocabulary) { // no index writes such a row, but a file with a correct checksum can have it
		r.Heading, r.Tokens, r.Sentences = 0, nil, nil
	}
	return r
}

// sound reports whether the tokens exist, and the positions are within them.
func (r *Row) sound(vocabulary int) bool {
	last := r.Heading
	for _, end := range r.Sentences {
		if end < last {
			return false
		}
		last = end
	}
	return int(last) <= len(r.Tokens) && !slices.ContainsFunc(r.Tokens, func(t uint16) bool { return int(t) >= vocabulary })
}
