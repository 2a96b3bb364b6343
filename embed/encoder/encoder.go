package encoder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"docent/embed"
	"docent/internal/cores"
)

// Name identifies the encoder's vectors.
const Name = "docent/minilm-l6-v1"

// maxBytes bounds how much of a text the encoder reads. Of longer texts it reads
// the beginning.
const maxBytes = 64 << 10

// ErrUnavailable reports a processor that the encoder has no kernel for.
var ErrUnavailable = errors.New("encoder: this processor has neither AVX2 with FMA nor NEON with dot products")

// Config has the settings of an encoder.
type Config struct {
	// Cores lends EmbedDocuments its cores, one per batch. Default: all cores.
	Cores *cores.Pool
	// AllowPlain makes New succeed on every processor. Without another kernel,
	// plain Go needs about a second per passage. It is for tests.
	// Default: false.
	AllowPlain bool
}

// Encoder is a transformer. It implements [embed.Embedder]. It needs no network.
// It is safe for concurrent use.
type Encoder struct {
	model  *model
	kernel *kernel
	cores  *cores.Pool
	// workers are reused: they hold buffers.
	workers sync.Pool
}

var _ embed.Embedder = (*Encoder)(nil)

// Available returns the name of the kernel that New chooses: "avx512vnni",
// "avxvnni", "avx2", or "neon". It reports false if this processor can run none of them.
func Available() (name string, ok bool) {
	k, ok := bestKernel()
	if !ok {
		return "", false
	}
	return k.name, true
}

// New makes an encoder of the built-in model. The first call of a process takes some milliseconds. It
// returns ErrUnavailable if Available reports false, unless cfg.AllowPlain is
// set.
func New(cfg Config) (*Encoder, error) {
	k, err := cfg.kernel()
	if err != nil {
		return nil, err
	}
	return newEncoder(k, cfg.Cores)
}

// kernel returns the kernel for this processor.
func (c Config) kernel() (*kernel, error) {
	k, ok := bestKernel()
	switch {
	case !ok && !c.AllowPlain:
		return nil, ErrUnavailable
	case !ok:
		return plain, nil
	}
	return k, nil
}

func newEncoder(k *kernel, pool *cores.Pool) (*Encoder, error) {
	m, err := loadModel()
	if err != nil {
		return nil, err
	}
	return encoderOf(m, k, pool), nil
}

func encoderOf(m *model, k *kernel, pool *cores.Pool) *Encoder {
	if pool == nil {
		pool = cores.New(runtime.GOMAXPROCS(0))
	}
	e := &Encoder{model: m, kernel: k, cores: pool}
	e.workers.New = func() any { return newWorker(m, k) }
	return e
}

// Kernel returns the name of the kernel in use, as Available does, or "plain".
func (e *Encoder) Kernel() string { return e.kernel.name }

// Name returns the name of the model: Name for the built-in one.
func (e *Encoder) Name() string { return e.model.name }

// Dimensions returns the length of the vectors: 384 for the built-in model.
func (e *Encoder) Dimensions() int { return e.model.Width }

// EmbedQuery returns the vector of a question. It does not wait for a core of
// the pool.
func (e *Encoder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("encode query: %w", err)
	}
	ids := e.model.tokens(text)
	if len(ids) <= 2 {
		return make([]float32, e.model.Width), nil
	}
	w := e.workers.Get().(*worker)
	defer e.workers.Put(w)
	return w.encode([][]int32{ids}, e.model.pool)[0], nil
}

// EmbedDocuments returns the vectors of texts, in order. It computes them in
// batches of texts of similar length, on as many cores as the pool lends, and
// stops between two batches when ctx ends. A panic on any core is an
// [embed.PanicError] of this call.
func (e *Encoder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	ids := make([][]int32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("encode documents: %w", err)
		}
		ids[i] = e.model.tokens(text)
	}
	if err := e.run(ctx, ids, e.model.pool, out); err != nil {
		return nil, err
	}
	for i, v := range out {
		if len(ids[i]) <= 2 {
			clear(v)
		}
	}
	return out, nil
}

// FirstStates returns the state of the first token of each text after the last
// layer. Classifiers read it. A text is given as its token ids: 1 to MaxTokens,
// each below the number of words. Those of a second text have SecondText added.
// FirstStates computes the texts as EmbedDocuments does.
func (e *Encoder) FirstStates(ctx context.Context, texts [][]int32) ([][]float32, error) {
	out := make([][]float32, len(texts))
	return out, e.run(ctx, texts, first, out)
}

// run applies pool to the states of texts, and sets out to the results.
func (e *Encoder) run(ctx context.Context, ids [][]int32, pool func([]float32, int, int) []float32, out [][]float32) error {
	batches := batchesOf(ids, e.model.batchTokens())
	var next atomic.Int64
	var panicked atomic.Pointer[embed.PanicError]
	work := func() {
		defer func() {
			if p := recover(); p != nil {
				panicked.Store(&embed.PanicError{Value: p, Stack: debug.Stack()})
			}
		}()
		for i := int(next.Add(1)) - 1; i < len(batches) && e.cores.Acquire(ctx) == nil; i = int(next.Add(1)) - 1 {
			e.runBatch(ids, batches[i], pool, out)
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(batches)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if err := panicked.Load(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("encode documents: %w", err)
	}
	return nil
}

// runBatch computes the texts of a batch and returns the core that the caller has
// borrowed.
func (e *Encoder) runBatch(ids [][]int32, batch []int, pool func([]float32, int, int) []float32, out [][]float32) {
	defer e.cores.Release()
	w := e.workers.Get().(*worker)
	defer e.workers.Put(w)
	texts := make([][]int32, len(batch))
	for i, text := range batch {
		texts[i] = ids[text]
	}
	for i, v := range w.encode(texts, pool) {
		out[batch[i]] = v
	}
}

// batchesOf divides texts, given as their token ids, into batches of at most
// limit tokens. The longest texts come first, so that all cores finish at about
// the same time.
func batchesOf(ids [][]int32, limit int) [][]int {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ids[b]), len(ids[a])) })
	var batches [][]int
	from, tokens := 0, 0
	for i, text := range order {
		if tokens+len(ids[text]) > limit && i > from {
			batches = append(batches, order[from:i])
			from, tokens = i, 0
		}
		tokens += len(ids[text])
	}
	if from < len(order) {
		batches = append(batches, order[from:])
	}
	return batches
}
