package pgvector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/index"
	"docent/index/pgfollow"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// encoderTables have the vectors of encoders for searches. Each encoder has a partition
// of pgvector_encoded, and a row of pgvector_encoder with its state: the revision of the
// table encoder, and the number of rows. A zero vector is NULL.
var encoderTables = []string{
	`CREATE TABLE pgvector_encoder (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, model text NOT NULL, format text NOT NULL,
		revision bigint NOT NULL DEFAULT 0, vectors bigint NOT NULL DEFAULT 0, UNIQUE (model, format))`,
	`CREATE TABLE pgvector_encoded (encoder integer NOT NULL, chunk_id bigint NOT NULL, document_id bigint NOT NULL,
		collection text NOT NULL, source text COLLATE "C" NOT NULL, ordinal integer NOT NULL, vector vector,
		PRIMARY KEY (encoder, chunk_id)) PARTITION BY LIST (encoder)`,
	`CREATE INDEX pgvector_encoded_document ON pgvector_encoded (document_id)`,
	`CREATE INDEX pgvector_encoded_collection ON pgvector_encoded (collection)`,
}

// EncoderConfig describes an encoder.
type EncoderConfig struct {
	// Model is the name of the encoder. Required.
	Model string
	// Dimensions is the length of its vectors. Required.
	Dimensions int
	// Languages selects the documents that the encoder takes.
	Languages corpus.Languages
	// Encodings has the vectors of chunks. Required.
	Encodings corpus.Encodings
	// Chunks applies all changes of the corpus, and counts the chunks of documents in
	// some languages. Required.
	Chunks func(ctx context.Context, languages corpus.Languages) (int, error)
}

// Encoder has the vectors of an encoder in the tables of an Index. It is safe for
// concurrent use.
type Encoder struct {
	vectors
	id        int
	languages corpus.Languages
	encodings corpus.Encodings
	chunks    func(ctx context.Context, languages corpus.Languages) (int, error)
}

var _ retrieve.EncoderVectors = (*Encoder)(nil)

