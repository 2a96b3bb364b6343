package sql

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"docent/rag/corpus"
	"docent/store"
)

// placesCounted are the numbers of documents in folders and with tags.
type placesCounted struct{ folders, tags placeCounts }

// Places lists folders and tags; see corpus.PlaceCounter.
func (s documents) Places(ctx context.Context, filter corpus.PlaceFilter) (folders, tags []corpus.PlaceCount, err error) {
	all, err := counted(ctx, s, &s.counts.places, filter.Collections, s.places)
	return all.folders.most(filter), all.tags.most(filter), s.db.Fail("count documents of folders and tags", err)
}

// places counts documents in folders and with tags.
func (s documents) places(ctx context.Context, collections []string) (placesCounted, error) {
	out := placesCounted{placeCounts{}, placeCounts{}}
	err := s.eachPlace(ctx, collections, `d.folder, '', ''`, func(folder, _, _ string, documents int) {
		for folder != "" {
			out.folders.add(folder, documents)
			folder = folder[:max(0, strings.LastIndexByte(folder, '/'))]
		}
	})
	if err == nil {
		err = s.eachPlace(ctx, collections, `'', d.tags, d.own_tags`, func(_, stated, own string, documents int) {
			for _, tag := range corpus.CleanTags(append(store.TagList(stated), store.TagList(own)...)) {
				out.tags.add(tag, documents)
			}
		})
	}
	return out, err
}

// eachPlace calls f with each combination of some columns, and the number of its documents.
func (s documents) eachPlace(
	ctx context.Context, collections []string, columns string, f func(folder, tags, own string, documents int),
) error {
	var p parameters
	where := p.filter(corpus.DocumentFilter{Collections: collections, Status: corpus.Ready})
	rows, err := s.db.Query(ctx, `SELECT `+columns+`, count(*) FROM document d
		WHERE `+where+` GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3`, p...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var folder, tags, own string
		var documents int
		if err := rows.Scan(&folder, &tags, &own, &documents); err != nil {
			return err
		}
		f(folder, tags, own, documents)
	}
	return rows.Err()
}

// placeCounts are numbers of documents by folder or tag.
type placeCounts map[string]int

// add counts documents. Beyond corpus.MostPlaces, it ignores new names.
func (c placeCounts) add(name string, documents int) {
	if _, ok := c[name]; ok || len(c) < corpus.MostPlaces {
		c[name] += documents
	}
}

// most returns the matching names, those with the most documents first.
func (c placeCounts) most(filter corpus.PlaceFilter) []corpus.PlaceCount {
	match := store.Fold(filter.Match)
	out := make([]corpus.PlaceCount, 0, min(len(c), filter.Limit))
	names := slices.SortedFunc(maps.Keys(c), func(a, b string) int { return cmp.Or(cmp.Compare(c[b], c[a]), cmp.Compare(a, b)) })
	for _, name := range names {
		if len(out) == filter.Limit {
			break
		}
		if strings.Contains(store.Fold(name), match) {
			out = append(out, corpus.PlaceCount{Name: name, Documents: c[name]})
		}
	}
	return out
}
