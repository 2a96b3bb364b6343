package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Input is a source for ReadAll.
type Input struct {
	// Source is the source of the document.
	Source string
	// Name is a file name that helps to detect the format.
	Name string
	// Size is in bytes; 0 if unknown.
	Size int64
	// Modified is the modification time; zero if unknown.
	Modified time.Time
	// DateFrom says where Modified comes from. Default: corpus.FileTime.
	DateFrom corpus.DateFrom
	// Open returns the content. ReadAll opens several inputs at the same time.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Outcome counts the documents of one input.
type Outcome struct {
	// Source is the source of the input.
	Source string
	// Added counts new documents.
	Added int
	// Changed counts documents with a new stored version.
	Changed int
	// Unchanged counts documents whose stored version is current.
	Unchanged int
	// Removed counts parts that the input no longer contains.
	Removed int
	// Failed counts documents that cannot be read.
	Failed int
	// Skipped counts sources without text.
	Skipped int
	// Chunks counts the passages of all documents.
	Chunks int
	// Reason says why the first failed document is unreadable, or why the input
	// could not be opened.
	Reason fault.Text
	// Unread reports that the input could not be opened or read. Nothing was stored
	// then.
	Unread bool
}

// Batch reads many inputs into one collection. It knows the documents that the
// collection contained when the batch was created.
type Batch struct {
	in  *Ingester
	run *run
	// window bounds the bytes of the open inputs.
	window *semaphore.Weighted
	budget int64
}

// Batch returns a Batch that reads inputs into a collection; "" is the default
// collection. If retry is set, documents that failed earlier are read again even
// if they have not changed. A batch can be used only once.
func (in *Ingester) Batch(ctx context.Context, collection string, retry bool) (*Batch, error) {
	r, err := in.start(ctx, collection, "")
	if err != nil {
		return nil, err
	}
	r.retry = retry
	budget := max(in.cfg.MaxFileSize, minWindow)
	return &Batch{in: in, run: r, window: semaphore.NewWeighted(budget), budget: budget}, nil
}

// Documents returns the documents of a source and its parts, as of the creation
// of the batch.
func (b *Batch) Documents(source string) []intake.SourceState {
	var out []intake.SourceState
	if s, ok := b.run.states.find(source); ok {
		out = append(out, s)
	}
	return append(out, b.run.states.below(source)...)
}

// Current reports whether a source is stored and up to date. Reading the same
// content again would then change nothing.
func (b *Batch) Current(source string) bool {
	docs := b.Documents(source)
	for _, s := range docs {
		if !b.in.pipelines.current(s.Pipeline) || s.Status == corpus.Ready && s.Embedded != s.Chunks {
			return false
		}
	}
	return len(docs) > 0
}

const (
	// readAhead is the number of inputs that are open at once.
	readAhead = 4
	// minWindow is the minimum bound on the bytes of the open inputs.
	minWindow = 64 << 20
)

// ReadAll reads inputs and yields an outcome for each, in order. It yields an
// outcome after all documents of the input are stored. For an unreadable input it
// yields an outcome, keeps the earlier version, and continues. An error is
// yielded once and last. The context of an input ends when the caller needs no
// more inputs.
func (b *Batch) ReadAll(ctx context.Context, inputs func(context.Context) iter.Seq[Input]) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		g := &gathering{}
		stopped := false // by the caller
		emit := func(done int) {
			for _, out := range g.take(done) {
				if ctx.Err() == nil && !yield(out, nil) {
					stopped = true
					cancel()
				}
			}
		}
		defer func() { b.in.warn("remove the folder of parts", b.run.spool.remove()) }()
		b.run.progress = func(p Progress) { emit(p.Files) }
		produce := func(send func(step) bool) { b.produce(ctx, g, inputs, send) }
		b.in.work(ctx, b.run, produce, func(res Result, err error) bool {
			switch {
			case stopped:
				return false
			case err != nil:
				yield(Outcome{}, err)
				return false
			}
			g.add(res)
			return true
		})
	}
}

// gathering collects the results of the inputs in progress. The producer adds
// inputs. The storing goroutine adds results and takes outcomes.
type gathering struct {
	mu   sync.Mutex
	open []*Outcome // in the order of the inputs
	done int        // number of taken outcomes
}

func (g *gathering) begin(source string) *Outcome {
	out := &Outcome{Source: source}
	g.mu.Lock()
	g.open = append(g.open, out)
	g.mu.Unlock()
	return out
}

// add counts a result. Results come in the order of the inputs.
func (g *gathering) add(res Result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, out := range g.open {
		if res.Source != out.Source && !strings.HasPrefix(res.Source, out.Source+"#") {
			continue
		}
		switch res.Status {
		case Added:
			out.Added++
		case Changed:
			out.Changed++
		case Unchanged:
			out.Unchanged++
		case Removed:
			out.Removed++
			return // its chunks no longer exist
		case Skipped:
			out.Skipped++
		case Failed:
			out.Failed++
			if out.Reason.IsZero() {
				out.Reason = res.Reason
			}
		}
		out.Chunks += res.Chunks
		return
	}
}

