package rag

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/llm"
	"docent/rag/quote"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

// answering is the work on one request.
type answering struct {
	rag *RAG
	// req has its defaults filled in and Turns cut to History.
	req Request
	// model is nil for Extractive.
	model     llm.Model
	threshold float64
	// found is the outcome of the search, if out.Search is set.
	found retrieve.Retrieval
	out   Answer
}

// search finds the passages. If the question depends on earlier turns, a model
// rewrites it first.
func (a *answering) search(ctx context.Context) error {
	if talk.Small(a.req.Question) != nil {
		return nil // there is nothing to find for it
	}
	query := retrieve.Query{Question: a.req.Question, Turns: a.req.Turns, K: a.req.K, Collections: a.req.Collections}
	if a.model != nil && talk.Asked(a.req.Turns) && talk.Leans(a.req.Question) {
		question, err := a.rewrite(ctx)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("rewrite question: %w", ctx.Err())
		case err != nil:
			a.rag.cfg.Logger.WarnContext(ctx, "question not rewritten; earlier turns are searched for with it", "model", a.req.Model, "error", err)
		default:
			query.Question, query.Turns = question, nil
		}
	}
	found, err := a.rag.cfg.Retriever.Retrieve(ctx, query)
	if err != nil {
		return fmt.Errorf("retrieve passages: %w", err)
	}
	if len(found.Results) > a.req.K {
		found.Results = found.Results[:a.req.K]
	}
	a.found = found
	a.out.Passages = found.Results
	a.out.Search = &Search{Text: found.Question, K: a.req.K, Collections: slices.Clone(a.req.Collections), Evidence: found.Evidence}
	return nil
}

// unsupported reports whether the passages are too weak for an answer. With a
// model, small talk and questions about the conversation are left to the
// model.
func (a *answering) unsupported() bool {
	if a.model != nil && (talk.Small(a.req.Question) != nil || talk.Asked(a.req.Turns) && talk.Leans(a.req.Question)) {
		return false
	}
	return len(a.found.Results) == 0 || a.found.Evidence < a.threshold
}

// withoutModel makes the answer without a model.
func (a *answering) withoutModel(ctx context.Context) {
	t := talk.Small(a.req.Question)
	switch {
	case t != nil:
		a.out.Abstained = true
		a.out.Text = t.Reply
		a.out.Sentences = unsupportedSentences(a.out.Text)
	case a.unsupported():
		a.abstain(ctx)
	case !a.quote():
		a.abstain(ctx)
	}
}

// abstain makes the answer that names the searched documents and says that
// they do not support an answer.
func (a *answering) abstain(ctx context.Context) {
	a.out.Abstained = true
	a.out.Text = a.searched(ctx)
	if a.out.Text == "" {
		a.out.Text = "I don't know. I searched the documents and found nothing that answers this."
	}
	if len(a.out.Passages) > 0 {
		a.out.Text += " The nearest passages are listed, but they do not answer it."
	}
	a.out.Sentences = unsupportedSentences(a.out.Text)
}

// searched names the searched documents, or returns "" if they are unknown.
func (a *answering) searched(ctx context.Context) string {
	if a.rag.cfg.Shelf == nil {
		return ""
	}
	all, err := a.rag.cfg.Shelf.Collections(ctx)
	if err != nil {
		a.rag.cfg.Logger.WarnContext(ctx, "collections not listed", "error", err)
		return ""
	}
	var names []string
	documents := 0
	for _, c := range all {
		if len(a.req.Collections) > 0 && !slices.Contains(a.req.Collections, c.Name) {
			continue
		}
		if c.Documents > 0 {
			documents += c.Documents
			names = append(names, c.Name)
		}
	}
	switch {
	case documents == 0 && len(a.req.Collections) > 0:
		return fmt.Sprintf("I don't know: there are no documents in %s. %s", inCollections(a.req.Collections), a.rag.cfg.IngestHint)
	case documents == 0:
		return "I don't know: there are no documents yet. " + a.rag.cfg.IngestHint
	}
	return fmt.Sprintf("I don't know. I searched %s in %s and found nothing that answers this.", count(documents, "document"), inCollections(names))
}

// maxNamed limits the collections that an answer names.
const maxNamed = 5

// inCollections lists collections for a sentence.
func inCollections(names []string) string {
	quoted := make([]string, 0, maxNamed)
	for _, n := range names[:min(len(names), maxNamed)] {
		quoted = append(quoted, text.CodeSpan(n))
	}
	list := strings.Join(quoted, ", ")
	switch {
	case len(names) == 1:
		return "the collection " + list
	case len(names) > maxNamed:
		return fmt.Sprintf("the collections %s and %d more", list, len(names)-maxNamed)
	default:
		return "the collections " + list
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// quote makes the answer from quotes. It returns false if there is nothing to
// quote.
func (a *answering) quote() bool {
	written, sentences := quote.Answer(a.rag.cfg.Static, a.req.Question, a.found)
	a.out.Text, a.out.Sentences = written, nil
	for _, s := range sentences {
		a.out.Sentences = append(a.out.Sentences, Sentence{Start: s.Start, End: s.End, Passages: []int{s.Passage}, Support: Strong})
	}
	return len(sentences) > 0
}
