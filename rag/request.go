package rag

import (
	"docent/payload"
	"docent/rag/talk"
)

// Defaults of a Request, as in BAF.
const (
	// DefaultK is how many passages an answer is made from.
	DefaultK = 4
)

// Request is one question with what differs from the defaults.
type Request struct {
	// Question is what the user asks.
	Question string
	// Prompt replaces the built-in instruction to the model; "" keeps it.
	Prompt string
	// Model names a configured model; "" is the default, Extractive needs none.
	Model string
	// K is how many passages to use; 0 means DefaultK, at most MaxK.
	K int
	// History is how many earlier messages may be used; 0 uses none.
	History int
	// Turns are the earlier messages, oldest first; only the last History count.
	// A session fills them in.
	Turns []talk.Turn
	// Collections are searched; none means all.
	Collections []string
	// MinEvidence replaces the calibrated evidence thresholds; nil keeps them, 0
	// always answers.
	MinEvidence *float64
}

// Phase says what an answer in the making is doing.
type Phase string

// The phases.
const (
	// Searching: passages are being retrieved.
	Searching Phase = "searching"
	// Answering: the model is writing.
	Answering Phase = "answering"
)

// Part is a piece of an answer in the making; one of Phase, Delta and Message is set.
type Part struct {
	// Phase reports progress.
	Phase Phase
	// Begun makes the message of an answer that is stopped after that text of
	// its deltas: what there is of it, checked as the whole would be. It is set
	// with Answering if a model writes.
	Begun func(text string) payload.RAGMessage
	// Delta is text to append to what has been shown so far.
	Delta string
	// Message is the whole, checked answer. It comes last and replaces what the deltas showed.
	Message *payload.RAGMessage
	// Usage is the token count of the answer, set together with Message if the
	// model reported one.
	Usage *Usage
}

// Usage counts a model's tokens.
type Usage struct {
	// Prompt tokens were read.
	Prompt int `json:"prompt_tokens"`
	// Completion tokens were written.
	Completion int `json:"completion_tokens"`
}
