package store

import "docent/rag/corpus"

// Changes yields what a Corpus' Changes yields, from two sources both ordered
// by revision: removals, and documents that come page by page. next returns the
// documents changed after a revision, none when there are no more.
func Changes(since int64, removals []corpus.Change, next func(after int64) ([]corpus.Change, error), yield func(corpus.Change, error) bool) {
	for {
		page, err := next(since)
		if err != nil {
			yield(corpus.Change{}, err)
			return
		}
		if len(page) == 0 {
			break
		}
		for _, c := range page {
			for len(removals) > 0 && removals[0].Revision < c.Revision {
				if !yield(removals[0], nil) {
					return
				}
				removals = removals[1:]
			}
			if !yield(c, nil) {
				return
			}
			since = c.Revision
		}
	}
	for _, r := range removals {
		if !yield(r, nil) {
			return
		}
	}
}

// CutPage shortens a page of changes, whose documents are known and whose
// chunks are yet to be read, to about ChangesChunks chunks.
func CutPage(page []corpus.Change) []corpus.Change {
	chunks := 0
	for i := range page {
		chunks += page[i].Document.Chunks
		if chunks > ChangesChunks && i > 0 {
			return page[:i]
		}
	}
	return page
}

// Unique leaves only the last put of each source, in order; at has the index of
// each put's source among them.
func Unique[P any](puts []P, key func(P) string) (unique []P, at []int) {
	seen := make(map[string]int, len(puts))
	at = make([]int, len(puts))
	for i, p := range puts {
		k := key(p)
		n, ok := seen[k]
		if !ok {
			n = len(unique)
			seen[k] = n
			unique = append(unique, p)
		}
		unique[n], at[i] = p, n
	}
	return unique, at
}

// InOrder arranges passages as their ids were asked for and leaves out the ids
// that were not found.
func InOrder(ids []int64, found []corpus.Passage) []corpus.Passage {
	at := make(map[int64]int, len(found))
	for i, p := range found {
		at[p.ID] = i
	}
	out := make([]corpus.Passage, 0, len(ids))
	for _, id := range ids {
		if i, ok := at[id]; ok {
			out = append(out, found[i])
		}
	}
	return out
}

// Keys leaves out what names nothing.
func Keys(keys []string) []string {
	out := keys[:0:0]
	for _, k := range keys {
		if k != "" {
			out = append(out, k)
		}
	}
	return out
}
