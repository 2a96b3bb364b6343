package pgwords_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"docent/ingest/intake"
	"docent/internal/pgtest"
	"docent/rag/corpus"
	"docent/rag/retrieve/indextest"
)

// large makes a document with more chunks than are written at a time, and with more terms
// than have pending statistics. Each chunk has words that no other chunk has, and the
// words "common" and "parityN".
func large(salt string) intake.Put {
	put := document("large", "")
	put.Chunks, put.Vectors = nil, nil
	for i := range 2100 {
		var b strings.Builder
		fmt.Fprintf(&b, "common parity%d", i%2)
		for n := range 60 {
			fmt.Fprintf(&b, " %s%dw%d", salt, i, n)
		}
		put.Chunks = append(put.Chunks, corpus.Chunk{Ordinal: i, Kind: corpus.Table, Text: b.String()})
		put.Vectors = append(put.Vectors, indextest.Vector("row"))
	}
	return put
}

// TestLargeDocument writes, replaces, and removes a document that is written in parts, and
// checks the statistics.
func TestLargeDocument(t *testing.T) {
	t.Parallel()
	s := openStore(t, pgtest.URL(t))
	pool, _ := s.Connections()
	x := open(t, configOf(t, s))
	store(t, s, document("small", "common lemon"))
	first := large("a")
	ids := store(t, s, first)
	wantFound(t, x, "parity1", 10)
	wantFound(t, x, "a2099w59", 1)
	wantStatistics(t, pool)
	next := large("b")
	copy(next.Chunks[1000:], first.Chunks[1000:]) // half of its terms stay
	store(t, s, next)
	wantFound(t, x, "a0w0", 0)
	wantFound(t, x, "b0w0", 1)
	wantFound(t, x, "a2099w59", 1)
	wantStatistics(t, pool)
	if _, err := s.RemoveDocuments(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	wantFound(t, x, "common", 1)
	wantStatistics(t, pool)
}

// wantStatistics compares the stored statistics of all terms with the terms of the chunks
// and documents.
func wantStatistics(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	var terms, wrong int
	if err := pool.QueryRow(t.Context(), `WITH
		chunk AS (SELECT id, count(*) AS n FROM pgwords_chunk, unnest(terms) AS id GROUP BY id),
		document AS (SELECT id, count(*) AS n FROM pgwords_text, unnest(terms) AS id GROUP BY id)
		SELECT count(*), count(*) FILTER (WHERE t.chunks IS DISTINCT FROM chunk.n OR t.documents IS DISTINCT FROM coalesce(document.n, 0))
		FROM pgwords_term t FULL JOIN chunk USING (id) FULL JOIN document USING (id)`).Scan(&terms, &wrong); err != nil {
		t.Fatal(err)
	}
	if terms == 0 || wrong > 0 {
		t.Errorf("%d of %d terms have wrong statistics", wrong, terms)
	}
}
