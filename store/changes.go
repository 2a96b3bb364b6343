package store

import "docent/rag/corpus"

// Changes implements Corpus.Changes. It merges removals with pages of documents;
// both are ordered by revision. next returns the first page of documents that
// changed after a revision. An empty page is the last.
func Changes(
	since int64, removals []corpus.Change, next func(after int64) ([]corpus.Change, error), yield func(corpus.Change, error) bool,
) {
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

// CutPage shortens a page of changes to about ChangesChunks chunks. It uses the
// chunk counts of the documents, before the chunks themselves are read.
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

// Unique keeps only the last put for each source, in the original order. at
// holds, for each put, the index of its source in unique.
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

// InOrder returns the passages in the order of ids. It skips ids without a
// passage.
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

// Keys returns the non-empty keys.
func Keys(keys []string) []string {
	out := keys[:0:0]
	for _, k := range keys {
		if k != "" {
			out = append(out, k)
		}
	}
	return out
}
