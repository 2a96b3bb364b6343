package payload

import "docent/internal/fault"

import "encoding/json"

// RAGMessage is an answer with its evidence: the message of an agent_reply_rag
// frame. The first four keys are BAF's. BAF's clients ignore the others.
type RAGMessage struct {
	// LLMName is the model that wrote the answer, or "extractive".
	LLMName string `json:"llm_name"`
	// Prompts is the version of the prompts of LLMName; "" for quotes and agents.
	Prompts string `json:"prompts,omitempty"`
	// Question is the question as the user asked it.
	Question string `json:"question"`
	// Answer is Markdown with [n] markers; n counts Docs from 1.
	Answer string `json:"answer"`
	// Docs are the passages sent to the model, in retrieval order; never null.
	Docs []RAGDoc `json:"docs"`
	// Sentences describe the sentences of Answer, one by one; never null.
	Sentences []RAGSentence `json:"sentences"`
	// Abstained reports that Answer is no answer from the documents: it says that they have none, or
	// replies without them.
	Abstained bool `json:"abstained"`
	// Outcome says how well the documents answer the question; "" if unknown, in answers stored by earlier versions.
	Outcome AnswerOutcome `json:"outcome,omitempty" enum:"answered,unsure,not_found,replied"`
	// Lead is the length in bytes of the plain line at the beginning of an unsure Answer; 0 without one.
	Lead int `json:"lead,omitempty"`
	// Stopped reports that the turn was stopped or failed, so Answer is incomplete.
	// Sentences then contains an incomplete last sentence only if it cites
	// something.
	Stopped bool `json:"stopped,omitempty"`
	// Evidence says how well the passages support an answer, from 0 to 1; nil if
	// Answer is not based on one search.
	Evidence *float64 `json:"evidence,omitempty"`
	// K is the number of requested passages; 0 if Evidence is nil.
	K int `json:"k,omitempty"`
	// Collections are the searched collections; none means all.
	Collections []string `json:"collections,omitempty"`
	// Documents are the ids of the searched documents; none means all.
	Documents []int64 `json:"documents,omitempty"`
	// Folders are the searched folders.
	Folders []string `json:"folders,omitempty"`
	// Tags are the searched tags.
	Tags []string `json:"tags,omitempty"`
	// Searched is the search text if it differs from Question. A question that
	// refers to earlier turns is searched together with them, or as rewritten by a
	// model. Typing errors are corrected.
	Searched string `json:"searched,omitempty"`
	// Wordings are further search texts that a model wrote because the first
	// results were weak.
	Wordings []string `json:"wordings,omitempty"`
	// Queries are the queries on tables behind the answer: of the tool query_tables, or the operations of docent in the
	// words of SQL.
	Queries []string `json:"queries,omitempty"`
	// Thinking is the reasoning of the model before Answer, cut to 64 KiB. It is never checked, cited, or sent to a model.
	Thinking string `json:"thinking,omitempty"`
	// Sentence is the id of an Answer with a fixed text, or of its Lead. It is sent in the frame,
	// not in the message.
	Sentence fault.Sentence `json:"-"`
}

// MarshalJSON writes the message. Its lists are never null, because BAF's
// clients fail on null.
func (m RAGMessage) MarshalJSON() ([]byte, error) {
	type plain RAGMessage
	m.Docs, m.Sentences = notNil(m.Docs), notNil(m.Sentences)
	return Marshal(plain(m))
}

// AnswerOutcome says how well the documents answer a question.
type AnswerOutcome string

// The outcomes.
const (
	// Answered: the passages support the answer.
	Answered AnswerOutcome = "answered"
	// AnswerUnsure: the closest passages, which may not answer the question.
	AnswerUnsure AnswerOutcome = "unsure"
	// AnswerNotFound: the documents do not answer the question.
	AnswerNotFound AnswerOutcome = "not_found"
	// AnswerReplied: docent replied without the documents, for example to a greeting.
	AnswerReplied AnswerOutcome = "replied"
)

// RAGDoc is one passage of an answer.
type RAGDoc struct {
	// Content is the text of the passage.
	Content string `json:"content"`
	// Metadata describes the origin of the passage.
	Metadata RAGMetadata `json:"metadata"`
}

// RAGMetadata describes the origin of a passage. Source and Page are always
// present, because BAF's Streamlit client fails without them.
type RAGMetadata struct {
	// Source is an absolute path, a URL, upload:NAME or stdin:NAME.
	Source string `json:"source"`
	// Page counts from 0 as in BAF's PDF loader; null in documents without
	// pages.
	Page *int `json:"page"`
	// PageLabel is the printed page number; null without one.
	PageLabel *string `json:"page_label"`
	// Title is the title of the document.
	Title string `json:"title"`
	// Heading is the heading path, joined by " › ".
	Heading string `json:"heading"`
	// Start and End are byte offsets in the extracted text of the document.
	Start int `json:"start"`
	// End is exclusive.
	End int `json:"end"`
	// Score is the retrieval score, comparable within one answer only.
	Score float64 `json:"score"`
	// DocumentID identifies the document in the HTTP API.
	DocumentID int64 `json:"document_id"`
	// ChunkID identifies the passage.
	ChunkID int64 `json:"chunk_id"`
	// Date is the day when the document was written or last changed, such as
	// 2026-05-12; absent if it is unknown.
	Date string `json:"date,omitempty"`
	// DateFrom says where Date comes from; absent without it.
	DateFrom string `json:"date_from,omitempty" enum:"front_matter,properties,mail_header,page_markup,feed_entry,commit,last_modified,file_time"`
	// Version is the version that the document states; absent if it states none.
	Version string `json:"version,omitempty"`
	// Cells are the cells of a table in the passage that the answer uses; absent without
	// any.
	Cells []RAGSpan `json:"cells,omitempty"`
	// File is the turn of the conversation's file that has the passage; absent for
	// passages of documents.
	File int64 `json:"file,omitempty"`
	// Unavailable reports that the reader may no longer open the document. The
	// other fields then say nothing about it.
	Unavailable bool `json:"unavailable,omitempty"`
}

// RAGSpan is a part of the extracted text of a document.
type RAGSpan struct {
	// Start and End are byte offsets in the text.
	Start int `json:"start"`
	// End is exclusive.
	End int `json:"end"`
}

// Support says how well the cited passages support a sentence.
type Support string

// The support marks.
const (
	// SupportStrong: the cited passages support the sentence.
	SupportStrong Support = "strong"
	// SupportWeak: the cited passages support part of the sentence.
	SupportWeak Support = "weak"
	// SupportNone: the sentence cites nothing, or its citations do not support
	// it.
	SupportNone Support = "none"
)

// RAGSentence marks one sentence of an answer.
type RAGSentence struct {
	// Start and End are byte offsets in Answer.
	Start int `json:"start"`
	// End is exclusive.
	End int `json:"end"`
	// Docs are the 1-based positions in RAGMessage.Docs of the cited passages, or
	// with Found of the supporting passage; never null.
	Docs []int `json:"docs"`
	// Support says how well they support it.
	Support Support `json:"support" enum:"strong,weak,none"`
	// Found reports that the sentence cites nothing, but docent found a passage
	// that supports it. Docs contains that passage.
	Found bool `json:"found,omitempty"`
}

// MarshalJSON writes the mark. Its list is never null.
func (s RAGSentence) MarshalJSON() ([]byte, error) {
	type plain RAGSentence
	s.Docs = notNil(s.Docs)
	return json.Marshal(plain(s))
}
