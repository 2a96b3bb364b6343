package rag

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"docent/payload"
	"docent/rag/quote"
	"docent/rag/retrieve"
	"docent/rag/talk"
	"docent/rag/text"
)

// answer is one answer in the making.
type answer struct {
	rag *RAG
	// req has its defaults filled in and Turns cut to History.
	req Request
	// model is nil for Extractive.
	model     llms.Model
	threshold float64
	// retrieved is set once there was a search, of which found is the outcome.
	retrieved bool
	found     retrieve.Retrieval
	message   payload.RAGMessage
	usage     *Usage
}

// search finds the passages, for a question that leans on earlier turns in the
// words of a model if there is one.
func (a *answer) search(ctx context.Context) error {
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
	a.found, a.retrieved = found, true
	for _, r := range found.Results {
		a.message.Docs = append(a.message.Docs, Doc(r))
	}
	return nil
}

// made adds to a message what its answer was made with.
func (a *answer) made(m payload.RAGMessage) payload.RAGMessage {
	if a.retrieved {
		m.Evidence, m.K, m.Collections = &a.found.Evidence, a.req.K, slices.Clone(a.req.Collections)
		if a.found.Question != a.req.Question {
			m.Searched = a.found.Question
		}
	}
	return m
}

// Doc is a result as it is shown beside an answer.
func Doc(r retrieve.Result) payload.RAGDoc {
	p := r.Passage
	doc := payload.RAGDoc{Content: p.Text, Metadata: payload.RAGMetadata{
		Source: p.Document.Source, Page: p.Page, Title: p.Document.Title, Heading: p.Heading(),
		Start: p.Start, End: p.End, Score: r.Score, DocumentID: p.DocumentID, ChunkID: p.ID,
	}}
	if p.PageLabel != "" {
		doc.Metadata.PageLabel = &p.PageLabel
	}
	return doc
}

// unsupported reports whether the passages are too weak to answer from. Small
// talk, and a question about the conversation itself, are the model's to judge.
func (a *answer) unsupported() bool {
	if a.model != nil && (talk.Small(a.req.Question) != nil || talk.Asked(a.req.Turns) && talk.Leans(a.req.Question)) {
		return false
	}
	return len(a.found.Results) == 0 || a.found.Evidence < a.threshold
}

// withoutModel makes the answer that takes no model.
func (a *answer) withoutModel(ctx context.Context) {
	t := talk.Small(a.req.Question)
	switch {
	case t != nil:
		a.message.Abstained = true
		a.message.Answer = t.Reply
		a.message.Sentences = unsupportedSentences(a.message.Answer)
	case a.unsupported():
		a.abstain(ctx)
	case !a.quote():
		a.abstain(ctx)
	}
}

// abstain makes the answer that says what was searched and that it does not
// support an answer.
func (a *answer) abstain(ctx context.Context) {
	a.message.Abstained = true
	a.message.Answer = a.searched(ctx)
	if a.message.Answer == "" {
		a.message.Answer = "I don't know. I searched the documents and found nothing that answers this."
	}
	if len(a.message.Docs) > 0 {
		a.message.Answer += " The nearest passages are listed, but they do not answer it."
	}
	a.message.Sentences = unsupportedSentences(a.message.Answer)
}

// searched says what was searched; "" if that is not known.
func (a *answer) searched(ctx context.Context) string {
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

// maxNamed is how many collections an answer names.
const maxNamed = 5

// inCollections names collections in a sentence.
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

// quote makes the answer of quotes; false if there is nothing to quote.
func (a *answer) quote() bool {
	quotes := quote.Extract(a.rag.cfg.Static, a.req.Question, a.found)
	a.message.Answer, a.message.Sentences = quote.Render(quotes, a.found.Results)
	return len(quotes) > 0
}
