package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Approved finds approved answers.
type Approved interface {
	// ApprovedAnswers returns those of some documents that are approved answers.
	ApprovedAnswers(ctx context.Context, documents []int64) ([]rag.Approved, error)
}

// Documents reads documents. corpus.Library implements it. The errors have fault.NotFound for documents that the reader of the context
// may not read.
type Documents interface {
	// Documents lists documents without Text.
	Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error)
	// Document returns a document with its Text.
	Document(ctx context.Context, id int64) (corpus.Document, error)
	// DocumentChunks returns a document's chunks whose ordinal is greater than after, by ordinal.
	DocumentChunks(ctx context.Context, id int64, after, limit int) ([]corpus.Chunk, error)
}

// Limits of the links of an approved answer.
const (
	// maxLinks is the number of links that are shown.
	maxLinks = 20
	// maxPages is the number of pages of chunks that are read to find a passage, and chunkPage their length.
	maxPages, chunkPage = 10, 1000
)

// answerApproved answers with an approved answer, or remembers it as a fallback, if its document is among the results, and one of its
// questions is the question. The search has applied the collections of the request and the rights
// of the reader. The other results stay below the answer.
func answerApproved(ctx context.Context, a *answering) error {
	var documents []int64
	for _, p := range a.out.Passages {
		if strings.HasPrefix(p.Document.Source, rag.ApprovedPrefix) && p.File == 0 && !slices.Contains(documents, p.DocumentID) {
			documents = append(documents, p.DocumentID)
		}
	}
	documents = append(documents, a.found.Fallbacks...)
	if a.replied || len(a.parts) > 0 || a.pipeline.cfg.Approved == nil || len(documents) == 0 {
		return nil
	}
	answers, err := a.pipeline.cfg.Approved.ApprovedAnswers(ctx, documents)
	if err != nil {
		return fmt.Errorf("find approved answers: %w", err)
	}
	for _, id := range documents { // the best result first
		for _, answer := range answers {
			same := func(q string) bool { return text.SameQuestion(q, a.found.Question) }
			switch {
			case answer.Document != id || !slices.ContainsFunc(answer.Questions, same):
			case slices.Contains(a.found.Fallbacks, id):
				a.fallback = &answer
				return nil
			default:
				return approve(ctx, a, answer)
			}
		}
	}
	return nil
}

// approve makes the answer from an approved one. It cites the document of the answer, and the passages below it.
func approve(ctx context.Context, a *answering, answer rag.Approved) error {
	own := func(p rag.Passage) bool { return p.DocumentID == answer.Document }
	first := a.out.Passages[slices.IndexFunc(a.out.Passages, own)]
	linked, err := linkedPassages(ctx, a.pipeline.cfg.Documents, answer, a.req, first.Score)
	if err != nil {
		return err
	}
	known := func(p rag.Passage) bool {
		return own(p) || slices.ContainsFunc(linked, func(l rag.Passage) bool { return l.ID == p.ID && p.File == 0 })
	}
	others := slices.DeleteFunc(slices.Clone(a.out.Passages), known)
	a.out.Passages = slices.Concat([]rag.Passage{first}, linked, others)
	body := strings.TrimSpace(text.ResolveMarkers(answer.Text, 0))
	gap := " "
	if last := body[strings.LastIndexByte(body, '\n')+1:]; strings.HasPrefix(last, "|") || strings.HasPrefix(last, "```") {
		gap = "\n\n"
	}
	a.replied = true
	a.out.Model, a.out.Outcome = rag.Extractive, rag.Answered
	var numbers []int
	var markers strings.Builder
	for i := range 1 + len(linked) {
		numbers = append(numbers, i+1)
		fmt.Fprintf(&markers, "[%d]", i+1)
	}
	a.out.Text, a.out.Sentences = body+gap+markers.String(), nil
	for _, s := range text.Sentences(a.out.Text, false) {
		a.out.Sentences = append(a.out.Sentences, rag.Sentence{Start: s.Start, End: s.End, Passages: []int{1}, Support: rag.Strong})
	}
	a.out.Sentences[len(a.out.Sentences)-1].Passages = numbers
	a.lead(signature(answer))
	return nil
}

// linkedPassages returns the passages below an approved answer that exist, that the reader may read, and that a request searches. Its
// Documents include those of its Place. documents may be nil.
func linkedPassages(
	ctx context.Context, documents Documents, answer rag.Approved, req rag.Request, score float64,
) (out []rag.Passage, err error) {
	if documents == nil {
		return nil, nil
	}
	for _, l := range answer.Links[:min(maxLinks, len(answer.Links))] {
		if len(req.Documents) > 0 && !slices.Contains(req.Documents, l.Document) {
			continue
		}
		p, err := passageOf(ctx, documents, l, req.Collections)
		switch {
		case fault.KindOf(err) == fault.NotFound:
			continue
		case err != nil:
			return nil, fmt.Errorf("read a passage below an approved answer: %w", err)
		case p == nil, slices.ContainsFunc(out, func(o rag.Passage) bool { return o.ID == p.ID }):
			continue
		}
		out = append(out, rag.Passage{Passage: *p, Score: score})
	}
	return out, nil
}

// passageOf returns the chunk with the beginning of a link, or the first chunk for a whole document. It returns nil if the document no
// longer has the passage, has it behind the last page, or is not in the collections. No collections mean all.
func passageOf(ctx context.Context, documents Documents, l rag.Link, collections []string) (*corpus.Passage, error) {
	filter := corpus.DocumentFilter{ID: l.Document, Limit: 1}
	if len(collections) > 0 {
		filter.Collections = collections
	}
	found, err := documents.Documents(ctx, filter)
	if err != nil || len(found) == 0 {
		return nil, err //nolint:wrapcheck // the caller names the operation
	}
	at, page := 0, 1
	if l.Quote != "" {
		doc, err := documents.Document(ctx, l.Document)
		if err != nil {
			return nil, err //nolint:wrapcheck // the caller names the operation
		}
		at, page = strings.Index(doc.Text, l.Quote), chunkPage
	}
	after := -1
	for range maxPages {
		if at < 0 {
			break
		}
		chunks, err := documents.DocumentChunks(ctx, l.Document, after, page)
		if err != nil {
			return nil, err //nolint:wrapcheck // the caller names the operation
		}
		for _, c := range chunks {
			if c.End > at || l.Quote == "" {
				return &corpus.Passage{Chunk: c, Document: found[0]}, nil
			}
			after = c.Ordinal
		}
		if len(chunks) < page {
			break
		}
	}
	return nil, nil //nolint:nilnil // a missing passage is no error
}

// signature says who wrote an answer, and when.
func signature(answer rag.Approved) fault.Text {
	return fault.NewText("approved_answer", "Answered by %s, %s.", answer.Signed, answer.At.UTC().Format(time.DateOnly))
}

// addFallback adds the text for a question that the documents do not answer. It is above the quotes, but
// below the text of a model, which readers already have.
func addFallback(a *answering, wrote bool) {
	if a.fallback == nil || a.out.Outcome != rag.NotFound && a.out.Outcome != rag.Unsure {
		return
	}
	body := strings.TrimSpace(text.ResolveMarkers(a.fallback.Text, 0))
	switch {
	case wrote:
		a.out.Text += "\n\n" + a.said(signature(*a.fallback)) + "\n\n" + body
	case a.out.Outcome == rag.NotFound: // the text says more than "I don't know"
		a.out.Text, a.out.Sentences = body, unsupportedSentences(body)
		a.lead(signature(*a.fallback))
	default:
		a.lead(fault.Plain(body))
		a.lead(signature(*a.fallback))
	}
}
