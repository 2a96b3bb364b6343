package retrieve

import (
	"docent/rag/corpus"
	"docent/rag/evidence"
	"docent/rag/talk"
	"docent/rag/text"
)

// MaxK limits Query.K.
const MaxK = 50

// AnswerK is the default number of passages for an answer, as in BAF.
const AnswerK = 4

// MaxDocuments limits Query.Documents.
const MaxDocuments = corpus.MaxWithin

// Query is a request for passages.
type Query struct {
	// Question is the text to search for.
	Question string
	// Turns are earlier messages, oldest first, for questions that depend on
	// them.
	Turns []talk.Turn
	// Present is the part of Question that the user wrote now, if Question is completed with earlier turns. Only its words can be
	// missing in the passages. "" means all of Question.
	Present string
	// Language is the language of the question if Question does not show it, as an ISO 639-1 code. It may be "".
	Language string
	// Wordings are other wordings of Question, or texts that may answer it, at most
	// MaxWordings. Their results join those of Question before the second stage.
	Wordings []string
	// K is the number of results. 0 means 10.
	K int
	// Collections are the searched collections. None means all.
	Collections []string
	// Documents are the ids of the searched documents, at most MaxDocuments. None means all.
	Documents []int64
	// Mode chooses the stages. Default: "", which means Full. Evaluation compares
	// the modes.
	Mode Mode
	// Without excludes features of the second stage by name. Evaluation uses it to
	// measure single features.
	Without []string
}

// Mode chooses the stages that rank the results.
type Mode string

// The modes.
const (
	// Full uses both stages.
	Full Mode = "full"
	// Hybrid uses the first stage only. It combines keywords and vectors.
	Hybrid Mode = "hybrid"
	// Keywords uses BM25 only.
	Keywords Mode = "bm25"
	// Vectors uses the embedder only.
	Vectors Mode = "vectors"
)

// Result is a passage that a query found.
type Result struct {
	// Rank is the position, counted from 1.
	Rank int
	// Score orders the results of one retrieval. Scores of different retrievals cannot be compared.
	Score float64
	// Passage is the found passage.
	Passage corpus.Passage
	// Features are the normalized features behind Score, by name.
	Features map[string]float64
	// Rerank is the Reranker's score, or nil without a Reranker. Score then equals
	// its Relevance.
	Rerank *Score
}

// Retrieval is the outcome of a query.
type Retrieval struct {
	// Question is the searched text. It includes the earlier turns if the question depends on them.
	Question string
	// Terms are the distinct words of Question with their weights in the keyword
	// index. Answers use these weights. If it is empty, all words have the same
	// weight.
	Terms []text.Term
	// Results are the found passages, best first.
	Results []Result
	// Fallbacks are the found documents with rag.FallbackPrefix, best first. They are no results.
	Fallbacks []int64
	// Evidence says how well the best results support an answer, from 0 to 1. Below the threshold the answer is "I don't
	// know".
	Evidence float64
	// Signs are the parts of Evidence.
	Signs evidence.Signs
	// Coverage compares the words of Question with the best passages.
	Coverage evidence.Coverage
}
