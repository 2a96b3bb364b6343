package insight

import (
	"context"
	"time"

	"docent/internal/fault"
)

// GapState is the state of a gap.
type GapState string

// The states.
const (
	// GapOpen: nobody has decided.
	GapOpen GapState = "open"
	// GapProposed: the documents have changed, and the question now has an answer. A person checks it.
	GapProposed GapState = "proposed"
	// GapSolved: the documents or a person answer it.
	GapSolved GapState = "solved"
	// GapStaysOpen: the documents will not answer it. Note says why.
	GapStaysOpen GapState = "stays_open"
)

// Gap is a group of questions with similar meaning that the documents do not answer.
type Gap struct {
	// Cluster has the id, the vectors, and the number of questions.
	Cluster
	// Model is the embedder of the vectors.
	Model string
	// People is the number of people who asked.
	People int64
	// First and Last are the times of the first and of the last question.
	First, Last time.Time
	// Typical is the id of the typical question, or 0 if it was deleted. Wording is its text, or that of
	// another question, or "" without questions.
	Typical int64
	Wording string
	// Score is the similarity of the typical question.
	Score float64
	// Title is the name that a person gave, or "".
	Title string
	// Owner is the person who cares for it, or "".
	Owner string
	// State is the state.
	State GapState
	// Note is the text for GapStaysOpen, or a remark.
	Note string
	// Proposal is the new answer of a proposed gap, a payload.RAGMessage, or nil.
	Proposal []byte
	// Asked is the revision of the corpus when the gap was asked again.
	Asked int64
	// Solution is the id of the document that answers a solved gap, or 0 if it is unknown.
	Solution int64
	// Collections are the names of the collections of its questions.
	Collections []string
}

// GapFilter selects gaps.
type GapFilter struct {
	// State selects a state, or all for "".
	State GapState
	// Collections has the same meaning as in Filter.
	Collections []string
	// Before is the last gap of the previous page; only its Count and ID count.
	Before *Gap
	// Limit is the length of the page.
	Limit int
}

// GapChange changes a gap. nil keeps a field.
type GapChange struct {
	Title, Owner, Note *string
	// State is the state. GapSolved tells the people who asked; see Solutions.
	State *GapState
	// Solution is the document that answers the gap.
	Solution *int64
	// Proposal and Asked belong to an answer that was asked again.
	Proposal *string
	Asked    *int64
}

// Ungrouped is a question without a gap.
type Ungrouped struct {
	ID       int64
	Question string
	Asker    string
	Time     time.Time
}

// Grouped is a question with its gap.
type Grouped struct {
	Ungrouped
	// Gap is the gap with its new vectors. Its ID is 0 for a new gap.
	Gap *Gap
	// Score is the similarity of the question to the gap.
	Score float64
	// Merged is the id of a gap that becomes part of Gap, or 0.
	Merged int64
}

// Bounds of gaps.
const (
	// MaxCompared bounds the gaps that a question is compared with: those with the latest questions.
	MaxCompared = 2000
	// GroupBatch bounds the questions of one step.
	GroupBatch = 20
	// MaxCounted bounds the gaps that CountGaps counts.
	MaxCounted = 1000
	// MaxNote bounds the texts that people write about a gap, in bytes.
	MaxNote = 4000
	// MaxLease bounds a lease of the work on gaps. A longer one is from before the clock was set back.
	MaxLease = 10 * time.Minute
	// leaseFor is the time after which another process may group.
	leaseFor = time.Minute
)

// GapCounts are numbers of gaps. Each is at most MaxCounted, so that counting stays fast.
type GapCounts struct {
	// Open is the number of open gaps, and Questions the number of their questions.
	Open, Questions int64
	// New is the number of open gaps whose first question is recent.
	New int64
	// Proposed is the number of proposed gaps.
	Proposed int64
}

// Gaps keeps gaps. It is safe for concurrent use.
type Gaps interface {
	// LeaseGaps makes a process the only one that groups until a time. It returns false if another
	// process is.
	LeaseGaps(ctx context.Context, owner string, until time.Time) (bool, error)
	// Ungrouped returns questions without an answer that are in no gap, oldest first, at most a number.
	Ungrouped(ctx context.Context, limit int) ([]Ungrouped, error)
	// Clusters returns the gaps of a model with the latest questions, at most MaxCompared.
	Clusters(ctx context.Context, model string) ([]Gap, error)
	// Group stores questions with their gaps in one transaction, in order. It sets the ids of new gaps.
	Group(ctx context.Context, questions []Grouped) error
	// Gaps lists gaps by their number of questions.
	Gaps(ctx context.Context, f GapFilter) ([]Gap, error)
	// Gap returns one gap. It fails with fault.NotFound if it does not exist.
	Gap(ctx context.Context, id int64) (Gap, error)
	// ChangeGap changes a gap. It fails with fault.NotFound if it does not exist.
	ChangeGap(ctx context.Context, id int64, change GapChange) error
	// StaleGap returns the largest open gap that was asked before a revision; false without one.
	StaleGap(ctx context.Context, revision int64) (Gap, bool, error)
	// CountGaps counts the gaps of some collections, where nil means all. since bounds New.
	CountGaps(ctx context.Context, collections []string, since time.Time) (GapCounts, error)
	// JoinGap moves a question into a gap. It fails with fault.NotFound if one of them does not exist.
	JoinGap(ctx context.Context, question, gap int64) error
}

// NoGap is the error for a gap that does not exist.
func NoGap() error { return fault.New(fault.NotFound, "no_gap", "there is no such gap") }
