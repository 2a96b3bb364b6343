package rag

import (
	"errors"

	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/talk"
)

// Limits of a Request.
const (
	// MaxQuestionBytes limits Request.Question.
	MaxQuestionBytes = 16 << 10
	// MaxPromptBytes limits Request.Prompt and Request.Context together.
	MaxPromptBytes = 64 << 10
	// MaxHistory limits Request.History.
	MaxHistory = 50
)

// ErrUnknownModel reports that Request.Model names no model.
var ErrUnknownModel = errors.New("unknown model")

// Request is one question with its options.
type Request struct {
	// Question is the user's question.
	Question string
	// Prompt replaces the built-in instruction to the model, unless it is "".
	Prompt string
	// Context is added to the instruction to the model. Sessions set this field.
	Context string
	// Model is the name of a configured model. "" means the default, and Extractive uses no model.
	Model string
	// K is the number of passages, at most retrieve.MaxK. 0 means retrieve.AnswerK.
	K int
	// History is the maximum number of earlier messages to use. 0 uses none.
	History int
	// Turns are the earlier messages, oldest first. Only the last History messages
	// are used. Sessions set this field.
	Turns []talk.Turn
	// Last is the last answer of Turns that has passages, or nil. Sessions set this field. Without it, a Pipeline searches for
	// the passages of the last answer again.
	Last *LastAnswer
	// Collections are the searched collections. None means all.
	Collections []string
	// Documents are the ids of the searched documents, at most retrieve.MaxDocuments. None means all. The files
	// of the conversation are then not searched.
	Documents []int64
	// Place selects more documents to search, by folder and tag. Collections limit it.
	Place corpus.Place
	// FilesFirst searches the files of the conversation before the library. Only sessions have files.
	FilesFirst bool
	// Failed is the failure of the model before this request. The answer then consists of
	// quotes, as after a failure of the pipeline's own call. Default: nil.
	Failed error
	// WholeOnly says that nobody reads the answer while it is written, except Part.Final. If the model then fails in the
	// middle, quotes replace the begun text.
	WholeOnly bool
	// MinEvidence replaces the calibrated evidence thresholds. nil keeps them, and 0 always answers.
	MinEvidence *float64
}

// LastAnswer is an earlier answer with its passages.
type LastAnswer struct {
	// Text is the text with citation markers. The numbers count Passages from 1.
	Text string
	// Passages are its passages.
	Passages []Passage
}

// Phase says what an answer in progress is doing.
type Phase string

// The phases.
const (
	// Searching: passages are being retrieved.
	Searching Phase = "searching"
	// Answering: the model is writing.
	Answering Phase = "answering"
)

// Part is a piece of an answer in progress. One of Phase, Delta, Final, Thinking,
// Restart, and Answer is set.
type Part struct {
	// Phase reports progress.
	Phase Phase
	// Begun returns the answer so far if the model is stopped after the given text.
	// It checks the text like a whole answer. It is set together with the phase
	// Answering if a model writes the answer.
	Begun func(text string) Answer
	// Delta is text to append to the displayed text.
	Delta string
	// Thinking continues the reasoning of the model before the answer.
	Thinking string
	// Restart says that the deltas so far were reasoning of the model. The displayed text
	// begins again.
	Restart bool
	// Final is text to append to the final text before it. The text of Answer begins with
	// all final text. It repeats the deltas in a tidied form.
	Final string
	// Answer is the whole, checked answer. It comes last and replaces the displayed
	// text.
	Answer *Answer
}

// DefaultIngestHint is the advice if there are no documents.
const DefaultIngestHint = "Add some with `docent ingest PATH`, or upload them."

// IngestHint is DefaultIngestHint with its id.
func IngestHint() fault.Text { return fault.NewText("ingest_hint", DefaultIngestHint) }
