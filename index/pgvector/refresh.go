package pgvector

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/index"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

const (
	// batchChunks is the approximate number of chunks that are written at a time.
	batchChunks = 512
	// commitChunks is the approximate number of chunks in a transaction.
	commitChunks = 8192
	// logEvery is the interval of messages about progress.
	logEvery = 10 * time.Second
)

// Refresh applies all changes of the corpus to the index. If the index is empty or
// belongs to another database, it reads the whole corpus. If another process
// refreshes the index, it waits.
func (x *Index) Refresh(ctx context.Context) error {
	x.refreshing.Lock()
	defer x.refreshing.Unlock()
	next := time.Now().Add(logEvery)
	for {
		done, err := x.step(ctx)
		if err != nil {
			return x.cfg.Fail("refresh the index in PostgreSQL", err)
		}
		if done.all {
			break
		}
		if time.Now().After(next) {
			next = time.Now().Add(logEvery)
			x.cfg.Log.Info("building the index in PostgreSQL", "revision", done.revision, "of", done.of, "passages", done.vectors)
		}
	}
	return x.cfg.Fail("build the HNSW index in PostgreSQL", x.entries().buildHNSW(ctx))
}

// progress is the state after a step.
type progress struct {
	all                   bool
	revision, of, vectors int64
}

// step applies the next changes in one transaction. The lock on the row of
// pgvector_index makes processes take turns.
func (x *Index) step(ctx context.Context) (p progress, err error) {
	err = pgx.BeginFunc(ctx, x.cfg.Pool, func(tx pgx.Tx) error {
		p, err = x.lockState(ctx, tx)
		if err != nil || p.all {
			return err
		}
		var batch []corpus.Change
		count := &counts{byToken: map[int32]int64{}, words: newWordCounts()}
		since, last, chunks, pending := p.revision, p.revision, 0, 0
		p.all = true
		for change, err := range x.cfg.Corpus.Changes(ctx, since, x.cfg.Embedder) {
			if err != nil {
				return fmt.Errorf("changes since %d: %w", since, err)
			}
			batch, last = append(batch, change), max(last, change.Revision)
			chunks, pending = chunks+len(change.Chunks), pending+len(change.Chunks)
			if pending >= batchChunks {
				if err := x.apply(ctx, tx, batch, count); err != nil {
					return err
				}
				batch, pending = batch[:0], 0
			}
			// Two documents may share a revision, and the second may still follow. The next step therefore reads the last
			// revision again.
			if chunks >= commitChunks && last-1 > since {
				p.all = false
				break
			}
		}
		if err := x.apply(ctx, tx, batch, count); err != nil {
			return err
		}
		if err := count.write(ctx, tx); err != nil {
			return err
		}
		if p.revision = last - 1; p.all {
			p.revision = max(last, p.of)
		}
		return tx.QueryRow(ctx, `UPDATE pgvector_index SET revision = $1 RETURNING vectors`, p.revision).Scan(&p.vectors)
	})
	return p, err
}

// lockState locks and reads the state of the index. If the state is that of
// another database or of a later revision, it empties the index.
func (x *Index) lockState(ctx context.Context, tx pgx.Tx) (p progress, err error) {
	var database, embedder string
	err = tx.QueryRow(ctx, `SELECT database_id, embedder, revision, vectors FROM pgvector_index FOR UPDATE`).
		Scan(&database, &embedder, &p.revision, &p.vectors)
	if err != nil {
		return p, err
	}
	if embedder != x.cfg.Embedder {
		return p, otherModel(embedder)
	}
	now, err := x.cfg.Corpus.Revision(ctx)
	if err != nil {
		return p, err
	}
	p.of = now.Number
	if database != now.Database || p.revision > now.Number {
		if database != "" {
			x.cfg.Log.Warn("the corpus is another one than before: building the index in PostgreSQL again")
		}
		if _, err := tx.Exec(ctx, `TRUNCATE `+tables); err != nil {
			return p, err
		}
		p.revision, p.vectors = 0, 0
		_, err := tx.Exec(ctx, `WITH encoders AS (UPDATE pgvector_encoder SET revision = 0, vectors = 0)
			UPDATE pgvector_index SET database_id = $1, revision = 0, vectors = 0, chunks = 0, tokens = 0`, now.Database)
		if err != nil {
			return p, err
		}
	}
	p.all = p.revision == now.Number
	return p, nil
}

// otherModel is the error of an index that another process has built for a model.
func otherModel(embedder string) error {
	return fault.New(fault.Conflict, "pgvector_other_model",
		"another process uses the index in PostgreSQL with the embedding model %s; run all processes with the same model", embedder)
}

