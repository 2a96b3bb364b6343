package ingesttest

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/internal/storetest"
	"docent/rag/corpus"
)

// documentOrders checks that pages of any size, in each order and both
// directions, together are the whole list. That holds too if the document of a
// cursor is removed.
func documentOrders(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	titles := []string{
		"b", "Über", "a", "", "B", "übe", "日本", "a", strings.Repeat("ü", 300) + "1", strings.Repeat("Ü", 300) + "0", "😀 x", "B\x00\xff",
	}
	var ids []int64
	for i, title := range titles {
		p := put(fmt.Sprintf("/Ö%d😀", i), "w", 0)
		p.Document.Title, p.Document.Size = title, []int64{3, 1 << 40, 0}[i%3]
		p.Document.Date = []time.Time{{}, time.Date(1851, 10, 18, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 12, 23, 59, 59, 0, time.UTC)}[i/2%3]
		ids = append(ids, store(t, s, p)...)
	}
	again := put("/Ö2😀", "changed", 0) // the third is the newest change
	again.Document.Title, again.Document.Size = titles[2], 1<<40
	store(t, s, again)
	all, err := s.Documents(ctx, corpus.DocumentFilter{})
	storetest.OK(t, err)
	compare := map[corpus.DocumentOrder]func(a, b corpus.Document) int{
		corpus.ByID: func(_, _ corpus.Document) int { return 0 },
		corpus.ByTitle: func(a, b corpus.Document) int {
			return strings.Compare(titleKey(a.Title), titleKey(b.Title))
		},
		corpus.BySize:    func(a, b corpus.Document) int { return cmp.Compare(a.Size, b.Size) },
		corpus.ByDate:    func(a, b corpus.Document) int { return a.Date.Compare(b.Date) },
		corpus.ByUpdated: func(a, b corpus.Document) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
	}
	for order, compare := range compare {
		for _, descending := range []bool{false, true} {
			sorted := slices.SortedFunc(slices.Values(all), func(a, b corpus.Document) int {
				return cmp.Or(compare(a, b), cmp.Compare(a.ID, b.ID))
			})
			if descending {
				slices.Reverse(sorted)
			}
			for _, limit := range []int{1, 5, 100} {
				filter := corpus.DocumentFilter{Order: order, Descending: descending, Limit: limit}
				var got []corpus.Document
				for page, err := range documentPages(t, s, filter) {
					storetest.OK(t, err)
					got = append(got, page...)
				}
				storetest.Want(t, fmt.Sprintf("by %q, descending %v, in pages of %d", order, descending, limit), got, sorted)
			}
		}
	}
	newest, err := s.Documents(ctx, corpus.DocumentFilter{Order: corpus.ByUpdated, Descending: true, Limit: 1})
	storetest.OK(t, err)
	storetest.Want(t, "last changed", newest[0].ID, ids[2])
	last := newest[0]
	_, err = s.RemoveDocuments(ctx, []int64{last.ID})
	storetest.OK(t, err)
	rest, err := s.Documents(ctx, corpus.DocumentFilter{Order: corpus.ByUpdated, Descending: true, Past: &last, Match: "/ö"})
	storetest.OK(t, err)
	storetest.Want(t, "after one that is gone", len(rest), len(titles)-1)
}

// titleKey returns the part of a stored title that lists are ordered by.
func titleKey(title string) string {
	letters := []rune(strings.ToLower(title))
	return string(letters[:min(len(letters), 200)])
}

// documentPages returns the pages of a list.
func documentPages(t *testing.T, s Store, filter corpus.DocumentFilter) iter.Seq2[[]corpus.Document, error] {
	return func(yield func([]corpus.Document, error) bool) {
		for {
			page, err := s.Documents(t.Context(), filter)
			if len(page) == 0 || !yield(page, err) {
				if err != nil {
					yield(nil, err)
				}
				return
			}
			filter.Past = &page[len(page)-1]
		}
	}
}
