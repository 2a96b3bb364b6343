package sql

import (
	"context"
	"fmt"
	"strings"

	"docent/store"
)

// placed is a document with its collection.
type placed struct {
	id                        int64
	source, title, collection string
}

// Move moves documents to a collection, and returns the ids of those that were elsewhere. The caller gives these a new
// revision in the same transaction. See corpus.Mover.
func Move(ctx context.Context, tx Tx, ids []int64, collection string) ([]int64, error) {
	var target int64
	// The lock keeps the collection.
	if err := row(ctx, tx, `SELECT id FROM collection WHERE name = $1 FOR SHARE`, store.Text(collection)).Scan(&target); err != nil {
		return nil, missing(err, store.NoCollection(collection))
	}
	found, err := list(ctx, tx, func(row Row) (d placed, err error) {
		err = row.Scan(&d.id, &d.source, &d.title, &d.collection)
		return d, err
	}, `SELECT id, source, title, (SELECT name FROM collection WHERE id = document.collection_id) FROM document
		WHERE id IN (SELECT unnest($1::bigint[])) AND collection_id <> $2 ORDER BY id FOR UPDATE`, ids, target)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if err := checkSources(ctx, tx, found); err != nil {
		return nil, err
	}
	if err := checkTwins(ctx, tx, found, target, collection); err != nil {
		return nil, err
	}
	moved := make([]int64, len(found))
	for i, d := range found {
		moved[i] = d.id
	}
	_, err = tx.Exec(ctx, `UPDATE document SET collection_id = $2 WHERE id IN (SELECT unnest($1::bigint[]))`, moved, target)
	return moved, err
}

// checkSources fails if a source keeps one of the documents in sync. The next sync would add it again.
func checkSources(ctx context.Context, tx Tx, documents []placed) error {
	var names []string
	for _, d := range documents {
		file, _, part := strings.Cut(d.source, "#")
		if names = append(names, d.source); part {
			names = append(names, file)
		}
	}
	type item struct{ document, collection string }
	sources := map[item]string{}
	if _, err := list(ctx, tx, func(row Row) (struct{}, error) {
		var it item
		var name string
		err := row.Scan(&it.document, &it.collection, &name)
		sources[it] = name
		return struct{}{}, err
	}, `SELECT i.document, s.collection, s.name FROM source_item i JOIN source s ON s.id = i.source_id
		WHERE i.document IN (SELECT unnest($1::text[]))`, names); err != nil {
		return fmt.Errorf("look for sources: %w", err)
	}
	for _, d := range documents {
		file, _, _ := strings.Cut(d.source, "#")
		for _, document := range []string{d.source, file} {
			if name, ok := sources[item{document, d.collection}]; ok {
				return store.DocumentOfSource(d.title, name)
			}
		}
	}
	return nil
}

// checkTwins fails if two of the documents, or one of them and one of the target, have the same source.
func checkTwins(ctx context.Context, tx Tx, documents []placed, target int64, collection string) error {
	var names []string
	seen := map[string]bool{}
	for _, d := range documents {
		if seen[d.source] {
			return store.DocumentTwin(collection, d.source)
		}
		seen[d.source] = true
		names = append(names, d.source)
	}
	twins, err := list(ctx, tx, scanText,
		`SELECT source FROM document WHERE collection_id = $2 AND source IN (SELECT unnest($1::text[])) ORDER BY id LIMIT 1`, names, target)
	if err == nil && len(twins) > 0 {
		err = store.DocumentTwin(collection, twins[0])
	}
	return err
}
