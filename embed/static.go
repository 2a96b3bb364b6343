package embed

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"docent/internal/cores"
)

// StaticName identifies the vectors of the built-in model.
const StaticName = "docent/static-v1"

const (
	// embedBatch is the number of texts that a worker takes at a time.
	embedBatch = 16
	// embedWindow is the approximate number of bytes that are tokenized at a
	// time, so that the tokens of a large text need little memory.
	embedWindow = 64 << 10
)

// Static is the model inside the binary. It has one vector for each token. The
// vector of a text is the mean of its tokens' vectors, scaled to length 1. Static
// needs no network and no files. model/README.md describes its origin and its
// algorithm.
//
// Token ids are below Tokens and fit in 16 bits. Static is safe for concurrent
// use.
type Static struct {
	table table
	vocab *vocabulary
	// norms caches 1/length of each int8 row as float bits; 0 means not yet
	// computed, and remains for rows of zeros. Computing a value twice is harmless.
	norms []atomic.Uint32
	// cores bounds how many cores embed documents.
	cores *cores.Pool
	// tokenizers are reused, because they hold scratch space.
	tokenizers sync.Pool
}

var _ Embedder = (*Static)(nil)

// NewStatic returns the built-in embedder. The first call takes a few
// milliseconds, and later calls take about one.
func NewStatic() (*Static, error) {
	file, err := vocabularyFile()
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	return newStatic(tableFile, file)
}

func newStatic(tableFile, vocabulary string) (*Static, error) {
	t, err := newTable(tableFile)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	v, err := newVocabulary(vocabulary)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	if n := len(v.start) - 1; n != t.n {
		return nil, fmt.Errorf("embed: %d tokens for %d rows", n, t.n)
	}
	s := &Static{table: t, vocab: v, norms: make([]atomic.Uint32, t.n), cores: cores.New(runtime.GOMAXPROCS(0))}
	s.tokenizers.New = func() any { return &tokenizer{v: v} }
	return s, nil
}

// UseCores sets the pool from which EmbedDocuments borrows cores. A server can
// keep some cores for questions this way. The default pool has all cores. Call
// UseCores before the first EmbedDocuments.
func (s *Static) UseCores(pool *cores.Pool) { s.cores = pool }

// Name returns StaticName.
func (s *Static) Name() string { return StaticName }

// Dimensions returns 256.
func (s *Static) Dimensions() int { return dimensions }

// EmbedQuery returns the vector of a question. It adds no prefix to the question.
func (s *Static) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("embed query: %w", err)
	}
	return s.vector(text), nil
}

// EmbedDocuments returns the vectors of texts. It uses as many cores as the pool
// of [Static.UseCores] lends. If any core panics, the call returns a PanicError.
func (s *Static) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var next atomic.Int64
	var panicked atomic.Pointer[PanicError]
	work := func() {
		defer func() {
			if p := recover(); p != nil {
				panicked.Store(&PanicError{Value: p, Stack: debug.Stack()})
			}
		}()
		for ctx.Err() == nil {
			end := int(next.Add(embedBatch))
			s.embedBatch(ctx, texts, out, end-embedBatch, min(end, len(texts)))
			if end >= len(texts) {
				return
			}
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (len(texts)+embedBatch-1)/embedBatch) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if err := panicked.Load(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("embed documents: %w", err)
	}
	return out, nil
}

// embedBatch embeds some of the texts when a core is free.
func (s *Static) embedBatch(ctx context.Context, texts []string, out [][]float32, from, to int) {
	if s.cores.Acquire(ctx) != nil {
		return // EmbedDocuments returns the error
	}
	defer s.cores.Release()
	for i := from; i < to; i++ {
		out[i] = s.vector(texts[i])
	}
}

// vector returns the vector of text.
func (s *Static) vector(text string) []float32 {
	v := new([dimensions]float32)
	t := s.tokenizers.Get().(*tokenizer)
	for len(text) > 0 {
		end := windowEnd(text)
		t.dst = t.dst[:0]
		t.append(text[:end])
		s.table.sum(v, t.dst)
		text = text[end:]
	}
	s.release(t)
	normalize(v)
	return v[:]
}

// release keeps a tokenizer for reuse, unless a text without white space has
// made it large.
func (s *Static) release(t *tokenizer) {
	if cap(t.dst) <= 2*embedWindow && cap(t.composed) <= 4*embedWindow {
		s.tokenizers.Put(t)
	}
}

// windowEnd returns the end of a piece of text for the tokenizer: at white
// space, because no word crosses it.
func windowEnd(text string) int {
	if len(text) <= embedWindow {
		return len(text)
	}
	if i := strings.IndexAny(text[embedWindow:], " \n\t\r"); i >= 0 {
		return embedWindow + i
	}
	return len(text)
}

// normalize scales v to length 1; a zero vector stays one.
func normalize(v *[dimensions]float32) {
	if square := dot(v[:], v[:]); square > 0 {
		scale(v, 1/float32(math.Sqrt(float64(square))))
	}
}
