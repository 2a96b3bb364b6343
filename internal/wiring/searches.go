package wiring

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"docent/internal/cores"
	"docent/internal/quota"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
)

// searchesPerCore bounds the concurrent searches of one client. It is more than 1,
// because searches may wait for an embedder, a database, or a reranker elsewhere.
const searchesPerCore = 2

// sharedSearcher makes the further searches of one client wait for its running ones.
type sharedSearcher struct {
	pipeline.Searcher

	shares *cores.Shares
}

// shareSearches bounds the concurrent searches of each client.
func shareSearches(s pipeline.Searcher) pipeline.Searcher {
	return sharedSearcher{s, cores.NewShares(searchesPerCore * runtime.GOMAXPROCS(0))}
}

// Retrieve implements pipeline.Searcher.
func (s sharedSearcher) Retrieve(ctx context.Context, query retrieve.Query) (retrieve.Retrieval, error) {
	client := quota.ClientOf(ctx)
	release, err := s.shares.Acquire(ctx, cmp.Or(client.Address, client.Principal))
	if err != nil {
		return retrieve.Retrieval{}, fmt.Errorf("wait for other searches of the client: %w", err)
	}
	defer release()
	return s.Searcher.Retrieve(ctx, query) //nolint:wrapcheck // the error is complete
}
