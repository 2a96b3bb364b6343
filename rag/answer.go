package rag

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docent/internal/fault"

	"github.com/tmc/langchaingo/llms"

	"docent/payload"
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
	found     Retrieval
	message   payload.RAGMessage
	usage     *Usage
}

// search finds the passages, for a question that leans on earlier turns in the
// words of a model if there is one.
func (a *answer) search(ctx context.Context) error {
	if smallTalk(a.req.Question) != nil {
		return nil // there is nothing to find for it
	}
	query := Query{Question: a.req.Question, Turns: a.req.Turns, K: a.req.K, Collections: a.req.Collections}
	if a.model != nil && asked(a.req.Turns) && leans(a.req.Question) {
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
func Doc(r Result) payload.RAGDoc {
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
	if a.model != nil && (smallTalk(a.req.Question) != nil || asked(a.req.Turns) && leans(a.req.Question)) {
		return false
	}
	return len(a.found.Results) == 0 || a.found.Evidence < a.threshold
}

// withoutModel makes the answer that takes no model.
func (a *answer) withoutModel(ctx context.Context) {
	talk := smallTalk(a.req.Question)
	switch {
	case talk != nil:
		a.message.Abstained = true
		a.message.Answer, a.message.Sentence = talk.Reply.Message, talk.Reply.Sentence
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
	text := a.searched(ctx)
	if text.IsZero() {
		text = fault.NewText("unknown_in_all", "I don't know. I searched the documents and found nothing that answers this.")
	}
	if len(a.message.Docs) > 0 {
		text = fault.NewText("unknown_with_passages", "%s The nearest passages are listed, but they do not answer it.", text)
	}
	a.message.Answer, a.message.Sentence = text.Message, text.Sentence
	a.message.Sentences = unsupportedSentences(a.message.Answer)
}

// searched says what was searched; it is zero if that is not known.
func (a *answer) searched(ctx context.Context) fault.Text {
	if a.rag.cfg.Shelf == nil {
		return fault.Text{}
	}
	all, err := a.rag.cfg.Shelf.Collections(ctx)
	if err != nil {
		a.rag.cfg.Logger.WarnContext(ctx, "collections not listed", "error", err)
		return fault.Text{}
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
		return fault.NewText("unknown_no_documents_in", "I don't know: there are no documents in %s. %s", inCollections(a.req.Collections), a.rag.hint())
	case documents == 0:
		return fault.NewText("unknown_no_documents", "I don't know: there are no documents yet. %s", a.rag.hint())
	case documents == 1:
		return fault.NewText("unknown_in_one_document",
			"I don't know. I searched 1 document in %s and found nothing that answers this.", inCollections(names))
	}
	return fault.NewText("unknown_in_documents",
		"I don't know. I searched %d documents in %s and found nothing that answers this.", documents, inCollections(names))
}

// hint is the advice for people without documents.
func (r *RAG) hint() fault.Text {
	if r.cfg.IngestHint == DefaultIngestHint {
		return IngestHint()
	}
	return fault.Plain(r.cfg.IngestHint)
}

// IngestHint is DefaultIngestHint with its id.
func IngestHint() fault.Text { return fault.NewText("ingest_hint", DefaultIngestHint) }

// maxNamed is how many collections an answer names.
const maxNamed = 5

// inCollections names collections in a sentence.
func inCollections(names []string) fault.Text {
	quoted := make([]string, 0, maxNamed)
	for _, n := range names[:min(len(names), maxNamed)] {
		quoted = append(quoted, codeSpan(n))
	}
	list := strings.Join(quoted, ", ")
	switch {
	case len(names) == 1:
		return fault.NewText("in_collection", "the collection %s", list)
	case len(names) > maxNamed:
		return fault.NewText("in_collections_and_more", "the collections %s and %d more", list, len(names)-maxNamed)
	default:
		return fault.NewText("in_collections", "the collections %s", list)
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
	quotes := extract(a.rag.cfg.Static, a.req.Question, a.found)
	a.message.Answer, a.message.Sentences = render(quotes, a.found.Results)
	return len(quotes) > 0
}
