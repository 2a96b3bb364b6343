package tool

import (
	"context"
	"slices"
	"sync"

	"docent/rag/retrieve"
)

// MaxFindings bounds the passages that can be cited of one run; later ones are
// shown to the model without a number.
const MaxFindings = 500

// Search is one search of the documents.
type Search struct {
	// Query is what was searched for.
	Query string
	// Collection is what was searched; "" is all.
	Collection string
	// Found is how many passages were found.
	Found int
	// Evidence says how well they support an answer, as retrieve.Retrieval's does.
	Evidence float64
}

// Findings are the passages a model was shown in one run, under the numbers it
// cites them by. A passage keeps its number however often it is found. The
// zero value is ready; it is safe for concurrent use.
type Findings struct {
	mu       sync.Mutex
	results  []retrieve.Result
	searches []Search
	// numbers are the results' positions, from 1, by what they are.
	numbers map[passageKey]int
}

type passageKey struct {
	chunk, document int64
	start, end      int
}

// Results returns the passages; the one cited as [n] is at n-1. Those of
// read_document have no chunk ID and no score.
func (f *Findings) Results() []retrieve.Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.results)
}

// Searches returns what was searched for, in the order the searches ended.
func (f *Findings) Searches() []Search {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.searches)
}

// number returns the number of a passage, 0 if there are too many.
func (f *Findings) number(r retrieve.Result) int {
	p := r.Passage
	key := passageKey{chunk: p.ID}
	if p.ID == 0 {
		key = passageKey{0, p.Document.ID, p.Start, p.End}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.numbers[key]; n > 0 {
		return n
	}
	if len(f.results) >= MaxFindings {
		return 0
	}
	if f.numbers == nil {
		f.numbers = map[passageKey]int{}
	}
	f.results = append(f.results, r)
	f.numbers[key] = len(f.results)
	return len(f.results)
}

func (f *Findings) searched(s Search) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.searches) < MaxFindings {
		f.searches = append(f.searches, s)
	}
}

type findingsKey struct{}

// WithFindings has the knowledge tools that are called with the context number
// their passages in f, so that the numbers are unique in a run and the caller
// can tell what an answer cites.
func WithFindings(ctx context.Context, f *Findings) context.Context {
	return context.WithValue(ctx, findingsKey{}, f)
}

// findings returns the context's, or some for this call alone.
func findings(ctx context.Context) *Findings {
	if f, ok := ctx.Value(findingsKey{}).(*Findings); ok && f != nil {
		return f
	}
	return &Findings{}
}
