package wiring

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"

	"docent/config"
	"docent/internal/cores"
	"docent/internal/quota"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
)

// searchesPerCore bounds the concurrent searches of one client. It is more than 1,
// because searches may wait for an embedder, a database, or a reranker elsewhere.
const searchesPerCore = 2

// sharedSearcher makes the further searches of one client wait for its running ones, and counts
// their time.
type sharedSearcher struct {
	pipeline.Searcher

	shares *cores.Shares
	quotas *quota.Quotas
}

// shareSearches bounds the concurrent searches of each client and of all, and their time in a day.
func shareSearches(s pipeline.Searcher, quotas *quota.Quotas, cfg config.Config) pipeline.Searcher {
	n := runtime.GOMAXPROCS(0)
	all := n
	if cfg.Embedder.Remote() || cfg.Rerank.Enabled() || minConns[cfg.Index] > 0 {
		all = 0 // searches mostly wait for another server
	}
	return sharedSearcher{s, cores.NewShares(searchesPerCore*n, all), quotas}
}

// Retrieve implements pipeline.Searcher.
func (s sharedSearcher) Retrieve(ctx context.Context, query retrieve.Query) (out retrieve.Retrieval, err error) {
	if err := s.quotas.Within(ctx, quota.SearchTime); err != nil {
		return retrieve.Retrieval{}, err //nolint:wrapcheck // the error is complete
	}
	client := quota.ClientOf(ctx)
	release, err := s.shares.Acquire(ctx, cmp.Or(client.Address, client.Principal))
	if err != nil {
		return retrieve.Retrieval{}, fmt.Errorf("wait for other searches of the client: %w", err)
	}
	defer release()
	began := time.Now()
	defer func() {
		if failed := s.quotas.Spend(ctx, quota.SearchTime, time.Since(began).Milliseconds()); err == nil {
			err = failed
		}
	}()
	return s.Searcher.Retrieve(ctx, query) //nolint:wrapcheck // the error is complete
}
