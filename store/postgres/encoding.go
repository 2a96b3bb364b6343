package postgres

import (
	"context"
	"fmt"
	"iter"
	"time"

	"docent/rag/corpus"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"docent/store"
)

// Unencoded returns chunks without a vector of a model; see corpus.Encodings.
func (s *encodings) Unencoded(ctx context.Context, q corpus.EncodingQuery) ([]corpus.Passage, error) {
	documents := q.Documents
	if len(documents) == 0 {
		documents = nil
	}
	// The inner query sorts ids, because rows are kilobytes long.
	out, err := query(ctx, s, scanPassage, `SELECT `+passageColumns+` FROM `+passageTables+`
		WHERE c.id IN (SELECT c.id FROM document d JOIN chunk c ON c.document_id = d.id
			WHERE (d.language = ANY ($2)) <> $3 AND ($4::bigint = 0 OR d.version <= $4) AND ($5::bigint[] IS NULL OR d.id = ANY ($5))
				AND NOT EXISTS (SELECT FROM encoding e WHERE e.chunk_id = c.id AND e.model = $1)
			ORDER BY d.version DESC, c.ordinal LIMIT $6)
		ORDER BY d.version DESC, c.ordinal`,
		store.Text(q.Model), store.Texts(q.Languages.Listed), q.Languages.Except, q.Until, documents, max(q.Limit, 0))
	return out, fail("list chunks for "+q.Model, err)
}

// PutEncodings stores vectors; see corpus.Encodings.
func (s *encodings) PutEncodings(ctx context.Context, model string, all []corpus.Encoding) error {
	if err := store.CheckEncodings(model, all); err != nil || len(all) == 0 {
		return fail("put encodings by "+model, err)
	}
	chunks, vectors := make([]int64, len(all)), make([][]byte, len(all))
	for i, e := range all {
		chunks[i], vectors[i] = e.ChunkID, store.AppendQuantized(nil, e.Vector)
	}
	err := s.write(ctx, func(tx pgx.Tx) error {
		// The lock on the model's row makes its revisions commit in order.
		var revision int64
		if err := tx.QueryRow(ctx, `INSERT INTO encoder AS e (model, revision) VALUES ($1, 1)
			ON CONFLICT (model) DO UPDATE SET revision = e.revision + 1 RETURNING revision`, store.Text(model)).Scan(&revision); err != nil {
			return err
		}
		// The chunks are locked, so that none is deleted before its vector is there.
		_, err := tx.Exec(ctx, `INSERT INTO encoding (chunk_id, model, revision, vector)
			SELECT c.id, $1, $2, n.vector FROM unnest($3::bigint[], $4::bytea[]) AS n(id, vector) JOIN chunk c ON c.id = n.id
			ORDER BY c.id FOR KEY SHARE OF c ON CONFLICT DO NOTHING`, store.Text(model), revision, chunks, vectors)
		return err
	})
	return fail(fmt.Sprintf("put %d encodings by %s", len(all), model), err)
}

// Encoded yields vectors; see corpus.Encodings.
func (s *encodings) Encoded(ctx context.Context, model string, since int64) iter.Seq2[corpus.Encoding, error] {
	return func(yield func(corpus.Encoding, error) bool) {
		rows, err := s.rows(ctx, `SELECT chunk_id, revision, vector FROM encoding
			WHERE model = $1 AND revision > $2 ORDER BY revision`, store.Text(model), since)
		if err != nil {
			yield(corpus.Encoding{}, fail("read encodings by "+model, err))
			return
		}
		defer rows.Close()
		var vector pgtype.DriverBytes // the driver's memory, not a copy
		for rows.Next() {
			var e corpus.Encoding
			if err := rows.Scan(&e.ChunkID, &e.Revision, &vector); err != nil {
				yield(corpus.Encoding{}, fail("read encodings by "+model, err))
				return
			}
			e.Vector = store.Quantized(vector)
			if !yield(e, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(corpus.Encoding{}, fail("read encodings by "+model, err))
		}
	}
}

// ReadEncodings returns the vectors of chunks; see corpus.Encodings.
func (s *encodings) ReadEncodings(ctx context.Context, model string, ids []int64) ([][]float32, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := s.rows(ctx, `SELECT chunk_id, vector FROM encoding WHERE model = $1 AND chunk_id = ANY ($2)`, store.Text(model), ids)
	if err != nil {
		return nil, fail("read encodings by "+model, err)
	}
	found := make(map[int64][]float32, len(ids))
	var chunk int64
	var vector pgtype.DriverBytes // the driver's memory, not a copy
	if _, err := pgx.ForEachRow(rows, []any{&chunk, &vector}, func() error {
		found[chunk] = store.Quantized(vector)
		return nil
	}); err != nil {
		return nil, fail("read encodings by "+model, err)
	}
	return store.VectorsInOrder(ids, found), nil
}

// CountEncodings counts vectors; see corpus.Encodings.
func (s *encodings) CountEncodings(ctx context.Context, model string, languages corpus.Languages) (done, total int, err error) {
	err = s.pool.QueryRow(ctx, `SELECT count(e.chunk_id), count(*) FROM document d JOIN chunk c ON c.document_id = d.id
		LEFT JOIN encoding e ON e.chunk_id = c.id AND e.model = $1 WHERE (d.language = ANY ($2)) <> $3`,
		store.Text(model), store.Texts(languages.Listed), languages.Except).Scan(&done, &total)
	return done, total, fail("count encodings by "+model, err)
}

// LeaseEncoder takes or extends a lease; see corpus.Encodings.
func (s *encodings) LeaseEncoder(ctx context.Context, model, owner string, now, until time.Time) (ok bool, err error) {
	tag, err := s.pool.Exec(ctx, `INSERT INTO encoder AS e (model, revision, lease_owner, lease_until) VALUES ($1, 0, $2, $3)
		ON CONFLICT (model) DO UPDATE SET lease_owner = excluded.lease_owner, lease_until = excluded.lease_until
		WHERE e.lease_owner = excluded.lease_owner OR e.lease_until <= $4`, store.Text(model), store.Text(owner), until, now)
	return err == nil && tag.RowsAffected() > 0, fail("lease encoder "+model, err)
}
