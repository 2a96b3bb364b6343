package pgwords

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"sort"

	"github.com/jackc/pgx/v5"

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
// and how many documents have it in their text. A document can have millions of terms,
// so it is small.
type termCount struct{ chunks, headings, documents int32 }

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

// term adds to the differences of a term. It forgets a term without a difference.
func (c *wordCounts) term(term int32, chunks, headings, documents int32) {
	t := c.terms[term]
	t = termCount{t.chunks + chunks, t.headings + headings, t.documents + documents}
	if t == (termCount{}) {
		delete(c.terms, term)
		return
	}
	c.terms[term] = t
}

// chunk counts a chunk, by times.
func (c *wordCounts) chunk(language string, p postings, length, heading int16, by int32) {
	for i := range p.len() {
		term, count := p.at(i)
		c.term(term, by, by*int32(min(headingTF(count), 1)), 0)
	}
	l, times := c.languages[language], int64(by)
	l.chunks, l.length, l.heading = l.chunks+times, l.length+times*int64(length), l.heading+times*int64(heading)
	c.languages[language] = l
}

// document counts a document, by times. Its terms count on their own.
func (c *wordCounts) document(language string, by int64) {
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

// maxPending is the number of terms with differences that are kept until the end of a
// step. More of them are written before it.
const maxPending = 100_000

// limit writes the differences of terms if there are more than most.
func (c *wordCounts) limit(ctx context.Context, tx pgx.Tx, most int) error {
	if len(c.terms) <= most {
		return nil
	}
	return c.writeTerms(ctx, tx)
}

// writeTerms adds the differences of terms to the stored statistics, in parts. It deletes
// the terms that no chunk has any longer.
func (c *wordCounts) writeTerms(ctx context.Context, tx pgx.Tx) error {
	changed := slices.Sorted(maps.Keys(c.terms))
	for part := range slices.Chunk(changed, maxPending) {
		chunks, headings, documents := make([]int32, len(part)), make([]int32, len(part)), make([]int32, len(part))
		for i, term := range part {
			t := c.terms[term]
			chunks[i], headings[i], documents[i] = t.chunks, t.headings, t.documents
		}
		var batch pgx.Batch
		batch.Queue(`DELETE FROM pgwords_term t USING unnest($1::integer[], $2::integer[]) AS n (id, chunks)
			WHERE t.id = n.id AND t.chunks + n.chunks <= 0`, part, chunks)
		batch.Queue(`UPDATE pgwords_term t SET chunks = t.chunks + n.chunks, headings = t.headings + n.headings, documents = t.documents + n.documents
			FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[]) AS n (id, chunks, headings, documents) WHERE t.id = n.id`,
			part, chunks, headings, documents)
		if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
			return err
		}
	}
	c.terms = map[int32]termCount{}
	return nil
}

// write adds the differences to the stored statistics.
func (c *wordCounts) write(ctx context.Context, tx pgx.Tx) error {
	if err := c.writeTerms(ctx, tx); err != nil {
		return err
	}
	var batch pgx.Batch
	for language, l := range c.languages {
		batch.Queue(`INSERT INTO pgwords_language AS l (language, documents, chunks, length, heading) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (language) DO UPDATE SET documents = l.documents + excluded.documents, chunks = l.chunks + excluded.chunks,
				length = l.length + excluded.length, heading = l.heading + excluded.heading`,
			language, l.documents, l.chunks, l.length, l.heading)
	}
	return tx.SendBatch(ctx, &batch).Close()
}
