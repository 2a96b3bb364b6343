package wiring

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"

	"docent/api"
	"docent/api/ask"
	"docent/api/mcp"
	"docent/api/slots"
	"docent/internal/fault"
)

// ServeMCP serves one client of the Model Context Protocol over two streams. It
// follows changes to the documents. It returns when in ends or ctx is canceled.
func ServeMCP(ctx context.Context, x *Indexes, a *Answers, version string, in io.Reader, out io.Writer) error {
	full := fault.New(fault.Busy, "searches_full", "docent is running as many searches as it can; try again in a moment")
	server := mcp.New(mcp.Config{
		Retriever: a.Searcher, Library: a.Library, Answers: ask.NewService(a.RAG, a.Library, api.DefaultAnswers, nil),
		Searches: slots.New(api.DefaultSearches, full), Reads: slots.New(api.DefaultReads, full), Version: version, Logger: a.store.Log,
	})
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var work errgroup.Group
	work.Go(func() error {
		if err := x.Retriever.Follow(ctx); ctx.Err() == nil {
			return err
		}
		return nil
	})
	work.Go(func() error {
		defer stop()
		return server.Run(ctx, in, out)
	})
	if err := work.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
