package postgres_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"docent/embed"
	"docent/ingest/intake"
	"docent/internal/pgtest"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
	"docent/store"
	"docent/store/postgres"
)

// sqlTables are the tables of sqlFeatures. They are derived from the corpus, so
// follow can fill them again.
const sqlTables = `
	CREATE TABLE row_corpus (revision bigint, chunks bigint, tokens bigint);
	INSERT INTO row_corpus VALUES (0, 0, 0);
	CREATE TABLE row_document (document_id bigint PRIMARY KEY, mean bytea);
	CREATE TABLE row_chunk (chunk_id bigint PRIMARY KEY, document_id bigint, heading integer, tokens integer[], sentences integer[]);
	CREATE INDEX row_chunk_document ON row_chunk (document_id);
	CREATE TABLE row_token (token integer PRIMARY KEY, chunks bigint);`

// sqlFeatures is a retrieve.Features over the database. It shows that a database
// can supply the second stage with one query for each method.
type sqlFeatures struct {
	pool     *pgxpool.Pool
	corpus   corpus.Corpus
	static   *embed.Static
	embedder string
}

func newSQLFeatures(t *testing.T, url string, c corpus.Corpus, static *embed.Static) *sqlFeatures {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), sqlTables); err != nil {
		t.Fatal(err)
	}
	return &sqlFeatures{pool, c, static, static.Name()}
}

// Rows implements retrieve.Features.
func (f *sqlFeatures) Rows(ctx context.Context, ids []int64) ([]*retrieve.Row, error) {
	rows, err := f.pool.Query(ctx, `SELECT c.id, c.ordinal, c.kind, r.heading, r.tokens, r.sentences, e.vector, d.id, d.source, d.language, k.name, m.mean
		FROM row_chunk r JOIN row_document m ON m.document_id = r.document_id
		JOIN chunk c ON c.id = r.chunk_id JOIN document d ON d.id = c.document_id JOIN collection k ON k.id = d.collection_id
		LEFT JOIN embedding e ON e.chunk_id = c.id AND e.embedder = $2 WHERE r.chunk_id = ANY ($1)`, ids, f.embedder)
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	documents := map[int64]*retrieve.RowDocument{}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*retrieve.Row, error) {
		var r retrieve.Row
		var d retrieve.RowDocument
		var tokens, sentences []int32
		var vector, mean []byte
		err := row.Scan(&r.ID, &r.Ordinal, &r.Kind, &r.Heading, &tokens, &sentences, &vector,
			&d.ID, &d.Source, &d.Language, &d.Collection, &mean)
		if err != nil {
			return nil, err
		}
		if documents[d.ID] == nil { // rows of one document share it
			if d.Mean, err = decode(mean); err != nil {
				return nil, err
			}
			documents[d.ID] = &d
		}
		r.Document, r.Tokens, r.Sentences = documents[d.ID], convert[uint16](tokens), convert[uint16](sentences)
		r.Vector, err = decode(vector)
		return &r, err
	})
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	byID := map[int64]*retrieve.Row{}
	for _, r := range found {
		byID[r.ID] = r
	}
	out := make([]*retrieve.Row, len(ids))
	for i, id := range ids {
		out[i] = byID[id]
	}
	return out, nil
}

// Statistics implements retrieve.Features.
func (f *sqlFeatures) Statistics(ctx context.Context, tokens []uint16) (retrieve.Statistics, error) {
	var s retrieve.Statistics
	var frequencies []int32
	err := f.pool.QueryRow(ctx, `SELECT chunks, tokens, array(
			SELECT coalesce(t.chunks, 0)::integer FROM unnest($1::integer[]) WITH ORDINALITY AS asked (token, place)
			LEFT JOIN row_token t ON t.token = asked.token ORDER BY asked.place)
		FROM row_corpus`, convert[int32](tokens)).Scan(&s.Chunks, &s.Tokens, &frequencies)
	if err != nil {
		return s, fmt.Errorf("read statistics: %w", err)
	}
	s.Frequencies = convert[uint32](frequencies)
	return s, nil
}

// follow applies the changes of the corpus since its last run. Any process may
// call it: the lock on row_corpus makes them take turns.
func (f *sqlFeatures) follow(ctx context.Context) error {
	return pgx.BeginFunc(ctx, f.pool, func(tx pgx.Tx) error {
		var revision int64
		if err := tx.QueryRow(ctx, `SELECT revision FROM row_corpus FOR UPDATE`).Scan(&revision); err != nil {
			return err
		}
		var chunks, tokens int
		frequency := map[int32]int64{} // the difference
		count := func(row []int32, by int) {
			chunks, tokens = chunks+by, tokens+by*len(row)
			row = slices.Clone(row)
			slices.Sort(row)
			for _, token := range slices.Compact(row) {
				frequency[token] += int64(by)
			}
		}
		for change, err := range f.corpus.Changes(ctx, revision, f.embedder) {
			if err != nil {
				return err
			}
			if err := f.replace(ctx, tx, &change, count); err != nil {
				return err
			}
			revision = change.Revision
		}
		var changed []int32
		var by []int64
		for token, n := range frequency {
			changed, by = append(changed, token), append(by, n)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO row_token SELECT * FROM unnest($1::integer[], $2::bigint[])
			ON CONFLICT (token) DO UPDATE SET chunks = row_token.chunks + excluded.chunks`, changed, by); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE row_corpus SET revision = $1, chunks = chunks + $2, tokens = tokens + $3`, revision, chunks, tokens)
		return err
	})
}

