package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"docent/embed"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

const (
	// expansion is the usual maximum of memory bytes for each byte of a source.
	// It covers its bytes, its text, its passages, and their vectors.
	expansion = 8
	// minWeight is the minimum share of an item in limits.InFlight.
	minWeight = 4 << 10
	// maxEmbedTexts is the maximum number of texts in one call of the embedder.
	maxEmbedTexts = 512
	// batchDelay is the maximum time that a finished document waits for others
	// to be stored with it.
	batchDelay = 250 * time.Millisecond
)

// batch is a group of steps stored in one transaction.
type batch struct {
	steps []step
	items []*item // of the steps
	bytes int64
	done  chan struct{} // closed when the vectors or err are set
	err   error
}

// work reads, embeds, and stores the items from produce. It yields their
// results in the order in which they were produced, and reports whether all
// items are done. The stages run concurrently. Bounds on the queues between
// them and on the bytes in progress make fast stages wait for slow ones.
func (in *Ingester) work(ctx context.Context, r *run, produce func(send func(step) bool), yield func(Result, error) bool) bool {
	yield = in.counted(yield)
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	depth := 4*in.cfg.Workers + in.cfg.limits.BatchDocuments
	memory := semaphore.NewWeighted(in.cfg.limits.InFlight)
	jobs := make(chan *item)
	order := make(chan step, depth)
	batches := make(chan *batch, in.cfg.Workers)

	group.Go(func() error {
		defer close(order)
		defer close(jobs)
		return in.feed(ctx, r, memory, produce, jobs, order)
	})
	for range in.cfg.Workers {
		group.Go(func() error {
			for it := range jobs {
				in.process(ctx, r, it)
				close(it.done)
			}
			return nil
		})
	}
	group.Go(func() error {
		defer close(batches)
		return in.collect(ctx, order, batches)
	})

	more, err := in.storeAll(ctx, r, batches, memory, yield)
	cancel()
	if failed := group.Wait(); err == nil {
		err = failed
	}
	if !more {
		return false
	}
	if outer.Err() != nil {
		err = context.Cause(outer)
	}
	if err != nil {
		yield(Result{}, err)
	}
	return err == nil
}

// feed sends the produced items to the workers. It also sends them, in the same
// order, to the collecting stage.
func (in *Ingester) feed(ctx context.Context, r *run,
	memory *semaphore.Weighted, produce func(send func(step) bool), jobs chan<- *item, order chan<- step,
) error {
	produce(func(s step) bool {
		if it := s.item; it != nil {
			it.done = make(chan struct{})
			if stored, known := r.states.find(it.source); known {
				it.stored = &stored
			}
			it.weight = min(max(it.size*expansion, minWeight), in.cfg.limits.InFlight)
			if memory.Acquire(ctx, it.weight) != nil {
				return false
			}
			select {
			case jobs <- it:
			case <-ctx.Done():
				return false
			}
		}
		select {
		case order <- s:
			return true
		case <-ctx.Done():
			return false
		}
	})
	return ctx.Err()
}

