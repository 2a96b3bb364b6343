package rag

import (
	"docent/payload"
)

// Defaults of a Request, as in BAF.
const (
	// DefaultK is how many passages an answer is made from.
	DefaultK = 4
	// MaxK bounds K.
	MaxK = 50
)

// Role says who said something.
type Role string

// The roles.
const (
	// User asked.
	User Role = "user"
	// Assistant answered.
	Assistant Role = "assistant"
)

// Turn is one earlier message of a conversation.
type Turn struct {
	// Role says who said it.
	Role Role
	// Text is what was said; of an answer, its text alone.
	Text string
}

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
	Turns []Turn
	// Collections are searched; none means all.
	Collections []string
	// MinEvidence replaces the calibrated evidence thresholds; nil keeps them, 0
	// always answers.
	MinEvidence *float64
}

// Query asks for passages.
type Query struct {
	// Question is the text to search for.
	Question string
	// Turns are earlier messages, oldest first, for questions that lean on
	// them.
	Turns []Turn
	// K is how many results to return; 0 means 10.
	K int
	// Collections are searched; none means all.
	Collections []string
	// Mode chooses the stages; "" is Full. Evaluation compares them.
	Mode Mode
	// Without leaves features of the second stage out, by name; for ablations.
	Without []string
}

// Mode chooses what ranks the results.
type Mode string

// The modes.
const (
	// Full is both stages.
	Full Mode = "full"
	// Hybrid is the first stage: keywords and vectors fused.
	Hybrid Mode = "hybrid"
	// Keywords is BM25 alone.
	Keywords Mode = "bm25"
	// Vectors is the embedder alone.
	Vectors Mode = "vectors"
)

// Result is one passage found.
type Result struct {
	// Rank counts from 1.
	Rank int
	// Score orders the results; comparable within one retrieval only.
	Score float64
	// Passage is what was found.
	Passage Passage
	// Features are the normalised features behind Score, by name.
	Features map[string]float64
}

// Term is a word of a question as the keyword index sees it.
type Term struct {
	// Text is the index's form of the word: lower case, its stem if it has one.
	Text string
	// IDF is its inverse document frequency, ln(1 + (N-n+½)/(n+½)) for n of N
	// chunks that hold it; the highest for a word that none holds.
	IDF float64
}

// Retrieval is what a query found.
type Retrieval struct {
	// Question is the text that was searched for, with the earlier turns if
	// the question leaned on them.
	Question string
	// Terms are the distinct words of Question with what the keyword index
	// knows of them; answers weigh words by it. None is as if all were equal.
	Terms []Term
	// Results are best first.
	Results []Result
	// Evidence says how well the best results support an answer, 0 to 1;
	// below the threshold the answer is "I don't know".
	Evidence float64
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