// apply replaces the entries and rows of changed documents.
func (x *Index) apply(ctx context.Context, tx pgx.Tx, changes []corpus.Change, c *counts) error {
	if len(changes) == 0 {
		return nil
	}
	documents := make([]int64, len(changes))
	var entries []retrieve.Entry
	for i := range changes {
		documents[i] = changes[i].Document.ID
		entries = append(entries, entriesOf(&changes[i])...)
	}
	if err := x.replace(ctx, tx, "document_id", documents, entries); err != nil {
		return err
	}
	if err := x.replaceWords(ctx, tx, documents, entries, c.words); err != nil {
		return err
	}
	if err := dropEncoded(ctx, tx, documents); err != nil {
		return err
	}
	return x.replaceRows(ctx, tx, changes, c)
}

// replace deletes the entries whose column has one of the ids, and adds others.
// It ignores entries without a usable vector.
func (x *Index) replace(ctx context.Context, tx pgx.Tx, column string, gone []int64, entries []retrieve.Entry) error {
	var batch pgx.Batch
	batch.Queue(`WITH gone AS (DELETE FROM pgvector_entry WHERE `+column+` = ANY ($1) RETURNING 1)
		UPDATE pgvector_index SET vectors = vectors - (SELECT count(*) FROM gone)`, gone)
	var ids, documents []int64
	var ordinals []int32
	var collections, sources, vectors []string
	for i := range entries {
		e := &entries[i]
		if len(e.Vector) == 0 {
			continue
		}
		if x.usable(e.Vector) == nil {
			x.cfg.Log.Warn("a stored vector cannot be used", "chunk", e.ID, "dimensions", len(e.Vector), "want", x.cfg.Dimensions)
			continue
		}
		vector := index.Unit(e.Vector)
		if vector == nil { // it is zero
			continue
		}
		ids, documents, ordinals = append(ids, e.ID), append(documents, e.DocumentID), append(ordinals, int32(e.Ordinal))
		collections, sources, vectors = append(collections, e.Collection), append(sources, e.Source), append(vectors, format(vector))
	}
	if len(ids) > 0 {
		batch.Queue(`WITH added AS (INSERT INTO pgvector_entry (chunk_id, document_id, collection, source, ordinal, vector)
				SELECT n.id, n.document, n.collection, n.source, n.ordinal, n.vector::vector
				FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::integer[], $6::text[])
					AS n (id, document, collection, source, ordinal, vector) RETURNING 1)
			UPDATE pgvector_index SET vectors = vectors + (SELECT count(*) FROM added)`, ids, documents, collections, sources, ordinals, vectors)
	}
	return tx.SendBatch(ctx, &batch).Close()
}

// buildHNSW builds the HNSW index if it is missing and searches need it.
func (x vectors) buildHNSW(ctx context.Context) error {
	if !x.indexable() {
		return nil
	}
	missing := `SELECT vectors FROM ` + x.state + ` WHERE vectors > $1 AND to_regclass('` + x.hnsw() + `') IS NULL`
	var count int64
	rows, err := x.index.cfg.Pool.Query(ctx, missing, x.index.cfg.Exact)
	if err != nil {
		return err
	}
	if found, err := pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil || len(found) == 0 {
		return err
	}
	return pgx.BeginFunc(ctx, x.index.cfg.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lock); err != nil {
			return err
		}
		found, err := tx.Query(ctx, missing, x.index.cfg.Exact)
		if err != nil {
			return err
		}
		if _, err := pgx.ForEachRow(found, []any{&count}, func() error { return nil }); err != nil || count == 0 {
			return err // another process has built it
		}
		began := time.Now()
		x.index.cfg.Log.Info("building the HNSW index in PostgreSQL", "model", x.model, "passages", count)
		key, operators := x.key()
		if _, err := tx.Exec(ctx, `CREATE INDEX `+x.hnsw()+` ON `+x.table+` USING hnsw (`+key+` `+operators+`)`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `ANALYZE `+x.table); err != nil {
			return err
		}
		x.index.cfg.Log.Info("built the HNSW index in PostgreSQL",
			"model", x.model, "passages", count, "seconds", int(time.Since(began).Seconds()))
		return nil
	})
}

func zero(v []float32) bool { return !slices.ContainsFunc(v, func(f float32) bool { return f != 0 }) }

// format writes a vector as pgvector reads it.
func format(v []float32) string {
	b := make([]byte, 0, 12*len(v))
	b = append(b, '[')
	for i, f := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(f), 'g', -1, 32)
	}
	return string(append(b, ']'))
}
