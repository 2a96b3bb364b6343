package agenttest

import (
	"context"
	"iter"
	"strings"
	"sync"

	"docent/agent"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// Answers is an agent.RAG that answers from a script.
type Answers struct {
	// Answer returns the answer to a request. The default is "You asked: " with the question after it.
	Answer func(ctx context.Context, req rag.Request) (string, error)

	mu       sync.Mutex // guards the following fields
	requests []rag.Request
}

// Requests returns all requests so far.
func (a *Answers) Requests() []rag.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]rag.Request(nil), a.requests...)
}

// Stream implements agent.RAG. It yields two phases, a delta for each word, and the answer.
func (a *Answers) Stream(ctx context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
	return func(yield func(rag.Part, error) bool) {
		a.mu.Lock()
		a.requests = append(a.requests, req)
		a.mu.Unlock()
		if !yield(rag.Part{Phase: rag.Searching}, nil) {
			return
		}
		text, err := "You asked: "+req.Question, error(nil)
		if a.Answer != nil {
			text, err = a.Answer(ctx, req)
		}
		if err != nil {
			yield(rag.Part{}, err)
			return
		}
		if !yield(rag.Part{Phase: rag.Answering}, nil) {
			return
		}
		for _, word := range strings.SplitAfter(text, " ") {
			if !yield(rag.Part{Delta: word}, nil) {
				return
			}
		}
		yield(rag.Part{Answer: answer(req.Question, text)}, nil)
	}
}

// Message returns the message of an answer with one passage.
func Message(question, text string) payload.RAGMessage {
	return agent.AnswerMessage(*answer(question, text))
}

// answer returns an answer with one passage.
func answer(question, text string) *rag.Answer {
	page := 0
	return &rag.Answer{
		Model: "scripted", Question: question, Text: text, Usage: &rag.Usage{Prompt: 7, Completion: 3},
		Passages: []rag.Passage{{Passage: corpus.Passage{
			Chunk:    corpus.Chunk{ID: 1, DocumentID: 1, Text: "chunk text", Page: &page, End: 10},
			Document: corpus.Document{Source: "/docs/a.pdf", Title: "A"},
		}}},
	}
}

// ReadDocument implements agent.DocumentRAG. It returns a document with one passage, the content of the file.
func (a *Answers) ReadDocument(_ context.Context, _ string, file payload.File) (agent.SessionDocument, error) {
	content, err := file.Bytes()
	if err != nil {
		return agent.SessionDocument{}, err //nolint:wrapcheck // the error is complete
	}
	return agent.SessionDocument{
		Title: file.Name, Source: file.Name, Media: file.Type, Chunks: []corpus.Chunk{{Text: string(content)}},
	}, nil
}

// OverDocuments implements agent.DocumentRAG. The answers are those of a.
func (a *Answers) OverDocuments(context.Context, []agent.SessionDocument) (agent.RAG, error) {
	return a, nil
}

// DocumentsFirst implements agent.DocumentRAG. The answers are those of a.
func (a *Answers) DocumentsFirst(context.Context, []agent.SessionDocument) (agent.RAG, error) {
	return a, nil
}