// replace gives a document new rows and reports the tokens of each old and new
// row to count.
func (f *sqlFeatures) replace(ctx context.Context, tx pgx.Tx, change *corpus.Change, count func(tokens []int32, by int)) error {
	d := change.Document
	old, err := tx.Query(ctx, `DELETE FROM row_chunk WHERE document_id = $1 RETURNING tokens`, d.ID)
	if err != nil {
		return err
	}
	gone, err := pgx.CollectRows(old, pgx.RowTo[[]int32])
	if err != nil {
		return err
	}
	for _, tokens := range gone {
		count(tokens, -1)
	}
	doc := &retrieve.RowDocument{ID: d.ID, Source: d.Source, Collection: d.Collection, Language: d.Language}
	rows := make([]*retrieve.Row, len(change.Chunks))
	for i := range change.Chunks {
		c := &change.Chunks[i]
		rows[i] = retrieve.NewRow(f.static, doc, c, corpus.HeadingLine(d.Title, c.Headings), change.Vectors[i])
		tokens := convert[int32](rows[i].Tokens)
		if _, err := tx.Exec(ctx, `INSERT INTO row_chunk VALUES ($1, $2, $3, $4, $5)`,
			c.ID, d.ID, rows[i].Heading, tokens, convert[int32](rows[i].Sentences)); err != nil {
			return err
		}
		count(tokens, 1)
	}
	doc.SetMean(rows)
	_, err = tx.Exec(ctx, `INSERT INTO row_document VALUES ($1, $2) ON CONFLICT (document_id) DO UPDATE SET mean = excluded.mean`,
		d.ID, store.AppendVector(nil, doc.Mean))
	return err
}

// decode returns a stored vector, or nil if there is none.
func decode(stored []byte) ([]float32, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	return store.Vector(stored)
}

// convert converts numbers to another type. It keeps nil.
func convert[B, A uint16 | int32 | uint32](in []A) []B {
	if in == nil {
		return nil
	}
	out := make([]B, len(in))
	for i, n := range in {
		out[i] = B(n)
	}
	return out
}

// handbook returns the documents of the retrieval tests, without chunk ids.
func handbook(t *testing.T, static *embed.Static) []intake.Put {
	t.Helper()
	f, err := os.Open("../../rag/retrieve/testdata/retrieval/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	var out []intake.Put
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct {
			Document, Title, Text string
			Headings              []string
			Kind                  corpus.Kind
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if len(out) == 0 || out[len(out)-1].Document.Source != line.Document {
			out = append(out, intake.Put{Embedder: static.Name(), Document: corpus.Document{
				Collection: corpus.DefaultCollection, Source: line.Document, Title: line.Title, Language: "en",
				MediaType: "text/plain", Pipeline: "test", Status: corpus.Ready,
			}})
		}
		put := &out[len(out)-1]
		if line.Kind == "" {
			line.Kind = corpus.Prose
		}
		chunk := corpus.Chunk{Ordinal: len(put.Chunks), Kind: line.Kind, Headings: line.Headings, Text: line.Text}
		vectors, err := static.EmbedDocuments(t.Context(), []string{corpus.IndexText(line.Title, chunk)})
		if err != nil {
			t.Fatal(err)
		}
		put.Chunks, put.Vectors = append(put.Chunks, chunk), append(put.Vectors, vectors[0])
	}
	return out
}

// TestFeatures runs the suite of retrieve.Features over tables, after each kind
// of change.
func TestFeatures(t *testing.T) {
	t.Parallel()
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	url := pgtest.URL(t)
	s := open(t, postgres.Config{URL: url})
	features := newSQLFeatures(t, url, s, static)
	check := func(name string) {
		t.Helper()
		if err := features.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		var changes []corpus.Change
		for change, err := range s.Changes(t.Context(), 0, static.Name()) {
			if err != nil {
				t.Fatal(err)
			}
			changes = append(changes, change)
		}
		t.Run(name, func(t *testing.T) { indextest.RunFeatures(t, features, static, changes) })
	}
	puts := handbook(t, static)
	stored, err := s.PutDocuments(t.Context(), puts)
	if err != nil {
		t.Fatal(err)
	}
	check("stored")
	puts[0].Chunks, puts[0].Vectors = puts[0].Chunks[:1], puts[0].Vectors[:1]
	puts[1].Vectors, puts[1].Embedder = nil, ""
	if _, err := s.PutDocuments(t.Context(), puts[:2]); err != nil {
		t.Fatal(err)
	}
	check("replaced")
	if _, err := s.RemoveDocuments(t.Context(), []int64{stored[2]}); err != nil {
		t.Fatal(err)
	}
	check("removed")
}
