package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"docent/ingest"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	// poll is the time between two looks for work that waits.
	poll = 2 * time.Second
	// concurrency is the number of readings at the same time.
	concurrency = 2
)

// Ingester reads documents again.
type Ingester interface {
	// ReadAgain reads a stored document from its original; see ingest.Ingester.
	ReadAgain(ctx context.Context, d corpus.Document, original []byte) ([]ingest.Result, error)
}

// Library has the documents.
type Library interface {
	// Documents lists documents; see corpus.Library.
	Documents(ctx context.Context, filter corpus.DocumentFilter) ([]corpus.Document, error)
	// Original returns the original of a document; see corpus.Library.
	Original(ctx context.Context, id int64) (io.ReadCloser, error)
}

// Runner does the work that waits. Several processes may have one.
type Runner struct {
	keeper   *Keeper
	library  Library
	ingester Ingester
	log      *slog.Logger
	wake     chan struct{} // contains a token if Run must look for work
}

// NewRunner returns a Runner that records its work with a Keeper.
func NewRunner(keeper *Keeper, library Library, ingester Ingester) *Runner {
	return &Runner{keeper: keeper, library: library, ingester: ingester, log: keeper.log, wake: make(chan struct{}, 1)}
}

// Wake makes Run look for work now.
func (r *Runner) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run does the work that waits until ctx ends. Unfinished readings then wait for the next
// process.
func (r *Runner) Run(ctx context.Context) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	slots := make(chan struct{}, concurrency)
	var working sync.WaitGroup
	defer working.Wait()
	for {
		if n, err := r.keeper.store.FreeWork(ctx, time.Now()); err != nil && ctx.Err() == nil {
			r.log.Warn("look for interrupted work", "error", err)
		} else if n > 0 {
			r.log.Info("found interrupted work", "count", n)
		}
		for claimed := true; claimed; {
			select {
			case slots <- struct{}{}:
			default:
				claimed = false
				continue
			}
			var item Item
			if item, claimed = r.claim(ctx); !claimed {
				<-slots
				continue
			}
			working.Go(func() {
				defer func() { <-slots; r.Wake() }()
				r.do(ctx, item)
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-r.wake:
		}
	}
}

// claim leases the next item.
func (r *Runner) claim(ctx context.Context) (Item, bool) {
	item, ok, err := r.keeper.store.ClaimWork(ctx, r.keeper.lease())
	if err != nil && ctx.Err() == nil {
		r.log.Warn("look for work", "error", err)
	}
	return item, ok && err == nil
}

// do reads one document again.
func (r *Runner) do(ctx context.Context, item Item) {
	work, job := r.keeper.follow(ctx, item.ID, Progress{Stage: Reading, Total: 1, Size: item.Size})
	end, err := r.read(work, item)
	if ctx.Err() != nil && err != nil { // the server stops
		job.giveBack(ctx)
		return
	}
	if err != nil && context.Cause(work) == nil {
		r.log.Warn("read a document again", "document", item.Document, "error", err)
	}
	job.End(work, end, err)
}

// giveBack lets the work wait for another process.
func (j *Job) giveBack(ctx context.Context) {
	close(j.over)
	j.ended.Wait()
	j.cancel(nil)
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer stop()
	if err := j.keeper.store.ReturnWork(last, j.id, j.keeper.owner); err != nil {
		j.keeper.log.Warn("give work back", "work", j.id, "error", err)
	}
}

// read reads the document of an item. Somebody may move or delete the document meanwhile.
func (r *Runner) read(ctx context.Context, item Item) (end End, err error) {
	for range 2 {
		if end, err = r.readOnce(ctx, item); fault.KindOf(err) != fault.NotFound {
			break
		}
	}
	return end, err
}

func (r *Runner) readOnce(ctx context.Context, item Item) (End, error) {
	found, err := r.library.Documents(ctx, corpus.DocumentFilter{ID: item.Document, Limit: 1})
	if err != nil {
		return End{}, fmt.Errorf("find document %d: %w", item.Document, err)
	}
	if len(found) == 0 {
		return End{Forget: true}, nil // it was deleted meanwhile
	}
	original, err := r.original(ctx, item.Document)
	if err != nil {
		return End{}, err
	}
	ctx = intake.WithClient(ctx, intake.Client{Key: item.By})
	results, err := r.ingester.ReadAgain(ctx, found[0], original)
	if err != nil {
		return End{}, fmt.Errorf("read document %d again: %w", item.Document, err)
	}
	var end End
	for _, res := range results {
		if res.Status == ingest.Failed {
			if end.Failed++; end.Reason.IsZero() {
				end.State, end.Reason = Failed, res.Reason
			}
		}
	}
	return end, nil
}

// original returns the stored bytes of a document.
func (r *Runner) original(ctx context.Context, id int64) (data []byte, err error) {
	file, err := r.library.Original(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("original of document %d: %w", id, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if data, err = io.ReadAll(file); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "original_unreadable", "the original cannot be read now; try again")
	}
	return data, nil
}
