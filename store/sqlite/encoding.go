package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"docent/rag/corpus"

	"docent/store"
	records "docent/store/sql"
)

// languageCondition selects documents by their language: a JSON array, and
// whether it lists the others.
const languageCondition = `(d.language IN (SELECT value FROM json_each(?))) <> ?`

func languageArgs(l corpus.Languages) ([]any, error) {
	list, err := json.Marshal(store.Texts(l.Listed))
	return []any{string(list), l.Except}, err
}

// Unencoded returns chunks without a vector of a model; see corpus.Encodings.
func (s *encodings) Unencoded(ctx context.Context, q corpus.EncodingQuery) ([]corpus.Passage, error) {
	args, err := languageArgs(q.Languages)
	if err != nil {
		return nil, fail("list chunks for "+q.Model, err)
	}
	where := languageCondition
	if q.Until > 0 {
		where, args = where+` AND d.version <= ?`, append(args, q.Until)
	}
	if len(q.Documents) > 0 {
		list, err := idList(q.Documents)
		if err != nil {
			return nil, fail("list chunks for "+q.Model, err)
		}
		where, args = where+` AND d.id IN (SELECT value FROM json_each(?))`, append(args, list)
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT `+chunkColumns+`, `+records.DocumentColumns+`
		FROM document d JOIN collection k ON k.id = d.collection_id CROSS JOIN chunk c ON c.document_id = d.id
		WHERE `+where+` AND NOT EXISTS (SELECT 1 FROM encoding e WHERE e.chunk_id = c.id AND e.model = ?)
		ORDER BY d.version DESC, c.ordinal LIMIT ?`, append(args, store.Text(q.Model), max(q.Limit, 0))...)
	if err != nil {
		return nil, fail("list chunks for "+q.Model, err)
	}
	out, err := passages(rows)
	return out, fail("list chunks for "+q.Model, err)
}

// PutEncodings stores vectors; see corpus.Encodings.
func (s *encodings) PutEncodings(ctx context.Context, model string, all []corpus.Encoding) error {
	if err := store.CheckEncodings(model, all); err != nil || len(all) == 0 {
		return fail("put encodings by "+model, err)
	}
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
		var revision int64
		if err := w.row(ctx, `INSERT INTO encoder (model, revision) VALUES (?, 1)
			ON CONFLICT (model) DO UPDATE SET revision = revision + 1 RETURNING revision`, store.Text(model)).Scan(&revision); err != nil {
			return err
		}
		var vector []byte
		for _, e := range all {
			vector = store.AppendQuantized(vector[:0], e.Vector)
			if _, err := w.exec(ctx, `INSERT INTO encoding (chunk_id, model, revision, vector) SELECT id, ?, ?, ? FROM chunk WHERE id = ?
				ON CONFLICT DO NOTHING`, store.Text(model), revision, vector, e.ChunkID); err != nil {
				return err
			}
		}
		return nil
	})
	return fail(fmt.Sprintf("put %d encodings by %s", len(all), model), err)
}

// Encoded yields vectors; see corpus.Encodings.
func (s *encodings) Encoded(ctx context.Context, model string, since int64) iter.Seq2[corpus.Encoding, error] {
	return func(yield func(corpus.Encoding, error) bool) {
		rows, err := s.reader.QueryContext(ctx, `SELECT chunk_id, revision, vector FROM encoding
			WHERE model = ? AND revision > ? ORDER BY revision`, store.Text(model), since)
		if err != nil {
			yield(corpus.Encoding{}, fail("read encodings by "+model, err))
			return
		}
		defer rows.Close() //nolint:errcheck // rows.Err reports errors
		var vector sql.RawBytes
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
	list, err := idList(ids)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT chunk_id, vector FROM encoding
		WHERE model = ? AND chunk_id IN (SELECT value FROM json_each(?))`, store.Text(model), list)
	if err != nil {
		return nil, fail("read encodings by "+model, err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	found := make(map[int64][]float32, len(ids))
	for rows.Next() {
		var chunk int64
		var vector sql.RawBytes
		if err := rows.Scan(&chunk, &vector); err != nil {
			return nil, fail("read encodings by "+model, err)
		}
		found[chunk] = store.Quantized(vector)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("read encodings by "+model, err)
	}
	return store.VectorsInOrder(ids, found), nil
}

// CountEncodings counts vectors; see corpus.Encodings.
func (s *encodings) CountEncodings(ctx context.Context, model string, languages corpus.Languages) (done, total int, err error) {
	args, err := languageArgs(languages)
	if err != nil {
		return 0, 0, fail("count encodings by "+model, err)
	}
	err = s.reader.QueryRowContext(ctx, `SELECT count(e.chunk_id), count(*) FROM document d CROSS JOIN chunk c ON c.document_id = d.id
		LEFT JOIN encoding e ON e.chunk_id = c.id AND e.model = ? WHERE `+languageCondition,
		append([]any{store.Text(model)}, args...)...).Scan(&done, &total)
	return done, total, fail("count encodings by "+model, err)
}

// LeaseEncoder takes or extends a lease; see corpus.Encodings.
func (s *encodings) LeaseEncoder(ctx context.Context, model, owner string, now, until time.Time) (ok bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		result, err := w.exec(ctx, `INSERT INTO encoder (model, revision, lease_owner, lease_until) VALUES (?, 0, ?, ?)
			ON CONFLICT (model) DO UPDATE SET lease_owner = excluded.lease_owner, lease_until = excluded.lease_until
			WHERE encoder.lease_owner = excluded.lease_owner OR encoder.lease_until <= ?`,
			store.Text(model), store.Text(owner), until.UnixMicro(), now.UnixMicro())
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		ok = n > 0
		return err
	})
	return ok && err == nil, fail("lease encoder "+model, err)
}
