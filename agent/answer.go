package agent

import (
	"slices"

	"docent/payload"
	"docent/rag"
)

// AnswerMessage returns the protocol message of an answer.
func AnswerMessage(a rag.Answer) payload.RAGMessage {
	m := payload.RAGMessage{
		LLMName: a.Model, Prompts: a.Prompts, Question: a.Question, Answer: a.Text,
		Sentence: a.Named, Abstained: a.Abstained(), Outcome: payload.AnswerOutcome(a.Outcome), Lead: a.Lead, Stopped: a.Stopped,
		Docs: make([]payload.RAGDoc, len(a.Passages)), Sentences: make([]payload.RAGSentence, len(a.Sentences)),
	}
	for i, r := range a.Passages {
		m.Docs[i] = doc(r)
	}
	for i, s := range a.Sentences {
		m.Sentences[i] = payload.RAGSentence{
			Start: s.Start, End: s.End, Docs: append([]int{}, s.Passages...), Support: payload.Support(s.Support), Found: s.Found,
		}
	}
	if s := a.Search; s != nil {
		evidence := s.Evidence
		m.Evidence, m.K, m.Collections, m.Documents = &evidence, s.K, slices.Clone(s.Collections), slices.Clone(s.Documents)
		m.Wordings = slices.Clone(s.Wordings)
		if s.Text != a.Question {
			m.Searched = s.Text
		}
	}
	return m
}

// doc returns the protocol form of a passage.
func doc(p rag.Passage) payload.RAGDoc {
	doc := payload.RAGDoc{Content: p.Text, Metadata: payload.RAGMetadata{
		Source: p.Document.Source, Page: p.Page, Title: p.Document.Title, Heading: p.Heading(),
		Start: p.Start, End: p.End, Score: p.Score, DocumentID: p.DocumentID, ChunkID: p.ID, File: p.File,
		Date: p.Document.Day(), DateFrom: string(p.Document.DateFrom), Version: p.Document.Version,
	}}
	if p.PageLabel != "" {
		doc.Metadata.PageLabel = &p.PageLabel
	}
	return doc
}
