package sql

import (
	"context"
	"slices"
	"strings"
	"sync"

	"docent/rag/corpus"
)

// libraryCounts keeps numbers of documents until the library changes: it takes about a second to count 100,000.
type libraryCounts struct {
	facets      counts[corpus.Facets]
	places      counts[placesCounted]
	within      counts[[]int64] // at most corpus.MaxWithin+1 each
	collections counts[map[string]collectionCount]
}

// counts keeps results by the names of the collections. All have the same revision of the corpus. It is safe for concurrent use.
type counts[T any] struct {
	mu       sync.Mutex
	revision int64
	kept     map[string]T
}

// maxCounts bounds the results: people with different rights count different collections.
const maxCounts = 64

// of returns the result of a revision, if it is kept.
func (c *counts[T]) of(revision int64, key string) (kept T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.revision != revision {
		return kept, false
	}
	kept, ok = c.kept[key]
	return kept, ok
}

// keep keeps a result of a revision.
func (c *counts[T]) keep(revision int64, key string, result T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || c.revision != revision || len(c.kept) >= maxCounts {
		c.revision, c.kept = revision, map[string]T{}
	}
	c.kept[key] = result
}

// counted returns the kept result for collections, or counts again after a change of the library. nil collections are all. Callers must
// not change the result.
func counted[T any](
	ctx context.Context, s documents, c *counts[T], collections []string, count func(context.Context, []string) (T, error),
) (result T, err error) {
	key := "all"
	if collections != nil {
		names := slices.Sorted(slices.Values(collections))
		key = "\x00" + strings.Join(names, "\x00")
	}
	var revision int64 // read before, so that a later change counts again
	if err := row(ctx, s.db, `SELECT revision FROM corpus`).Scan(&revision); err != nil {
		return result, err
	}
	if kept, ok := c.of(revision, key); ok {
		return kept, nil
	}
	if result, err = count(ctx, collections); err == nil {
		c.keep(revision, key, result)
	}
	return result, err
}
