package eval

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docent/rag/corpus"
)

// maxPage is the number of documents that are listed at a time.
const maxPage = 1000

// Documents lists documents. corpus.Library implements it.
type Documents interface {
	// Documents lists documents without Text.
	Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error)
}

// Missing is a question whose evidence names files that are not among the documents.
type Missing struct {
	// Question is the question.
	Question *Question
	// Files are the names of these files, in the order of the question.
	Files []string
	// All reports that no piece of the evidence, and no other correct passage, is among the documents. Retrieval cannot find
	// any of it.
	All bool
}

// MissingFiles returns the questions whose evidence or other passages name files that are not among the documents.
func MissingFiles(ctx context.Context, documents Documents, questions []Question) ([]Missing, error) {
	absent := map[string]bool{}
	for i := range questions {
		for _, e := range questions[i].passages() {
			absent[e.File] = true
		}
	}
	filter := corpus.DocumentFilter{Limit: maxPage}
	for len(absent) > 0 {
		page, err := documents.Documents(ctx, filter)
		if err != nil {
			return nil, fmt.Errorf("list documents: %w", err)
		}
		if len(page) == 0 {
			break
		}
		for _, d := range page {
			maps.DeleteFunc(absent, func(file string, _ bool) bool { return sameFile(d.Source, file) })
		}
		filter.After = page[len(page)-1].ID
	}
	var out []Missing
	for i := range questions {
		m, all := Missing{Question: &questions[i]}, questions[i].passages()
		left := slices.DeleteFunc(all, func(e Evidence) bool {
			if absent[e.File] && !slices.Contains(m.Files, e.File) {
				m.Files = append(m.Files, e.File)
			}
			return absent[e.File]
		})
		if m.All = len(left) == 0; len(m.Files) > 0 {
			out = append(out, m)
		}
	}
	return out, nil
}

// passages returns the evidence and the other correct passages.
func (q *Question) passages() []Evidence { return slices.Concat(q.Evidence, q.Also) }
