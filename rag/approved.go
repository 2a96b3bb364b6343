package rag

import "time"

// ApprovedPrefix begins the source of documents that are approved answers.
const ApprovedPrefix = "answer:"

// FallbackPrefix begins the source of those approved answers that people get only if the documents do
// not answer their question. Searches do not find their documents.
const FallbackPrefix = ApprovedPrefix + "fallback:"

// Approved is an answer that people wrote for some questions.
type Approved struct {
	// Document is the id of its document.
	Document int64
	// Questions are the questions that it answers.
	Questions []string
	// Text is Markdown without citation markers.
	Text string
	// Signed names the person or the team that answers.
	Signed string
	// At is the time of the last change.
	At time.Time
	// Links are the passages and documents below it.
	Links []Link
}

// Link is a passage or a document below an approved answer.
type Link struct {
	// Document is the id of the document.
	Document int64
	// Quote is the passage in the text of the document; "" for the whole document.
	Quote string
}
