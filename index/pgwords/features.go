package pgwords

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"docent/index"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// rowTables have the data of the second stage that the corpus does not have: the
// tokens of each chunk, the mean vector of each document, and the number of chunks
// with each token. Texts and vectors stay in the tables of the corpus.
var rowTables = []string{
	`CREATE TABLE pgwords_row (chunk_id bigint PRIMARY KEY, document_id bigint NOT NULL, heading integer NOT NULL,
		tokens bytea NOT NULL, sentences bytea NOT NULL)`,
	`CREATE INDEX pgwords_row_document ON pgwords_row (document_id)`,
	`CREATE TABLE pgwords_document (document_id bigint PRIMARY KEY, mean bytea NOT NULL)`,
	`CREATE TABLE pgwords_token (token integer PRIMARY KEY, chunks bigint NOT NULL)`,
}

// Rows implements retrieve.Features.
func (x *Index) Rows(ctx context.Context, ids []int64) ([]*retrieve.Row, error) {
	out := make([]*retrieve.Row, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	byID := make(map[int64]*retrieve.Row, len(ids))
	documents := map[int64]*retrieve.RowDocument{}
	rows, err := x.cfg.Pool.Query(ctx, `SELECT c.id, c.ordinal, c.kind, r.heading, r.tokens, r.sentences, e.vector,
			d.id, d.source, d.language, k.name, m.mean
		FROM pgwords_row r JOIN pgwords_document m ON m.document_id = r.document_id
		JOIN chunk c ON c.id = r.chunk_id JOIN document d ON d.id = c.document_id JOIN collection k ON k.id = d.collection_id
		LEFT JOIN embedding e ON e.chunk_id = c.id AND e.embedder = $2 WHERE r.chunk_id = ANY ($1)`, ids, x.cfg.Embedder)
	if err != nil {
		return nil, x.cfg.Fail("read rows", err)
	}
	r, d := &retrieve.Row{}, &retrieve.RowDocument{}
	var tokens, sentences, vector, mean []byte
	_, err = pgx.ForEachRow(rows, []any{
		&r.ID, &r.Ordinal, &r.Kind, &r.Heading, &tokens, &sentences, &vector, &d.ID, &d.Source, &d.Language, &d.Collection, &mean,
	}, func() error {
		row := *r
		if row.Document = documents[d.ID]; row.Document == nil { // rows of one document share it
			document := *d
			document.Mean = x.decode(mean)
			row.Document, documents[d.ID] = &document, &document
		}
		row.Tokens, row.Sentences, row.Vector = unpack(tokens), unpack(sentences), x.decode(vector)
		byID[row.ID] = &row
		return nil
	})
	if err != nil {
		return nil, x.cfg.Fail("read rows", err)
	}
	for i, id := range ids {
		out[i] = byID[id]
	}
	return out, nil
}

// Statistics implements retrieve.Features.
func (x *Index) Statistics(ctx context.Context, tokens []uint16) (retrieve.Statistics, error) {
	asked := make([]int32, len(tokens))
	for i, token := range tokens {
		asked[i] = int32(token)
	}
	var s retrieve.Statistics
	var frequencies []int64
	err := x.cfg.Pool.QueryRow(ctx, `SELECT chunks, tokens, array(
			SELECT coalesce(t.chunks, 0) FROM unnest($1::integer[]) WITH ORDINALITY AS asked (token, place)
			LEFT JOIN pgwords_token t ON t.token = asked.token ORDER BY asked.place)
		FROM pgwords_index`, asked).Scan(&s.Chunks, &s.Tokens, &frequencies)
	if err != nil {
		return s, x.cfg.Fail("read statistics", err)
	}
	s.Frequencies = make([]uint32, len(frequencies))
	for i, n := range frequencies {
		s.Frequencies[i] = uint32(n)
	}
	return s, nil
}

// counts are the differences that a step makes to the statistics.
type counts struct {
	chunks, tokens int64
	byToken        map[int32]int64
	words          *wordCounts
}

// add counts the tokens of a chunk, by times.
func (c *counts) add(tokens []uint16, by int64) {
	c.chunks, c.tokens = c.chunks+by, c.tokens+by*int64(len(tokens))
	distinct := slices.Clone(tokens)
	slices.Sort(distinct)
	for _, token := range slices.Compact(distinct) {
		c.byToken[int32(token)] += by
	}
}

// replaceRows replaces the rows of changed documents.
func (x *Index) replaceRows(ctx context.Context, tx pgx.Tx, changes []corpus.Change, c *counts) error {
	documents := make([]int64, len(changes))
	for i := range changes {
		documents[i] = changes[i].Document.ID
	}
	old, err := tx.Query(ctx, `DELETE FROM pgwords_row WHERE document_id = ANY ($1) RETURNING tokens`, documents)
	if err != nil {
		return err
	}
	var gone []byte
	if _, err := pgx.ForEachRow(old, []any{&gone}, func() error {
		c.add(unpack(gone), -1)
		return nil
	}); err != nil {
		return err
	}
	var filled []int64
	var means [][]byte
	var pending [][]any
	for i := range changes {
		change := &changes[i]
		d := change.Document
		if change.Removed || len(change.Chunks) == 0 {
			continue
		}
		doc := &retrieve.RowDocument{ID: d.ID, Source: d.Source, Collection: d.Collection, Language: d.Language}
		vectors := make([]*retrieve.Row, len(change.Chunks)) // rows with vectors alone
		for n := range change.Chunks {
			chunk := &change.Chunks[n]
			vector := index.Usable(change.Vectors[n], x.cfg.Dimensions)
			vectors[n] = &retrieve.Row{Vector: vector}
			r := retrieve.NewRow(x.cfg.Static, doc, chunk, corpus.HeadingLine(d.Title, chunk.Headings), vector)
			c.add(r.Tokens, 1)
			pending = append(pending, []any{r.ID, d.ID, int32(r.Heading), pack(r.Tokens), pack(r.Sentences)})
			if len(pending) == partChunks {
				if err := writeRows(ctx, tx, pending); err != nil {
					return err
				}
				pending = pending[:0]
			}
		}
		doc.SetMean(vectors)
		filled, means = append(filled, d.ID), append(means, encode(doc.Mean))
	}
	if err := writeRows(ctx, tx, pending); err != nil {
		return err
	}
	var batch pgx.Batch
	batch.Queue(`DELETE FROM pgwords_document WHERE document_id = ANY ($1)`, documents)
	batch.Queue(`INSERT INTO pgwords_document (document_id, mean) SELECT * FROM unnest($1::bigint[], $2::bytea[])`, filled, means)
	return tx.SendBatch(ctx, &batch).Close()
}

func writeRows(ctx context.Context, tx pgx.Tx, rows [][]any) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"pgwords_row"}, []string{"chunk_id", "document_id", "heading", "tokens", "sentences"},
		pgx.CopyFromRows(rows))
	return err
}

