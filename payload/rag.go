package payload

import "docent/internal/fault"

import "encoding/json"

// RAGMessage is an answer with its evidence: the message of an
// agent_reply_rag frame. The first four keys are BAF's; the others are ours
// and are ignored by BAF's clients.
type RAGMessage struct {
	// LLMName is the model that wrote the answer, or "extractive".
	LLMName string `json:"llm_name"`
	// Question is the question as the user asked it.
	Question string `json:"question"`
	// Answer is Markdown with [n] markers; n counts Docs from 1.
	Answer string `json:"answer"`
	// Docs are the passages sent to the model, in retrieval order; never null.
	Docs []RAGDoc `json:"docs"`
	// Sentences mark each sentence of Answer; never null.
	Sentences []RAGSentence `json:"sentences"`
	// Abstained reports that the documents do not support an answer and the
	// text says so.
	Abstained bool `json:"abstained"`
	// Stopped reports that Answer is only what there was of it when its turn
	// was stopped, or failed. Its last sentence, which may be half a one, is not among
	// Sentences unless it cites something.
	Stopped bool `json:"stopped,omitempty"`
	// Evidence says how well the passages support an answer, 0 to 1; nil if
	// Answer is not made from one search.
	Evidence *float64 `json:"evidence,omitempty"`
	// K is how many passages were asked for; 0 as Evidence is nil.
	K int `json:"k,omitempty"`
	// Collections are those that were searched; none means all.
	Collections []string `json:"collections,omitempty"`
	// Searched is the text that was searched for, if it is not Question: one
	// that leans on earlier turns is searched for with them, or in a model's
	// words, and slips of the finger are mended.
	Searched string `json:"searched,omitempty"`
	// Sentence names an Answer that is a fixed text. It is part of the frame, not
	// of the message.
	Sentence fault.Sentence `json:"-"`
}

// MarshalJSON writes the message; its lists are never null, for BAF's clients
// fail on that.
func (m RAGMessage) MarshalJSON() ([]byte, error) {
	type plain RAGMessage
	m.Docs, m.Sentences = notNil(m.Docs), notNil(m.Sentences)
	return Marshal(plain(m))
}

// RAGDoc is one passage of an answer.
type RAGDoc struct {
	// Content is the passage's text.
	Content string `json:"content"`
	// Metadata says where it is from.
	Metadata RAGMetadata `json:"metadata"`
}

// RAGMetadata says where a passage is from. Source and Page are always on the
// wire because BAF's Streamlit client fails without them.
type RAGMetadata struct {
	// Source is an absolute path, a URL, upload:NAME or stdin:NAME.
	Source string `json:"source"`
	// Page counts from 0 as BAF's PDF loader does; null where there are none.
	Page *int `json:"page"`
	// PageLabel is the page as printed; null where there are none.
	PageLabel *string `json:"page_label"`
	// Title is the document's title.
	Title string `json:"title"`
	// Heading is the heading path, joined by " › ".
	Heading string `json:"heading"`
	// Start and End are byte offsets in the document's extracted text.
	Start int `json:"start"`
	// End is exclusive.
	End int `json:"end"`
	// Score is the retrieval score, comparable within one answer only.
	Score float64 `json:"score"`
	// DocumentID names the document in the HTTP API.
	DocumentID int64 `json:"document_id"`
	// ChunkID names the passage.
	ChunkID int64 `json:"chunk_id"`
}

// Support says how much of a sentence its cited passages carry.
type Support string

// The support marks.
const (
	// SupportStrong: the cited passages carry the sentence.
	SupportStrong Support = "strong"
	// SupportWeak: they carry part of it.
	SupportWeak Support = "weak"
	// SupportNone: it cites nothing, or what it cites does not carry it.
	SupportNone Support = "none"
)

// RAGSentence marks one sentence of an answer.
type RAGSentence struct {
	// Start and End are byte offsets in Answer.
	Start int `json:"start"`
	// End is exclusive.
	End int `json:"end"`
	// Docs are the passages it cites, or with Found the one that carries it, as
	// 1-based positions in RAGMessage.Docs; never null.
	Docs []int `json:"docs"`
	// Support says how much of it they carry.
	Support Support `json:"support" enum:"strong,weak,none"`
	// Found reports that the sentence cites nothing and Docs is the passage
	// that was found to carry it all the same.
	Found bool `json:"found,omitempty"`
}

// MarshalJSON writes the mark; its list is never null.
func (s RAGSentence) MarshalJSON() ([]byte, error) {
	type plain RAGSentence
	s.Docs = notNil(s.Docs)
	return json.Marshal(plain(s))
}
