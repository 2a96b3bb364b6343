// Package quality keeps questions as tests, and asks them again on demand. It also tells which
// stored answers other thresholds of the evidence would change.
package quality

import (
	"context"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/talk"
)

// Expect says what a good answer has.
type Expect string

// The expectations.
const (
	// Undecided: nobody has said. A run only shows changes.
	Undecided Expect = ""
	// Passage: a passage with the quote.
	Passage Expect = "passage"
	// Absent: nothing, because the answer is not in the documents.
	Absent Expect = "absent"
)

// Bounds.
const (
	// MaxKept bounds the kept questions.
	MaxKept = 1000
	// MaxText bounds a question, in bytes.
	MaxText = 4000
	// MaxQuote bounds a quote, in bytes.
	MaxQuote = 2000
	// MaxFile bounds the name of a document, in bytes.
	MaxFile = 1000
	// MaxTurns bounds the earlier messages of a question.
	MaxTurns = 20
	// MaxTurn bounds the text of an earlier message, in bytes.
	MaxTurn = 4000
)

// Question is a kept question.
type Question struct {
	// ID identifies it.
	ID int64
	// Collection is searched. Its managers see the question. "" searches all collections, and only
	// administrators see it.
	Collection string
	// Text is the question.
	Text string
	// History are the earlier messages, oldest first.
	History []talk.Turn
	// Expect says what a good answer has.
	Expect Expect
	// File is the end of the source of the expected passage, and Quote a part of its text.
	File, Quote string
	// Answer is the id of the stored answer that it was kept from, or 0.
	Answer int64
	// Edits counts its changes.
	Edits int64
	// At is the time of the last change.
	At time.Time
	// Last and Before are the results of the last run and of the one before; nil without one. A change
	// of the question removes them.
	Last, Before *Result
}

// Result is the result of one question in a run.
type Result struct {
	// At is the time.
	At time.Time
	// Outcome is the outcome of the answer.
	Outcome rag.Outcome
	// Evidence says how well the passages support an answer. It is nil without one search.
	Evidence *float64
	// Rank is the place of the expected passage among those of the answer, from 1, or 0.
	Rank int
}

// Verdict compares a result with the expectation.
type Verdict string

// The verdicts.
const (
	// Unknown: there is no result or no expectation.
	Unknown Verdict = ""
	// Passed: the result is as expected.
	Passed Verdict = "passed"
	// Failed: it is not.
	Failed Verdict = "failed"
)

// Verdict compares a result with the expectation. A passage must be among those of the answer. For
// Absent, the answer must not be sure.
func (q *Question) Verdict(r *Result) Verdict {
	var ok bool
	switch {
	case r == nil || q.Expect == Undecided:
		return Unknown
	case q.Expect == Absent:
		ok = r.Outcome != rag.Answered
	default:
		ok = r.Rank > 0 && r.Outcome != rag.NotFound
	}
	if ok {
		return Passed
	}
	return Failed
}

// Changed reports that the last run differs from the one before.
func (q *Question) Changed() bool {
	if q.Last == nil || q.Before == nil {
		return false
	}
	return q.Last.Outcome != q.Before.Outcome || q.Verdict(q.Last) != q.Verdict(q.Before)
}

// Check validates the fields that people write.
func (q *Question) Check() error {
	switch {
	case strings.TrimSpace(q.Text) == "":
		return fault.New(fault.Invalid, "question_empty", "the question is empty")
	case len(q.Text) > MaxText:
		return fault.New(fault.Invalid, "question_too_long", "the question has %d bytes; at most %d are allowed", len(q.Text), MaxText)
	case q.Expect == Passage && strings.TrimSpace(q.Quote) == "":
		return fault.New(fault.Invalid, "kept_no_quote", "the expected passage is empty; copy a sentence of the document")
	case q.Expect == Passage && q.File == "":
		return fault.New(fault.Invalid, "kept_no_file", "the document of the expected passage is missing")
	case len(q.Quote) > MaxQuote || len(q.File) > MaxFile:
		return fault.New(fault.Invalid, "kept_quote_long", "the expected passage is too long; one or two sentences are enough")
	case len(q.History) > MaxTurns:
		return fault.New(fault.Invalid, "kept_history_long", "there are %d earlier messages; at most %d are allowed", len(q.History), MaxTurns)
	}
	for _, t := range q.History {
		if len(t.Text) > MaxTurn || t.Role != talk.User && t.Role != talk.Assistant {
			return fault.New(fault.Invalid, "kept_turn", "an earlier message is too long, or has an unknown role")
		}
	}
	return nil
}

// Store keeps questions and runs. It is safe for concurrent use.
type Store interface {
	// Keep adds a question, and returns its id. If the stored answer of Question.Answer is kept
	// already, it returns the id of that question. It fails with fault.Conflict at MaxKept.
	Keep(ctx context.Context, q Question) (int64, error)
	// Kept lists the questions of collections, newest first; nil means all.
	Kept(ctx context.Context, collections []string) ([]Question, error)
	// KeptQuestion returns one question. It fails with fault.NotFound if it does not exist.
	KeptQuestion(ctx context.Context, id int64) (Question, error)
	// ChangeKept stores the fields that people write, and removes the results. It fails with
	// fault.NotFound if the question does not exist.
	ChangeKept(ctx context.Context, q Question) error
	// RemoveKept removes a question, and the mark of its stored answer. It fails with fault.NotFound
	// if it does not exist.
	RemoveKept(ctx context.Context, id int64) error
	// SaveResult makes a result the last one of a question, unless somebody has changed or removed
	// the question.
	SaveResult(ctx context.Context, id, edits int64, r Result) error
	// BeginRun stores the beginning of a run, and returns its id. It removes old runs.
	BeginRun(ctx context.Context, r Run) (int64, error)
	// KeepRun stores Done, Failed, Problem, and Ended of a run.
	KeepRun(ctx context.Context, r Run) error
	// LastRun returns the latest run; ok is false without one.
	LastRun(ctx context.Context) (r Run, ok bool, err error)
	// Judged returns the latest stored answers with evidence since a time, newest first, at most
	// MaxJudged. collections are those of a manager; nil means all.
	Judged(ctx context.Context, since time.Time, collections []string) ([]Judged, error)
}

// NotKept is the error for a kept question that does not exist.
func NotKept() error {
	return fault.New(fault.NotFound, "no_kept_question", "there is no such kept question")
}

// TooMany is the error for a question above MaxKept.
func TooMany() error {
	return fault.New(fault.Conflict, "kept_full", "there are %d kept questions already; remove some first", MaxKept)
}
