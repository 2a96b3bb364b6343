package pgwords

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"sort"

	"github.com/jackc/pgx/v5"

	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/keyword"
)

// wordTables are the keyword index. pgwords_chunk has the terms of each chunk: as an
// array for the GIN index, and with their counts as postings. pgwords_text
// has those of each document's texts, without its headings. pgwords_term and
// pgwords_language are statistics. Terms are bytes, because they contain NUL.
var wordTables = []string{
	`CREATE TABLE pgwords_chunk (chunk_id bigint PRIMARY KEY, document_id bigint NOT NULL, collection text NOT NULL,
		source text COLLATE "C" NOT NULL, ordinal integer NOT NULL, length smallint NOT NULL, heading smallint NOT NULL,
		terms integer[] NOT NULL, postings bytea NOT NULL)`,
	`CREATE INDEX pgwords_chunk_document ON pgwords_chunk (document_id)`,
	`CREATE INDEX pgwords_chunk_collection ON pgwords_chunk (collection)`,
	`CREATE INDEX pgwords_chunk_terms ON pgwords_chunk USING gin (terms)`,
	`CREATE TABLE pgwords_text (document_id bigint PRIMARY KEY, language text NOT NULL, length bigint NOT NULL,
		terms integer[] NOT NULL, counts integer[] NOT NULL)`,
	`CREATE TABLE pgwords_term (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, term bytea NOT NULL UNIQUE,
		chunks bigint NOT NULL DEFAULT 0, headings bigint NOT NULL DEFAULT 0, documents bigint NOT NULL DEFAULT 0)`,
	`CREATE TABLE pgwords_language (language text PRIMARY KEY, documents bigint NOT NULL, chunks bigint NOT NULL,
		length bigint NOT NULL, heading bigint NOT NULL)`,
}

// termCount says how many chunks contain a term, how many have it in their heading,
// and how many documents have it in their text.
type termCount struct{ chunks, headings, documents int64 }

// languageCount has the statistics of a language: numbers of documents and chunks,
// and the sums of their lengths.
type languageCount struct{ documents, chunks, length, heading int64 }

// wordCounts are the differences that a step makes to the statistics of terms.
type wordCounts struct {
	terms     map[int32]termCount
	languages map[string]languageCount
}

func newWordCounts() *wordCounts {
	return &wordCounts{map[int32]termCount{}, map[string]languageCount{}}
}

// chunk counts a chunk, by times.
func (c *wordCounts) chunk(language string, p postings, length, heading int16, by int64) {
	for i := range p.len() {
		term, count := p.at(i)
		t := c.terms[term]
		t.chunks += by
		if headingTF(count) > 0 {
			t.headings += by
		}
		c.terms[term] = t
	}
	l := c.languages[language]
	l.chunks, l.length, l.heading = l.chunks+by, l.length+by*int64(length), l.heading+by*int64(heading)
	c.languages[language] = l
}

// document counts a document, by times. terms are those of its texts.
func (c *wordCounts) document(language string, terms []int32, by int64) {
	for _, term := range terms {
		t := c.terms[term]
		t.documents += by
		c.terms[term] = t
	}
	l := c.languages[language]
	l.documents += by
	c.languages[language] = l
}

// postings are the terms of a chunk, ordered by id. Each has four bytes for its id and
// one for its counts.
type postings []byte

const postingBytes = 5

func (p postings) len() int { return len(p) / postingBytes }

func (p postings) at(i int) (term int32, count byte) {
	b := p[i*postingBytes:]
	return int32(binary.BigEndian.Uint32(b)), b[4]
}

// find returns the counts of a term, or 0 if the chunk does not have it.
func (p postings) find(term int32) (count byte) {
	i := sort.Search(p.len(), func(i int) bool {
		t, _ := p.at(i)
		return t >= term
	})
	if i == p.len() {
		return 0
	}
	t, count := p.at(i)
	if t != term {
		return 0
	}
	return count
}

// newPostings makes the postings of a chunk, and lists its terms. ids are the ids of
// the terms by number.
func newPostings(counts []keyword.Count, ids []int32) (p postings, terms []int32) {
	counts = slices.Clone(counts)
	slices.SortFunc(counts, func(a, b keyword.Count) int { return cmp.Compare(ids[a.Term], ids[b.Term]) })
	p, terms = make(postings, 0, postingBytes*len(counts)), make([]int32, len(counts))
	for i, c := range counts {
		terms[i] = ids[c.Term]
		p = append(binary.BigEndian.AppendUint32(p, uint32(terms[i])), c.TF|c.HeadingTF<<5)
	}
	return p, terms
}

func tf(count byte) int        { return int(count & keyword.MaxTF) }
func headingTF(count byte) int { return int(count >> 5) }

