package retrieve

import (
	"docent/rag/corpus"
	"docent/rag/talk"
	"docent/rag/text"
)

// MaxK limits Query.K.
const MaxK = 50

// AnswerK is how many passages an answer is made from by default, as in BAF.
const AnswerK = 4

// MinModelEvidence is the evidence below which the model is not asked, because
// the passages contain nearly nothing of the question. Above it, the model
// judges better than words do: its prompt tells it to admit when the passages
// do not answer.
const MinModelEvidence = .1

// Query asks for passages.
type Query struct {
	// Question is the text to search for.
	Question string
	// Turns are earlier messages, oldest first, for questions that depend on
	// them.
	Turns []talk.Turn
	// K is how many results to return; 0 means 10.
	K int
	// Collections are searched; none means all.
	Collections []string
	// Mode chooses the stages. Default: "", which means Full. Evaluation compares
	// the modes.
	Mode Mode
	// Without leaves features of the second stage out, by name; for ablations.
	Without []string
}

// Mode chooses the stages that rank the results.
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

// Result is a passage that a query found.
type Result struct {
	// Rank counts from 1.
	Rank int
	// Score orders the results; comparable within one retrieval only.
	Score float64
	// Passage is what was found.
	Passage corpus.Passage
	// Features are the normalized features behind Score, by name.
	Features map[string]float64
	// Rerank is the Reranker's score, or nil if there was none. Score is then
	// its Relevance.
	Rerank *Score
}

// Retrieval is the outcome of a query.
type Retrieval struct {
	// Question is the text that was searched for, with the earlier turns if
	// the question leaned on them.
	Question string
	// Terms are the distinct words of Question with what the keyword index
	// knows of them; answers weigh words by it. None is as if all were equal.
	Terms []text.Term
	// Results are best first.
	Results []Result
	// Evidence says how well the best results support an answer, 0 to 1;
	// below the threshold the answer is "I don't know".
	Evidence float64
}
