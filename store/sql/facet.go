package sql

import (
	"context"

	"docent/rag/corpus"
)

// Facets counts documents by their properties; see corpus.Library.
func (s documents) Facets(ctx context.Context, collections []string) (f corpus.Facets, err error) {
	if f.Types, err = s.counts(ctx, collections, mediaType); err == nil {
		f.Languages, err = s.counts(ctx, collections, `CASE d.language WHEN '' THEN '`+corpus.UnknownLanguage+`' ELSE d.language END`)
	}
	return f, s.db.Fail("count documents by their properties", err)
}

// counts counts documents by an expression.
func (s documents) counts(ctx context.Context, collections []string, by string) ([]corpus.PlaceCount, error) {
	var p parameters
	where := p.filter(corpus.DocumentFilter{Collections: collections})
	return list(ctx, s.db, func(row Row) (c corpus.PlaceCount, err error) {
		err = row.Scan(&c.Name, &c.Documents)
		return c, err
	}, `SELECT `+by+`, count(*) FROM document d JOIN collection k ON k.id = d.collection_id
		WHERE `+where+` GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT `+p.add(corpus.MostPlaces), p...)
}
