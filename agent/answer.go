package agent

import (
	"slices"
	"strings"
	"time"

	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// AnswerMessage returns the protocol message of an answer.
func AnswerMessage(a rag.Answer) payload.RAGMessage {
	m := payload.RAGMessage{
		LLMName: a.Model, Prompts: a.Prompts, Question: a.Question, Answer: a.Text,
		Sentence: a.Named, Abstained: a.Abstained(), Outcome: payload.AnswerOutcome(a.Outcome), Lead: a.Lead, Stopped: a.Stopped,
		Thinking: a.Thinking, Queries: slices.Clone(a.Queries),
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
		m.Folders, m.Tags = slices.Clone(s.Place.Folders), slices.Clone(s.Place.Tags)
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
	for _, s := range p.Cells {
		doc.Metadata.Cells = append(doc.Metadata.Cells, payload.RAGSpan(s))
	}
	if p.PageLabel != "" {
		doc.Metadata.PageLabel = &p.PageLabel
	}
	return doc
}

// passageOf returns the passage of its protocol form.
func passageOf(d payload.RAGDoc) rag.Passage {
	m := d.Metadata
	p := rag.Passage{Score: m.Score, File: m.File, Passage: corpus.Passage{
		Chunk: corpus.Chunk{
			ID: m.ChunkID, DocumentID: m.DocumentID, Kind: corpus.Prose, Text: d.Content, Page: m.Page, Start: m.Start, End: m.End,
		},
		Document: corpus.Document{
			ID: m.DocumentID, Source: m.Source, Title: m.Title, Status: corpus.Ready, DateFrom: corpus.DateFrom(m.DateFrom), Version: m.Version,
		},
	}}
	if m.Heading != "" {
		p.Headings = strings.Split(m.Heading, corpus.HeadingSeparator)
	}
	for _, s := range m.Cells {
		p.Cells = append(p.Cells, rag.Span(s))
	}
	if m.PageLabel != nil {
		p.PageLabel = *m.PageLabel
	}
	p.Document.Date, _ = time.Parse(time.DateOnly, m.Date) // zero without one
	return p
}