// OpenEncoder creates the table of an encoder if it is missing. Call Encoder.Refresh to
// fill it.
func (x *Index) OpenEncoder(ctx context.Context, cfg EncoderConfig) (*Encoder, error) {
	if err := checkDimensions(cfg.Dimensions); err != nil {
		return nil, err
	}
	for name, missing := range map[string]bool{"Encodings": cfg.Encodings == nil, "Chunks": cfg.Chunks == nil} {
		if missing {
			return nil, fault.New(fault.Invalid, "config_pgvector_incomplete", "pgvector: Config.%s is missing", name)
		}
	}
	e := &Encoder{languages: cfg.Languages, encodings: cfg.Encodings, chunks: cfg.Chunks}
	// Processes of different versions may take other languages, so each has its own table.
	format := fmt.Sprintf("%d %t %q", cfg.Dimensions, cfg.Languages.Except, cfg.Languages.Listed)
	err := pgx.BeginFunc(ctx, x.cfg.Pool, func(tx pgx.Tx) error {
		if err := pgfollow.LockTables(ctx, tx); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT id FROM pgvector_encoder WHERE model = $1 AND format = $2`, cfg.Model, format).Scan(&e.id)
		if err == nil || !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if err := tx.QueryRow(ctx, `INSERT INTO pgvector_encoder (model, format) VALUES ($1, $2) RETURNING id`, cfg.Model, format).
			Scan(&e.id); err != nil {
			return err
		}
		queries := []string{fmt.Sprintf(`CREATE TABLE %s PARTITION OF pgvector_encoded FOR VALUES IN (%d)`, e.partition(), e.id)}
		if cfg.Dimensions <= maxInRow {
			queries = append(queries, inRow(e.partition()))
		}
		for _, query := range queries {
			if _, err := tx.Exec(ctx, query); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, x.cfg.Fail("open the vectors of the encoder in PostgreSQL", err)
	}
	state := fmt.Sprintf(`(SELECT model AS embedder, vectors FROM pgvector_encoder WHERE id = %d) AS state`, e.id)
	e.vectors = vectors{x, e.partition(), state, cfg.Model, cfg.Dimensions}
	return e, nil
}

// partition is the name of the table.
func (e *Encoder) partition() string { return fmt.Sprintf("pgvector_encoded_%d", e.id) }

// Nearest implements retrieve.Nearest.
func (e *Encoder) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	return e.nearest(ctx, vector, k, filter)
}

// Vectors implements retrieve.EncoderVectors. It reads the table encoding.
func (e *Encoder) Vectors(ctx context.Context, ids []int64) ([][]float32, error) {
	vectors, err := e.encodings.ReadEncodings(ctx, e.model, ids)
	for i, v := range vectors {
		if len(v) != e.dimensions {
			vectors[i] = nil
		}
	}
	return vectors, err
}

// dequantize decodes a vector of the table encoding, which has an int8 for each element.
// The result has length 1 or is all zeros. It is nil for a vector of another length.
func (e *Encoder) dequantize(stored []byte) []float32 {
	if len(stored) != e.dimensions {
		return nil
	}
	v := make([]float32, len(stored))
	for i, q := range stored {
		v[i] = float32(int8(q))
	}
	if scaled := index.Unit(v); scaled != nil {
		return scaled
	}
	return v
}

// Refresh implements retrieve.EncoderVectors. It also refreshes the Index, which deletes
// the vectors of deleted chunks.
func (e *Encoder) Refresh(ctx context.Context) (done, total int, err error) {
	if err := e.index.Refresh(ctx); err != nil {
		return 0, 0, err
	}
	if err := e.index.follower.Exclusive(func() error { return e.fill(ctx) }); err != nil {
		return 0, 0, err
	}
	if total, err = e.chunks(ctx, e.languages); err != nil {
		return 0, 0, fmt.Errorf("pgvector: count the chunks of the encoder: %w", err)
	}
	err = e.index.cfg.Pool.QueryRow(ctx, `SELECT vectors FROM pgvector_encoder WHERE id = $1`, e.id).Scan(&done)
	return done, total, e.index.cfg.Fail("count the vectors of the encoder in PostgreSQL", err)
}

// fill adds all stored vectors, and builds the HNSW index if searches need it.
func (e *Encoder) fill(ctx context.Context) error {
	next := time.Now().Add(pgfollow.LogEvery)
	for {
		all, count, err := e.step(ctx)
		if err != nil {
			return e.index.cfg.Fail("refresh the vectors of the encoder in PostgreSQL", err)
		}
		if all {
			return e.index.cfg.Fail("build the HNSW index of the encoder in PostgreSQL", e.buildHNSW(ctx))
		}
		if time.Now().After(next) {
			next = time.Now().Add(pgfollow.LogEvery)
			e.index.cfg.Log.Info("filling the vectors of the encoder in PostgreSQL", "model", e.model, "passages", count)
		}
	}
}

// step adds the next stored vectors in one transaction. all reports that none are left,
// and count is the number of vectors. The step holds the lock of Index.step. A document
// that was removed before is therefore no longer in the corpus, and a document that is
// removed later loses its vectors in a later step of the Index.
func (e *Encoder) step(ctx context.Context) (all bool, count int, err error) {
	err = pgx.BeginFunc(ctx, e.index.cfg.Pool, func(tx pgx.Tx) error {
		if _, _, err := e.index.follower.Lock(ctx, tx); err != nil {
			return err
		}
		var revision, stored int64
		// Without statistics, PostgreSQL would read and sort all vectors for each step.
		if err := tx.QueryRow(ctx, `SELECT s.revision, s.vectors, coalesce(e.revision, 0), set_config('jit', 'off', true),
				set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)
			FROM pgvector_encoder s LEFT JOIN encoder e ON e.model = s.model WHERE s.id = $1`, e.id).
			Scan(&revision, &count, &stored, nil, nil, nil); err != nil {
			return err
		}
		if revision == stored {
			all = true
			return nil
		}
		if revision > stored { // the table encoder was emptied
			revision, count = 0, 0
			if _, err := tx.Exec(ctx, `TRUNCATE `+e.table); err != nil {
				return err
			}
		}
		all, revision, count, err = e.add(ctx, tx, revision, count)
		if err != nil {
			return err
		}
		if all { // the last vectors may have been deleted
			revision = max(revision, stored)
		}
		_, err = tx.Exec(ctx, `UPDATE pgvector_encoder SET revision = $2, vectors = $3 WHERE id = $1`, e.id, revision, count)
		return err
	})
	return all, count, err
}

// add adds the vectors of the next revisions. It returns the last revision, and the
// number of all vectors.
func (e *Encoder) add(ctx context.Context, tx pgx.Tx, since int64, count int) (all bool, last int64, total int, err error) {
	rows, err := tx.Query(ctx, `SELECT chunk_id, revision, vector FROM encoding
		WHERE model = $1 AND revision > $2 ORDER BY revision FETCH FIRST $3 ROWS WITH TIES`, e.model, since, pgfollow.CommitChunks)
	if err != nil {
		return false, 0, 0, err
	}
	var ids []int64
	var vectors []*string
	var chunk int64
	var stored []byte
	read, last := 0, since
	if _, err := pgx.ForEachRow(rows, []any{&chunk, &last, &stored}, func() error {
		read++
		v := e.dequantize(stored)
		if v == nil {
			return nil
		}
		var text *string
		if !zero(v) {
			formatted := format(v)
			text = &formatted
		}
		ids, vectors = append(ids, chunk), append(vectors, text)
		return nil
	}); err != nil {
		return false, 0, 0, err
	}
	tag, err := tx.Exec(ctx, `INSERT INTO pgvector_encoded (encoder, chunk_id, document_id, collection, source, ordinal, vector)
		SELECT $1, c.id, d.id, k.name, d.source, c.ordinal, n.vector::vector FROM unnest($2::bigint[], $3::text[]) AS n (id, vector)
			JOIN chunk c ON c.id = n.id JOIN document d ON d.id = c.document_id JOIN collection k ON k.id = d.collection_id
		WHERE (d.language = ANY ($4)) <> $5 ON CONFLICT DO NOTHING`,
		e.id, ids, vectors, append([]string{}, e.languages.Listed...), e.languages.Except)
	return read < pgfollow.CommitChunks, last, count + int(tag.RowsAffected()), err
}

// replaceEncoded deletes the vectors of documents' chunks that no longer exist, and gives the others the collection of
// their document. A document can change and keep its chunks.
func replaceEncoded(ctx context.Context, tx pgx.Tx, documents []int64, collections []string) error {
	var batch pgx.Batch
	batch.Queue(`WITH gone AS (DELETE FROM pgvector_encoded e WHERE document_id = ANY ($1)
				AND NOT EXISTS (SELECT FROM chunk c WHERE c.id = e.chunk_id) RETURNING encoder),
			counted AS (SELECT encoder, count(*) AS chunks FROM gone GROUP BY encoder)
		UPDATE pgvector_encoder SET vectors = vectors - chunks FROM counted WHERE id = encoder`, documents)
	batch.Queue(`UPDATE pgvector_encoded e SET collection = n.collection
		FROM unnest($1::bigint[], $2::text[]) AS n (document, collection)
		WHERE e.document_id = n.document AND e.collection <> n.collection`, documents, collections)
	return tx.SendBatch(ctx, &batch).Close()
}
