package rag

import (
	"time"

	"docent/internal/fault"
	"docent/rag/corpus"
)

// Extractive is the model name of answers made from quotes, without a model.
const Extractive = "extractive"

// Answer is a checked answer with its evidence.
type Answer struct {
	// Model is the name of the model that wrote the answer, or Extractive.
	Model string
	// Prompts is the version of the prompts of Model; "" for Extractive.
	Prompts string
	// Question is the question as the user asked it.
	Question string
	// Text is Markdown with citation markers such as [1]. The numbers count
	// Passages from 1.
	Text string
	// Named is the id and the parameters of Text if it is a fixed text, or of its Lead. It is zero
	// for others.
	Named fault.Sentence
	// Passages are the passages that the answer was made from, best first.
	Passages []Passage
	// Sentences are the sentences of Text, in order.
	Sentences []Sentence
	// Outcome says how well the documents answer the question.
	Outcome Outcome
	// Lead is the length in bytes of the plain line before the quotes of an answer that is Unsure, or before the rows of a
	// table. Named is its id. It is 0 for other answers.
	Lead int
	// Thinking is the reasoning of the model before Text; "" without one, or if it is not shown.
	Thinking string
	// Stopped reports that the answer was stopped or failed, so Text is incomplete.
	Stopped bool
	// Search is the search that found Passages. It is nil unless there was exactly
	// one search.
	Search *Search
	// Queries are the operations on tables behind the answer, in the words of SQL.
	Queries []string
	// Usage counts the model's tokens, or is nil if the model did not report
	// them.
	Usage *Usage
	// Timings say how long the stages took.
	Timings Timings
}

// Abstained reports that Text is no answer from the documents: it says that they have none, or replies without them.
func (a Answer) Abstained() bool { return a.Outcome == NotFound || a.Outcome == Replied }

// Outcome says how well the documents answer a question.
type Outcome string

// The outcomes.
const (
	// Answered: the passages support the answer.
	Answered Outcome = "answered"
	// Unsure: the answer shows the closest passages, or what a model made of them. They may not answer the question.
	Unsure Outcome = "unsure"
	// NotFound: the documents do not answer the question, and the text says so.
	NotFound Outcome = "not_found"
	// Replied: docent replied without the documents, for example to a greeting.
	Replied Outcome = "replied"
)

// Passage is a passage behind an answer.
type Passage struct {
	corpus.Passage
	// Score orders the passages of one answer. Scores of different answers cannot be compared.
	Score float64
	// File is the turn of the conversation's file that has the passage, or 0 for passages of the library.
	File int64
	// Cells are the cells of a table that the answer uses.
	Cells []Span
}

// Span is a part of the text of a document.
type Span struct {
	// Start and End are byte offsets in the text of the document. End is exclusive.
	Start, End int
}

// Sentence is one sentence of an answer with its citations.
type Sentence struct {
	// Start and End are byte offsets in Answer.Text. End is exclusive.
	Start, End int
	// Passages are the numbers of the cited passages. They count
	// Answer.Passages from 1.
	Passages []int
	// Support says how well these passages support the sentence.
	Support Support
	// Found reports that the sentence cites nothing, but the check found a passage
	// that supports it.
	Found bool
}

// Support says how well passages support a sentence.
type Support string

// The levels of support.
const (
	// Strong: the passages support the whole sentence.
	Strong Support = "strong"
	// Weak: the passages support a part of it.
	Weak Support = "weak"
	// None: the sentence cites nothing, or its passages contradict it or do not support it.
	None Support = "none"
)

// Search describes the search behind an answer.
type Search struct {
	// Text is the searched text. It differs from the question if the question
	// depends on earlier turns or contains typing errors.
	Text string
	// Wordings are further texts that were searched too. A model writes them if the
	// first results are weak.
	Wordings []string
	// K is the number of requested passages.
	K int
	// Collections are the searched collections. None means all.
	Collections []string
	// Documents are the ids of the searched documents. None means all.
	Documents []int64
	// Place has the searched folders and tags. The documents of both were searched.
	Place corpus.Place
	// Evidence says how well the passages support an answer, from 0 to 1.
	Evidence float64
}

// Usage counts a model's tokens.
type Usage struct {
	// Prompt counts the tokens that the model read.
	Prompt int `json:"prompt_tokens"`
	// Completion counts the tokens that the model wrote.
	Completion int `json:"completion_tokens"`
}

// Timings say how long the stages of an answer took.
type Timings struct {
	// Search is the time from the request to the passages. It includes
	// rewriting the question.
	Search time.Duration
	// Answer is the time from the passages to the checked answer.
	Answer time.Duration
}