// write adds the differences to the stored statistics.
func (c *wordCounts) write(ctx context.Context, tx pgx.Tx) error {
	terms := slices.Sorted(maps.Keys(c.terms))
	chunks, headings, documents := make([]int64, len(terms)), make([]int64, len(terms)), make([]int64, len(terms))
	for i, term := range terms {
		t := c.terms[term]
		chunks[i], headings[i], documents[i] = t.chunks, t.headings, t.documents
	}
	var batch pgx.Batch
	batch.Queue(`UPDATE pgwords_term t SET chunks = t.chunks + n.chunks, headings = t.headings + n.headings, documents = t.documents + n.documents
		FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[]) AS n (id, chunks, headings, documents) WHERE t.id = n.id`,
		terms, chunks, headings, documents)
	for language, l := range c.languages {
		batch.Queue(`INSERT INTO pgwords_language AS l (language, documents, chunks, length, heading) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (language) DO UPDATE SET documents = l.documents + excluded.documents, chunks = l.chunks + excluded.chunks,
				length = l.length + excluded.length, heading = l.heading + excluded.heading`,
			language, l.documents, l.chunks, l.length, l.heading)
	}
	return tx.SendBatch(ctx, &batch).Close()
}

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

// resolve reads the ids of the terms and stores the new terms. Only one process
// writes at a time.
func (a *analysis) resolve(ctx context.Context, tx pgx.Tx) error {
	a.ids = make([]int32, len(a.terms))
	for _, query := range []string{
		`SELECT term, id FROM pgwords_term WHERE term = ANY ($1)`,
		`INSERT INTO pgwords_term (term) SELECT unnest($1::bytea[]) RETURNING term, id`,
	} {
		var missing [][]byte
		for n, term := range a.terms {
			if a.ids[n] == 0 {
				missing = append(missing, term)
			}
		}
		rows, err := tx.Query(ctx, query, missing)
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
	}
	return nil
}

// analyzed is an entry with its terms.
type analyzed struct {
	*retrieve.Entry
	counts []keyword.Count
	keyword.Lengths
}

// replaceWords replaces the terms of changed documents. entries are all new entries,
// those of a document one after the other.
func (x *Index) replaceWords(ctx context.Context, tx pgx.Tx, documents []int64, entries []retrieve.Entry, c *wordCounts) error {
	if err := x.dropWords(ctx, tx, documents, c); err != nil {
		return err
	}
	a := &analysis{numbers: map[string]uint32{}}
	counter := keyword.NewCounter(a.number)
	all := make([]analyzed, len(entries))
	for i := range entries {
		e := &entries[i]
		all[i].Entry = e
		all[i].counts, all[i].Lengths = counter.Count(nil, e.Language, e.Heading, e.Text)
	}
	if err := a.resolve(ctx, tx); err != nil {
		return err
	}
	var chunks, docs [][]any
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].DocumentID == all[0].DocumentID {
			n++
		}
		language := all[0].Language
		counts, length := map[int32]int32{}, int64(0)
		for _, e := range all[:n] {
			p, terms := newPostings(e.counts, a.ids)
			for _, t := range e.counts {
				if inText := int32(t.TF) - int32(t.HeadingTF); inText > 0 {
					counts[a.ids[t.Term]] += inText
				}
			}
			length += int64(e.All - e.Lengths.Heading)
			c.chunk(language, p, int16(e.All), int16(e.Lengths.Heading), 1)
			chunks = append(chunks, []any{
				e.ID, e.DocumentID, e.Collection, e.Source, int32(e.Ordinal), int16(e.All), int16(e.Lengths.Heading), terms, []byte(p),
			})
		}
		terms := slices.AppendSeq([]int32{}, maps.Keys(counts)) // nil would be NULL
		slices.Sort(terms)
		sums := make([]int32, len(terms))
		for i, term := range terms {
			sums[i] = counts[term]
		}
		c.document(language, terms, 1)
		docs = append(docs, []any{all[0].DocumentID, language, length, terms, sums})
		all = all[n:]
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"pgwords_chunk"},
		[]string{"chunk_id", "document_id", "collection", "source", "ordinal", "length", "heading", "terms", "postings"},
		pgx.CopyFromRows(chunks)); err != nil {
		return err
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"pgwords_text"},
		[]string{"document_id", "language", "length", "terms", "counts"}, pgx.CopyFromRows(docs))
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
		c.document(language, terms, -1)
		return nil
	}); err != nil {
		return err
	}
	if rows, err = tx.Query(ctx, `DELETE FROM pgwords_chunk WHERE document_id = ANY ($1) RETURNING document_id, postings, length, heading`, documents); err != nil {
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