// write adds the differences to the stored statistics.
func (c *counts) write(ctx context.Context, tx pgx.Tx) error {
	tokens := slices.Sorted(maps.Keys(c.byToken))
	by := make([]int64, len(tokens))
	for i, token := range tokens {
		by[i] = c.byToken[token]
	}
	var batch pgx.Batch
	batch.Queue(`INSERT INTO pgwords_token (token, chunks) SELECT * FROM unnest($1::integer[], $2::bigint[])
		ON CONFLICT (token) DO UPDATE SET chunks = pgwords_token.chunks + excluded.chunks`, tokens, by)
	batch.Queue(`UPDATE pgwords_index SET chunks = chunks + $1, tokens = tokens + $2`, c.chunks, c.tokens)
	if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
		return fmt.Errorf("write statistics: %w", err)
	}
	if err := c.words.write(ctx, tx); err != nil {
		return fmt.Errorf("write statistics of words: %w", err)
	}
	return nil
}

// pack encodes numbers with two bytes each.
func pack(numbers []uint16) []byte {
	out := make([]byte, 0, 2*len(numbers))
	for _, n := range numbers {
		out = binary.LittleEndian.AppendUint16(out, n)
	}
	return out
}

// unpack decodes the numbers of pack. It returns nil for none.
func unpack(b []byte) []uint16 {
	var out []uint16
	if len(b) > 0 {
		out = make([]uint16, len(b)/2)
	}
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return out
}

// encode encodes a vector as the corpus stores it.
func encode(v []float32) []byte {
	out := make([]byte, 0, 4*len(v))
	for _, f := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
	}
	return out
}

// decode decodes a stored vector. It returns nil for one that searches cannot use.
func (x *Index) decode(b []byte) []float32 {
	if len(b) != 4*x.cfg.Dimensions {
		return nil
	}
	v := make([]float32, x.cfg.Dimensions)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return index.Usable(v, x.cfg.Dimensions)
}
