package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"docent/rag/retrieve"
)

// MaxFindings limits the numbered passages of one run. The model sees later passages without a number.
const MaxFindings = 500

// Search is one search of the documents.
type Search struct {
	// Query is the text of the search.
	Query string
	// Collection is the searched collection, or "" for all.
	Collection string
	// Found is the number of found passages.
	Found int
	// Evidence says how well the passages support an answer, as in retrieve.Retrieval.
	Evidence float64
}

// Findings are the passages that a model saw in one run, with the numbers that cite them. A passage keeps its number if it
// is found again. The zero value is ready for use. It is safe for concurrent use.
type Findings struct {
	mu       sync.Mutex
	results  []retrieve.Result
	searches []Search
	queries  []string
	// numbers maps results to their positions, counted from 1.
	numbers map[passageKey]int
}

type passageKey struct {
	chunk, document int64
	start, end      int
}

// Results returns the passages. The citation [n] refers to the passage at n-1. Passages of read_document have no chunk ID
// and no score.
func (f *Findings) Results() []retrieve.Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.results)
}

// Searches returns the searches in the order in which they ended.
func (f *Findings) Searches() []Search {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.searches)
}

// MaxQueries limits the queries on tables of one run that are kept.
const MaxQueries = 20

// Queries returns the different queries on tables that succeeded, in the order in which they ended.
func (f *Findings) Queries() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.queries)
}

func (f *Findings) queried(sql string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queries) < MaxQueries && !slices.Contains(f.queries, sql) {
		f.queries = append(f.queries, sql)
	}
}

// number returns the number of a passage, or 0 if there are too many.
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

// found is the JSON form of Findings.
type found struct {
	Results  []retrieve.Result `json:"results,omitempty"`
	Searches []Search          `json:"searches,omitempty"`
	Queries  []string          `json:"queries,omitempty"`
}

// MarshalJSON writes the passages, the searches, and the queries.
func (f *Findings) MarshalJSON() ([]byte, error) {
	return json.Marshal(found{f.Results(), f.Searches(), f.Queries()}) //nolint:wrapcheck // the caller knows what it writes
}

// UnmarshalJSON reads passages, searches, and queries. The passages keep their numbers.
func (f *Findings) UnmarshalJSON(data []byte) error {
	var all found
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("findings: %w", err)
	}
	for _, r := range all.Results {
		f.number(r)
	}
	for _, s := range all.Searches {
		f.searched(s)
	}
	for _, q := range all.Queries {
		f.queried(q)
	}
	return nil
}

func (f *Findings) searched(s Search) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.searches) < MaxFindings {
		f.searches = append(f.searches, s)
	}
}

type findingsKey struct{}

// WithFindings makes the knowledge tools record their passages in f. The numbers are then unique in a run, and the caller
// can resolve citations.
func WithFindings(ctx context.Context, f *Findings) context.Context {
	return context.WithValue(ctx, findingsKey{}, f)
}

// findings returns the Findings of the context, or new ones for this call.
func findings(ctx context.Context) *Findings {
	if f, ok := ctx.Value(findingsKey{}).(*Findings); ok && f != nil {
		return f
	}
	return &Findings{}
}
