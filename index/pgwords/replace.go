package pgwords

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/keyword"
)

// partChunks is the number of chunks that are analyzed and written at a time. A table
// can have millions of different terms in thousands of chunks.
const partChunks = 2048

// entriesOf returns the entries of a document, with headings and texts.
func entriesOf(change *corpus.Change) []retrieve.Entry {
	d := &change.Document
	out := make([]retrieve.Entry, len(change.Chunks))
	for i := range change.Chunks {
		c := &change.Chunks[i]
		out[i] = retrieve.Entry{
			ID: c.ID, DocumentID: d.ID, Collection: d.Collection, Source: d.Source, Ordinal: c.Ordinal, Language: d.Language,
			Heading: corpus.HeadingLine(d.Title, c.Headings), Text: c.Text, Vector: change.Vectors[i],
		}
	}
	return out
}

// analysis numbers the terms of some passages from 0, and later has their ids.
type analysis struct {
	numbers map[string]uint32
	terms   [][]byte
	ids     []int32
	// fresh are the numbers of the terms that the tables do not have, in the order of the
	// terms.
	fresh []uint32
}

func (a *analysis) number(term string) uint32 {
	n, ok := a.numbers[term]
	if !ok {
		n = uint32(len(a.terms))
		a.numbers[term] = n
		a.terms = append(a.terms, []byte(term))
	}
	return n
}

// resolve reads the ids of the terms, and gives ids to the new terms. Only one process
// writes at a time.
func (a *analysis) resolve(ctx context.Context, tx pgx.Tx) error {
	a.ids = make([]int32, len(a.terms))
	rows, err := tx.Query(ctx, `SELECT term, id FROM pgwords_term WHERE term = ANY ($1)`, a.terms)
	if err != nil {
		return err
	}
	var term []byte
	var id int32
	if _, err := pgx.ForEachRow(rows, []any{&term, &id}, func() error {
		a.ids[a.numbers[string(term)]] = id
		return nil
	}); err != nil {
		return err
	}
	for n, id := range a.ids {
		if id == 0 {
			a.fresh = append(a.fresh, uint32(n))
		}
	}
	slices.SortFunc(a.fresh, func(m, n uint32) int { return bytes.Compare(a.terms[m], a.terms[n]) })
	if len(a.fresh) == 0 {
		return nil
	}
	var last int64
	if err := tx.QueryRow(ctx, `SELECT setval(name, nextval(name) + $1 - 1)
		FROM CAST(pg_get_serial_sequence('pgwords_term', 'id') AS regclass) AS name`, len(a.fresh)).Scan(&last); err != nil {
		return err
	}
	for i, n := range a.fresh {
		a.ids[n] = int32(last) - int32(len(a.fresh)-1-i)
	}
	return nil
}

// write stores the new terms with their counts, and takes these from c. To update terms
// later takes much longer.
func (a *analysis) write(ctx context.Context, tx pgx.Tx, c *wordCounts) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"pgwords_term"}, []string{"id", "term", "chunks", "headings", "documents"},
		pgx.CopyFromSlice(len(a.fresh), func(i int) ([]any, error) {
			id := a.ids[a.fresh[i]]
			t := c.terms[id]
			delete(c.terms, id)
			return []any{id, a.terms[a.fresh[i]], int64(t.chunks), int64(t.headings), int64(t.documents)}, nil
		}))
	return err
}

// replaceWords replaces the terms of changed documents. entries are all new entries,
// those of a document one after the other.
func (x *Index) replaceWords(ctx context.Context, tx pgx.Tx, documents []int64, entries []retrieve.Entry, c *wordCounts) error {
	if err := x.dropWords(ctx, tx, documents, c); err != nil {
		return err
	}
	// The differences of the old terms are kept, so that the terms that stay need no update.
	most := len(c.terms) + maxPending
	var texts documentTexts
	for part := range slices.Chunk(entries, partChunks) {
		if err := addWords(ctx, tx, part, &texts, c); err != nil {
			return err
		}
		if err := c.limit(ctx, tx, most); err != nil {
			return err
		}
	}
	if err := c.limit(ctx, tx, maxPending); err != nil {
		return err
	}
	return texts.write(ctx, tx)
}