// collect groups finished items into batches and starts to embed each batch.
func (in *Ingester) collect(ctx context.Context, order <-chan step, batches chan<- *batch) error {
	var embedding errgroup.Group
	defer func() { _ = embedding.Wait() }() // always nil, because a batch keeps its own error
	embedding.SetLimit(in.cfg.Workers)
	cur := &batch{done: make(chan struct{})}
	flush := func() error {
		if len(cur.steps) == 0 {
			return nil
		}
		b := cur
		cur = &batch{done: make(chan struct{})}
		embedding.Go(func() error {
			b.err = in.embedBatch(ctx, b)
			close(b.done)
			return nil
		})
		select {
		case batches <- b:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	timer := time.NewTimer(batchDelay)
	defer timer.Stop()
	for {
		s, ok, err := in.next(ctx, order, timer, flush)
		if err != nil {
			return err
		}
		if !ok {
			return flush()
		}
		cur.steps = append(cur.steps, s)
		if s.item != nil {
			cur.items = append(cur.items, s.item)
			cur.bytes += s.item.size
		}
		if cur.bytes >= in.cfg.limits.BatchBytes || len(cur.steps) >= 2*in.cfg.limits.BatchDocuments {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

// next waits for the next finished step. If that takes long, it first sends the
// current batch.
func (in *Ingester) next(ctx context.Context, order <-chan step, timer *time.Timer, flush func() error) (s step, ok bool, err error) {
	timer.Reset(batchDelay)
	var done <-chan struct{}
	for {
		select {
		case <-ctx.Done():
			return step{}, false, ctx.Err()
		case <-timer.C:
			if err := flush(); err != nil {
				return step{}, false, err
			}
		case s, ok = <-order:
			if !ok || s.item == nil {
				return s, ok, nil
			}
			order, done = nil, s.item.done
		case <-done:
			return s, true, nil
		}
	}
}

// embedBatch embeds the documents of a batch. If the embedder refuses a
// document, panics, or has no usable vectors for it, only that document fails.
func (in *Ingester) embedBatch(ctx context.Context, b *batch) error {
	alone := func(err error) bool {
		return ctx.Err() == nil && (fault.KindOf(err) == fault.Invalid || panicked(err) || unusable(err))
	}
	err := in.embedItems(ctx, b.items)
	if err == nil || !alone(err) {
		return err
	}
	if unusable(err) { // if the server has no vectors for this text either, no document is the cause
		if _, err := embedTexts(ctx, in.cfg.Embedder, []string{controlText}); err != nil {
			return fmt.Errorf("embed a text that every model knows: %w", err)
		}
	}
	for _, it := range b.items {
		err := in.embedItems(ctx, []*item{it})
		switch {
		case err == nil:
		case !alone(err):
			return err
		default:
			reason := fault.NewText("embedder_refuses", "the embedder refuses it: %s", fault.TextOf(err))
			if panicked(err) {
				in.log.Error("a document cannot be embedded", "source", it.source, "error", err)
				reason = fault.NewText("document_failed", "docent failed to read it; the log has the details")
			}
			it.result.Status, it.result.Reason, it.result.Chunks, it.result.Note = Failed, reason, 0, ""
			if it.silent {
				it.put = nil
				continue
			}
			d := it.put.Document
			d.Status, d.Error, d.Text, d.Chunks = corpus.Failed, reason, "", 0
			failed := &intake.Put{Document: d, Embedder: it.put.Embedder, Replaces: it.put.Replaces}
			if it.kept {
				failed.Original = it.put.Original
			}
			it.put = failed
		}
	}
	return nil
}

// controlText shows whether the embedder works.
const controlText = "Which documents are there?"

// unusable reports whether an error is an answer of the embedder without usable vectors.
func unusable(err error) bool {
	var u *embed.UnusableError
	return errors.As(err, &u)
}

// panicked reports whether an error comes from a panic of the embedder.
func panicked(err error) bool {
	var p *embed.PanicError
	return errors.As(err, &p)
}

// embedItems embeds the chunks of several documents in few calls.
func (in *Ingester) embedItems(ctx context.Context, items []*item) error {
	var texts []string
	var into []*intake.Put
	flush := func() error {
		vectors, err := embedTexts(ctx, in.cfg.Embedder, texts)
		if err != nil {
			return fmt.Errorf("embed %d texts: %w", len(texts), err)
		}
		for i, v := range vectors {
			into[i].Vectors = append(into[i].Vectors, v)
		}
		texts, into = texts[:0], into[:0]
		return nil
	}
	for _, it := range items {
		if it.put == nil {
			continue
		}
		it.put.Vectors = make([][]float32, 0, len(it.put.Chunks))
		for _, c := range it.put.Chunks {
			texts, into = append(texts, corpus.IndexText(it.put.Document.Title, c)), append(into, it.put)
			if len(texts) == maxEmbedTexts {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return flush()
}

// storeAll stores the batches as they arrive and yields their results. more is
// false if the caller broke the loop.
func (in *Ingester) storeAll(ctx context.Context, r *run, batches <-chan *batch,
	memory *semaphore.Weighted, yield func(Result, error) bool,
) (more bool, err error) {
	for b := range batches {
		select {
		case <-b.done:
		case <-ctx.Done():
			return true, ctx.Err()
		}
		err := b.err
		for _, it := range b.items {
			err = errors.Join(err, it.err)
		}
		if err != nil {
			return true, err
		}
		if more, err := in.storeBatch(ctx, r, b, yield); !more || err != nil {
			return more, err
		}
		for _, it := range b.items {
			memory.Release(it.weight)
		}
	}
	return true, nil
}

// storeBatch stores a batch in one step and yields its results.
func (in *Ingester) storeBatch(ctx context.Context, r *run, b *batch, yield func(Result, error) bool) (more bool, err error) {
	var puts []intake.Put
	var of []*item
	for _, it := range b.items {
		if it.put != nil {
			puts, of = append(puts, *it.put), append(of, it)
		}
	}
	if len(puts) > 0 {
		ids, err := in.cfg.Store.PutDocuments(ctx, puts)
		if err != nil {
			return true, fmt.Errorf("store %d documents: %w", len(puts), err)
		}
		for i, it := range of {
			it.result.DocumentID = ids[i]
			r.at.Chunks += len(it.put.Chunks)
			it.put, it.data = nil, nil
		}
	}
	for _, s := range b.steps {
		if it := s.item; it != nil {
			r.at.Bytes += it.counts
			if !yield(it.result, nil) {
				return false, nil
			}
			continue
		}
		r.at.Bytes += s.end.counts
		r.at.Files++
		if s.end.whole != nil && s.end.whole.unread { // its parts may still exist
			continue
		}
		if more, err := in.remove(ctx, s.end.stale, yield); !more || err != nil {
			return more, err
		}
	}
	r.progress(r.at)
	return true, nil
}

// counted counts results by status in the metrics.
func (in *Ingester) counted(yield func(Result, error) bool) func(Result, error) bool {
	return func(res Result, err error) bool {
		if err == nil {
			in.cfg.Metrics.GetOrCreateCounter(fmt.Sprintf("docent_ingest_documents_total{status=%q}", res.Status)).Inc()
		}
		return yield(res, err)
	}
}
