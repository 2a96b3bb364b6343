package sql

import (
	"context"
	"slices"

	"docent/rag/corpus"
	"docent/store"
)

var _ corpus.Tagger = Store{}

// TagDocuments changes the tags of documents; see corpus.Tagger.
func (s documents) TagDocuments(ctx context.Context, ids []int64, add, remove []string) (int, error) {
	var lists [][]any
	err := s.db.Write(ctx, func(ctx context.Context, tx Tx) error {
		lists = nil
		type tagged struct {
			id   int64
			tags string
		}
		found, err := list(ctx, tx, func(row Row) (t tagged, err error) {
			err = row.Scan(&t.id, &t.tags)
			return t, err
		}, `SELECT id, own_tags FROM document WHERE id IN (SELECT unnest($1::bigint[])) ORDER BY id FOR UPDATE`, ids)
		if err != nil {
			return err
		}
		for _, t := range found {
			tags := slices.DeleteFunc(append(store.TagList(t.tags), add...), func(tag string) bool { return slices.Contains(remove, tag) })
			lists = append(lists, []any{t.id, store.TagText(corpus.CleanTags(tags))})
		}
		return tx.ExecAll(ctx, `UPDATE document SET own_tags = $2 WHERE id = $1`, lists)
	})
	return len(lists), s.db.Fail("tag documents", err)
}
