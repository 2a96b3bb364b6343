package pgvector

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"docent/index"
	"docent/index/pgfollow"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Apply implements pgfollow.Step. It replaces the entries of changed documents.
func (t tables) Apply(ctx context.Context, tx pgx.Tx, changes []corpus.Change) error {
	documents, collections := make([]int64, len(changes)), make([]string, len(changes))
	var entries []retrieve.Entry
	for i := range changes {
		d := &changes[i].Document
		documents[i], collections[i] = d.ID, d.Collection
		for n := range changes[i].Chunks {
			c := &changes[i].Chunks[n]
			entries = append(entries, retrieve.Entry{
				ID: c.ID, DocumentID: d.ID, Collection: d.Collection, Source: d.Source, Ordinal: c.Ordinal, Vector: changes[i].Vectors[n],
			})
		}
	}
	if err := t.replace(ctx, tx, "document_id", documents, entries); err != nil {
		return err
	}
	return replaceEncoded(ctx, tx, documents, collections)
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
		if index.Usable(e.Vector, x.cfg.Dimensions) == nil {
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
		if err := pgfollow.LockTables(ctx, tx); err != nil {
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
