package sql

import (
	"cmp"
	"context"
	"strings"

	"docent/rag/corpus"
)

// Facets counts documents by their properties; see corpus.Library.
func (s documents) Facets(ctx context.Context, collections []string) (f corpus.Facets, err error) {
	f, err = counted(ctx, s, &s.counts.facets, collections, s.facets)
	return f, s.db.Fail("count documents by their properties", err)
}

// property is a media type or a language with the number of documents.
type property struct {
	mediaType, language string
	documents           int
}

// facets counts documents in one pass over an index.
func (s documents) facets(ctx context.Context, collections []string) (f corpus.Facets, err error) {
	var p parameters
	where := p.filter(corpus.DocumentFilter{Collections: collections})
	all, err := list(ctx, s.db, func(row Row) (c property, err error) {
		err = row.Scan(&c.mediaType, &c.language, &c.documents)
		return c, err
	}, `SELECT d.media_type, d.language, count(*) FROM document d WHERE `+where+` GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`, p...)
	types, languages := placeCounts{}, placeCounts{}
	for _, c := range all {
		mediaType, _, _ := strings.Cut(c.mediaType, ";")
		types.add(mediaType, c.documents)
		languages.add(cmp.Or(c.language, corpus.UnknownLanguage), c.documents)
	}
	most := corpus.PlaceFilter{Limit: corpus.MostPlaces}
	return corpus.Facets{Types: types.most(most), Languages: languages.most(most)}, err
}
