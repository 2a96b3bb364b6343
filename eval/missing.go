package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/rag/corpus"
)

// maxPage is the number of documents that are listed at a time.
const maxPage = 1000

// Documents reads documents. corpus.Library implements it.
type Documents interface {
	// Documents lists documents without Text.
	Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error)
	// Document returns one document with its Text.
	Document(ctx context.Context, id int64) (corpus.Document, error)
	// DocumentChunks returns up to limit chunks of a document, after an ordinal.
	DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error)
}

// Missing is a question with evidence that the documents lack.
type Missing struct {
	// Question is the question.
	Question *Question
	// Files are the named files that are not among the documents, in the order of the question.
	Files []string
	// Quotes are the pieces that no document of their file has, in the order of the question. Their files are not in Files.
	Quotes []Evidence
	// All reports that the files of all evidence, and of all other correct passages, are missing. Retrieval cannot find any of it.
	All bool
}

// Warnings returns sentences about the missing files and quotes.
func (m Missing) Warnings() []string {
	var out []string
	if len(m.Files) > 0 {
		out = append(out, "no document is named "+strings.Join(m.Files, ", "))
	}
	for _, e := range m.Quotes {
		out = append(out, fmt.Sprintf("%s does not have the quote %.*q", e.File, maxShown, e.Quote))
	}
	for i, w := range out {
		out[i] = fmt.Sprintf("question %s (line %d): %s", m.Question.ID, m.Question.Line, w)
	}
	return out
}

// maxShown limits the quotes in warnings, in characters.
const maxShown = 60

// MissingEvidence returns the questions whose evidence or other passages are missing: their files, or the quotes in them.
func MissingEvidence(ctx context.Context, documents Documents, questions []Question) ([]Missing, error) {
	absent, open := map[string]bool{}, map[string][]quote{} // files without a document, and quotes not yet found by file
	for i := range questions {
		for _, e := range questions[i].passages() {
			absent[e.File] = true
			open[e.File] = append(open[e.File], newQuote(e))
		}
	}
	filter := corpus.DocumentFilter{Limit: maxPage}
	for len(open) > 0 {
		page, err := documents.Documents(ctx, filter)
		if err != nil {
			return nil, fmt.Errorf("list documents: %w", err)
		}
		if len(page) == 0 {
			break
		}
		for _, d := range page {
			if err := find(ctx, documents, d, absent, open); err != nil {
				return nil, err
			}
		}
		filter.After = page[len(page)-1].ID
	}
	var out []Missing
	for i := range questions {
		if m := missing(&questions[i], absent, open); len(m.Files)+len(m.Quotes) > 0 {
			out = append(out, m)
		}
	}
	return out, nil
}

// find removes the files and quotes of a document from absent and open.
func find(ctx context.Context, documents Documents, d corpus.Document, absent map[string]bool, open map[string][]quote) error {
	for file, quotes := range open {
		if !sameFile(d.Source, file) {
			continue
		}
		delete(absent, file)
		left, err := without(ctx, documents, d, quotes)
		if err != nil {
			return fmt.Errorf("read %s: %w", d.Source, err)
		}
		if open[file] = left; len(left) == 0 {
			delete(open, file)
		}
	}
	return nil
}

// without returns the quotes that a document does not have, neither in its text nor in a passage with other words between.
func without(ctx context.Context, documents Documents, d corpus.Document, quotes []quote) ([]quote, error) {
	full, err := documents.Document(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	text := newPassage(d.Source, full.Text).text
	left := slices.DeleteFunc(quotes, func(q quote) bool { return strings.Contains(text, q.text) })
	for after := -1; len(left) > 0; {
		chunks, err := documents.DocumentChunks(ctx, d.ID, after, maxPage)
		if err != nil {
			return nil, err
		}
		if len(chunks) == 0 {
			break
		}
		for _, c := range chunks {
			p := newPassage(d.Source, c.Text)
			left = slices.DeleteFunc(left, p.has)
		}
		after = chunks[len(chunks)-1].Ordinal
	}
	return left, nil
}

// missing returns the missing files and quotes of a question.
func missing(question *Question, absent map[string]bool, open map[string][]quote) Missing {
	m := Missing{Question: question, All: true}
	for _, e := range question.passages() {
		switch {
		case !absent[e.File]:
			m.All = false
			if text := newQuote(e).text; slices.ContainsFunc(open[e.File], func(q quote) bool { return q.text == text }) {
				m.Quotes = append(m.Quotes, e)
			}
		case !slices.Contains(m.Files, e.File):
			m.Files = append(m.Files, e.File)
		}
	}
	return m
}

// passages returns the evidence and the other correct passages.
func (q *Question) passages() []Evidence { return slices.Concat(q.Evidence, q.Also) }
