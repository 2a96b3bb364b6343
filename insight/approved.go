package insight

import (
	"context"
	"slices"
	"time"

	"docent/internal/fault"
	"docent/rag"
)

// Approved is an approved answer with its place in the library.
type Approved struct {
	rag.Approved

	// Collection is the collection of its document.
	Collection string
	// Source is the source of its document.
	Source string
	// Owner is the person who cares for it, or "".
	Owner string
	// Review is the day of the next check, YYYY-MM-DD, or "".
	Review string
	// Documents are the ids of the whole documents below the answer, at most 20.
	Documents []int64
	// Changed are those of Documents that changed since At, or were deleted. Only Approved and
	// ApprovedAnswer fill it.
	Changed []int64
	// Passages are the passages below the answer, at most MaxPassages.
	Passages []Passage
}

// Passage is a passage of a document below an approved answer.
type Passage struct {
	rag.Link

	// Revision is the revision of the document in which Quote was last found, or 0.
	Revision int64
	// Title is the title of the document, or "" after it was deleted. Only Approved and ApprovedAnswer
	// fill it.
	Title string
	// Changed reports that the document no longer has Quote, and Deleted that there is no document. Only
	// Approved and ApprovedAnswer fill them.
	Changed, Deleted bool
}

// Outdated reports whether something below the answer changed.
func (a Approved) Outdated() bool {
	return len(a.Changed) > 0 || slices.ContainsFunc(a.Passages, func(p Passage) bool { return p.Changed || p.Deleted })
}

// ApprovedFilter selects approved answers.
type ApprovedFilter struct {
	// Collections selects answers in these collections. nil selects all, and an empty list none.
	Collections []string
	// Due selects answers to check: their review day is over, or a document or passage below them
	// changed. It is the present day, YYYY-MM-DD, or "".
	Due string
	// Readable are the collections whose documents count for Due, also those below an answer. nil means all and deleted documents,
	// whose readers are unknown.
	Readable []string
	// Before is the id of the last answer of the previous page, or 0.
	Before int64
	// Limit is the length of the page.
	Limit int
}

// Bounds of approved answers.
const (
	// MaxForms bounds the questions of an answer.
	MaxForms = 20
	// MaxApproved bounds its text in bytes.
	MaxApproved = 20_000
	// MaxPassages bounds the passages below it, and MaxQuote each of them in bytes.
	MaxPassages, MaxQuote = 10, 8_000
)

// Approvals keeps approved answers. It is safe for concurrent use. An answer disappears with its
// document.
type Approvals interface {
	// PutApproved stores an answer of a stored document, and the present content of its documents.
	// Missing documents are ignored.
	PutApproved(ctx context.Context, a Approved) error
	// Approved lists answers, the newest documents first.
	Approved(ctx context.Context, f ApprovedFilter) ([]Approved, error)
	// CountDue counts the answers of a filter. It ignores Before and Limit.
	CountDue(ctx context.Context, f ApprovedFilter) (int64, error)
	// ApprovedAnswer returns one answer. It fails with fault.NotFound if it does not exist.
	ApprovedAnswer(ctx context.Context, document int64) (Approved, error)
	// ApprovedAnswers returns those of some documents that are approved answers.
	ApprovedAnswers(ctx context.Context, documents []int64) ([]rag.Approved, error)
}

// NoApproved is the error for an approved answer that does not exist.
func NoApproved() error {
	return fault.New(fault.NotFound, "no_approved_answer", "there is no such approved answer")
}

// reviewed reports whether a day is a valid review day.
func reviewed(day string) bool {
	_, err := time.Parse(time.DateOnly, day)
	return day == "" || err == nil
}

// Check checks the texts of an answer.
func (a Approved) Check() error {
	switch {
	case len(a.Questions) == 0, len(a.Questions) > MaxForms, a.Text == "", len(a.Text) > MaxApproved:
		return fault.New(fault.Invalid, "approved_incomplete",
			"an approved answer needs 1 to %d questions and a text of at most %d bytes", MaxForms, MaxApproved)
	case len(a.Passages) > MaxPassages,
		slices.ContainsFunc(a.Passages, func(p Passage) bool { return p.Quote == "" || len(p.Quote) > MaxQuote }):
		return fault.New(fault.Invalid, "approved_passages",
			"an approved answer has at most %d passages, each of 1 to %d bytes", MaxPassages, MaxQuote)
	case !reviewed(a.Review):
		return fault.New(fault.Invalid, "approved_review", "the review day must have the form 2026-05-03")
	}
	return nil
}