// take removes the outcomes of the first n inputs.
func (g *gathering) take(done int) []Outcome {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(done-g.done, len(g.open))
	if n <= 0 {
		return nil
	}
	out := make([]Outcome, n)
	for i, o := range g.open[:n] {
		out[i] = *o
	}
	g.open, g.done = g.open[n:], g.done+n
	return out
}

// opened is an input whose content is being read.
type opened struct {
	input  Input
	weight int64
	done   chan struct{} // closed when data or reason is set
	data   []byte
	reason fault.Text
	unread bool
}

// produce reads inputs ahead and sends their documents in order.
func (b *Batch) produce(ctx context.Context, g *gathering, inputs func(context.Context) iter.Seq[Input], send func(step) bool) {
	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	queue := make(chan *opened, readAhead)
	reading.Go(func() {
		defer close(queue)
		b.openAll(ctx, inputs(ctx), queue, &reading)
	})
	defer reading.Wait()
	defer cancel()
	for o := range queue {
		select {
		case <-o.done:
		case <-ctx.Done():
			return
		}
		ok := b.send(ctx, g.begin(o.input.Source), o, send)
		o.data = nil
		b.window.Release(o.weight)
		if !ok {
			return
		}
	}
}

// openAll starts to read each input. The window bounds the number of open
// inputs.
func (b *Batch) openAll(ctx context.Context, inputs iter.Seq[Input], queue chan<- *opened, reading *sync.WaitGroup) {
	for input := range inputs {
		o := &opened{input: input, done: make(chan struct{}), weight: min(max(input.Size, b.budget/readAhead), b.budget)}
		if b.window.Acquire(ctx, o.weight) != nil {
			return
		}
		reading.Go(func() {
			defer close(o.done)
			b.read(ctx, o)
		})
		select {
		case queue <- o:
		case <-ctx.Done():
			return
		}
	}
}

// read reads the content of an input up to the size limit.
func (b *Batch) read(ctx context.Context, o *opened) {
	defer func() {
		if p := recover(); p != nil {
			b.in.log.Error("panic while opening a source", "source", o.input.Source, "panic", p, "stack", string(debug.Stack()))
			o.data, o.unread, o.reason = nil, true, fault.NewText("document_failed", "docent failed to read it; the log has the details")
		}
	}()
	limit := b.in.cfg.MaxFileSize
	if o.input.Size > limit {
		o.unread, o.reason = true, tooLarge(o.input.Size, limit)
		return
	}
	content, err := o.input.Open(ctx)
	if err == nil {
		o.data, err = io.ReadAll(io.LimitReader(content, limit+1))
		if failed := content.Close(); err == nil {
			err = failed
		}
	}
	switch {
	case err != nil:
		b.in.log.Debug("source cannot be opened", "source", o.input.Source, "error", err)
		o.data, o.unread, o.reason = nil, true, Reason(err)
	case int64(len(o.data)) > limit:
		o.data, o.unread, o.reason = nil, true, moreThan(limit)
	}
}

// Reason returns the reason why a source is unreadable, as one line.
func Reason(err error) fault.Text {
	var known *fault.Fault
	if errors.As(err, &known) {
		return fault.TextOf(err)
	}
	return reasonOf(err)
}

// send sends the documents of an input and an end marker.
func (b *Batch) send(ctx context.Context, out *Outcome, o *opened, send func(step) bool) bool {
	if !o.unread && o.data == nil {
		o.unread, o.reason = true, fault.NewText("unreadable", "cannot be read")
	}
	if o.unread {
		out.Unread, out.Reason = true, o.reason
		return send(step{end: &end{}})
	}
	ok := true
	b.in.produceRead(ctx, b.run, o.input.Source, o.input.Name, o.data, func(s step) bool {
		if it := s.item; it != nil {
			if !o.input.Modified.IsZero() {
				it.mtime, it.dated = o.input.Modified.UnixNano(), o.input.DateFrom
			}
			// The earlier version stays if this one is unreadable.
			earlier, known := b.run.states.find(it.source)
			it.silent = it.silent || known && earlier.Status == corpus.Ready
		}
		ok = send(s)
		return ok
	})
	return ok
}

// String describes the outcome for tests and logs.
func (o Outcome) String() string {
	text := fmt.Sprintf("%s: %d added, %d changed, %d unchanged, %d removed, %d failed", o.Source, o.Added, o.Changed, o.Unchanged, o.Removed,
		o.Failed)
	if o.Unread {
		text += ", unread"
	}
	if !o.Reason.IsZero() {
		text += " (" + o.Reason.Message + ")"
	}
	return text
}