// addWords adds the terms of some entries. texts has those of earlier entries.
func addWords(ctx context.Context, tx pgx.Tx, entries []retrieve.Entry, texts *documentTexts, c *wordCounts) error {
	a := &analysis{numbers: map[string]uint32{}}
	counter := keyword.NewCounter(a.number)
	counts, lengths := make([][]keyword.Count, len(entries)), make([]keyword.Lengths, len(entries))
	for i := range entries {
		e := &entries[i]
		counts[i], lengths[i] = counter.Count(nil, e.Language, e.Heading, e.Text)
	}
	if err := a.resolve(ctx, tx); err != nil {
		return err
	}
	chunks := make([][]any, len(entries))
	for i := range entries {
		e := &entries[i]
		all, heading := int16(lengths[i].All), int16(lengths[i].Heading)
		p, terms := newPostings(counts[i], a.ids)
		c.chunk(e.Language, p, all, heading, 1)
		texts.add(e, int64(all-heading), counts[i], a.ids, c)
		chunks[i] = []any{e.ID, e.DocumentID, e.Collection, e.Source, int32(e.Ordinal), all, heading, terms, []byte(p)}
	}
	if err := a.write(ctx, tx, c); err != nil {
		return err
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"pgwords_chunk"},
		[]string{"chunk_id", "document_id", "collection", "source", "ordinal", "length", "heading", "terms", "postings"},
		pgx.CopyFromRows(chunks))
	return err
}

// documentTexts collects the terms of documents, without their headings.
type documentTexts struct {
	// rows are those of pgwords_text, except that of the current document.
	rows     [][]any
	document int64 // the current document, or 0
	language string
	length   int64
	counts   map[int32]int32 // by term
}

// add counts the terms of the next entry. Its texts have the given length.
func (d *documentTexts) add(e *retrieve.Entry, length int64, counts []keyword.Count, ids []int32, c *wordCounts) {
	if d.document != e.DocumentID {
		d.end()
		d.document, d.language, d.length, d.counts = e.DocumentID, e.Language, 0, map[int32]int32{}
		c.document(e.Language, 1)
	}
	d.length += length
	for _, t := range counts {
		if inText := int32(t.TF) - int32(t.HeadingTF); inText > 0 {
			before := len(d.counts)
			if d.counts[ids[t.Term]] += inText; len(d.counts) > before {
				c.term(ids[t.Term], 0, 0, 1)
			}
		}
	}
}

// end ends the current document.
func (d *documentTexts) end() {
	if d.document == 0 {
		return
	}
	terms := slices.AppendSeq([]int32{}, maps.Keys(d.counts)) // nil would be NULL
	slices.Sort(terms)
	sums := make([]int32, len(terms))
	for i, term := range terms {
		sums[i] = d.counts[term]
	}
	d.rows = append(d.rows, []any{d.document, d.language, d.length, terms, sums})
	d.document, d.counts = 0, nil
}

// write ends the current document, and stores all.
func (d *documentTexts) write(ctx context.Context, tx pgx.Tx) error {
	d.end()
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"pgwords_text"},
		[]string{"document_id", "language", "length", "terms", "counts"}, pgx.CopyFromRows(d.rows))
	return err
}

// dropWords deletes the terms of documents.
func (x *Index) dropWords(ctx context.Context, tx pgx.Tx, documents []int64, c *wordCounts) error {
	rows, err := tx.Query(ctx, `DELETE FROM pgwords_text WHERE document_id = ANY ($1) RETURNING document_id, language, terms`, documents)
	if err != nil {
		return err
	}
	languages := map[int64]string{}
	var document int64
	var language string
	var terms []int32
	if _, err := pgx.ForEachRow(rows, []any{&document, &language, &terms}, func() error {
		languages[document] = language
		c.document(language, -1)
		for _, term := range terms {
			c.term(term, 0, 0, -1)
		}
		return nil
	}); err != nil {
		return err
	}
	if rows, err = tx.Query(ctx, `DELETE FROM pgwords_chunk WHERE document_id = ANY ($1)
		RETURNING document_id, postings, length, heading`, documents); err != nil {
		return err
	}
	var p []byte
	var length, heading int16
	_, err = pgx.ForEachRow(rows, []any{&document, &p, &length, &heading}, func() error {
		c.chunk(languages[document], p, length, heading, -1)
		return nil
	})
	return err
}
