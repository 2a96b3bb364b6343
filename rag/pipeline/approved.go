package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/text"
)

// Approved finds approved answers.
type Approved interface {
	// ApprovedAnswers returns those of some documents that are approved answers.
	ApprovedAnswers(ctx context.Context, documents []int64) ([]rag.Approved, error)
}

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
				approve(a, answer)
				return nil
			}
		}
	}
	return nil
}

// approve makes the answer from an approved one.
func approve(a *answering, answer rag.Approved) {
	own := func(p rag.Passage) bool { return p.DocumentID == answer.Document }
	first := a.out.Passages[slices.IndexFunc(a.out.Passages, own)]
	a.out.Passages = append([]rag.Passage{first}, slices.DeleteFunc(slices.Clone(a.out.Passages), own)...)
	body := strings.TrimSpace(text.ResolveMarkers(answer.Text, 0))
	gap := " "
	if last := body[strings.LastIndexByte(body, '\n')+1:]; strings.HasPrefix(last, "|") || strings.HasPrefix(last, "```") {
		gap = "\n\n"
	}
	a.replied = true
	a.out.Model, a.out.Outcome = rag.Extractive, rag.Answered
	a.out.Text, a.out.Sentences = body+gap+"[1]", nil
	for _, s := range text.Sentences(a.out.Text, false) {
		a.out.Sentences = append(a.out.Sentences, rag.Sentence{Start: s.Start, End: s.End, Passages: []int{1}, Support: rag.Strong})
	}
	a.lead(signature(answer))
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
