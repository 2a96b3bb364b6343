package agenttest

import (
	"context"
	"iter"
	"strings"
	"sync"

	"docent/payload"
	"docent/rag"
)

// Answers is an agent.RAG that answers each question from a script.
type Answers struct {
	// Answer returns the answer to a request; default is to repeat the
	// question.
	Answer func(ctx context.Context, req rag.Request) (string, error)

	mu       sync.Mutex // guards what follows
	requests []rag.Request
}

// Requests returns what was asked so far.
func (a *Answers) Requests() []rag.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]rag.Request(nil), a.requests...)
}

// Stream implements agent.RAG: two phases, a delta a word, the message.
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
		yield(rag.Part{Message: Message(req.Question, text), Usage: &rag.Usage{Prompt: 7, Completion: 3}}, nil)
	}
}

// Message is an answer with one passage.
func Message(question, answer string) *payload.RAGMessage {
	page := 0
	return &payload.RAGMessage{
		LLMName: "scripted", Question: question, Answer: answer,
		Docs: []payload.RAGDoc{{
			Content:  "chunk text",
			Metadata: payload.RAGMetadata{Source: "/docs/a.pdf", Page: &page, Title: "A", DocumentID: 1, ChunkID: 1, End: 10},
		}},
		Sentences: []payload.RAGSentence{},
	}
}
