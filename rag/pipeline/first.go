package pipeline

import (
	"context"
	"fmt"

	"docent/rag/retrieve"
)

// First returns a Pipeline that searches files before its own Searcher. The rule is:
//
//   - The files come first, unless only the library supports an answer.
//   - Without a model, the answer quotes the first ones alone. A model gets the best passages
//     of the others, too.
//
// The ids of passages and documents of files are negative. Config.Answered does not get the answers.
func (r *Pipeline) First(files Searcher) *Pipeline {
	out := *r
	out.files, out.cfg.Answered = files, nil
	out.fileTables = tablesOf(files)
	return &out
}

// retrieve searches the files and the library.
func (a *answering) retrieve(ctx context.Context, query retrieve.Query) (retrieve.Retrieval, error) {
	if a.pipeline.files == nil || len(query.Documents) > 0 {
		return a.pipeline.cfg.Retriever.Retrieve(ctx, query) //nolint:wrapcheck // the caller names the operation
	}
	own := query
	own.Collections = nil // they limit the library
	files, err := a.pipeline.files.Retrieve(ctx, own)
	if err != nil {
		return retrieve.Retrieval{}, fmt.Errorf("search the files of the conversation: %w", err)
	}
	for i := range files.Results {
		p := &files.Results[i].Passage
		p.ID, p.DocumentID, p.Document.ID, p.Document.Collection = -p.ID, -p.DocumentID, -p.Document.ID, ""
	}
	supported := len(files.Results) > 0 && files.Evidence >= a.supports()
	if supported && a.model == nil {
		return files, nil
	}
	library, err := a.pipeline.cfg.Retriever.Retrieve(ctx, query)
	if err != nil {
		return retrieve.Retrieval{}, err //nolint:wrapcheck // the caller names the operation
	}
	first, second := library, files
	if supported || len(files.Results) > 0 && library.Evidence < a.supports() {
		first, second = files, library
	}
	first.Fallbacks = library.Fallbacks
	if a.model == nil {
		return first, nil
	}
	first.Results = joined(first.Results, second.Results, a.req.K)
	return first, nil
}

// supports returns the evidence from which on the files support an answer.
func (a *answering) supports() float64 { return max(a.thresholds.Answered, DefaultMinEvidence) }

// joined returns at most k results. The second ones get up to half of the places.
func joined(first, second []retrieve.Result, k int) []retrieve.Result {
	rest := min(len(second), max(k/2, k-len(first)))
	out := append([]retrieve.Result{}, first[:min(len(first), k-rest)]...)
	out = append(out, second[:rest]...)
	for i := range out {
		out[i].Rank = i + 1
	}
	return out
}
