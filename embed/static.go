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

// StaticName identifies the built-in model's vectors.
const StaticName = "docent/static-v1"

const (
	// embedBatch is how many texts a worker takes at a time.
	embedBatch = 16
	// embedWindow is about how many bytes of a text are tokenized at a time,
	// so that a large text does not need as much memory again for its tokens.
	embedWindow = 64 << 10
)

// Static is the model inside the binary: one vector per token, a text's vector
// is their mean, scaled to length 1. It needs no network and nothing on disk.
// model/README.md says where it comes from and states the algorithm.
//
// Its token ids are at most 16 bits wide and all below Tokens. It is safe for
// concurrent use.
type Static struct {
	table table
	vocab *vocabulary
	// norms caches, as float bits, 1/length of each int8 row; 0 is not yet
	// known, and a row of zeros keeps it. Computing one twice is harmless.
	norms []atomic.Uint32
	// cores bounds how many cores embed documents.
	cores *cores.Pool
	// tokenizers are reused: they hold scratch space.
	tokenizers sync.Pool
}

var _ Embedder = (*Static)(nil)

// NewStatic makes the built-in embedder. It takes some milliseconds the first
// time, and about one from then on.
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

// UseCores makes EmbedDocuments borrow its cores from a pool, so that a server
// keeps some for questions. The default pool has all cores. Call UseCores before
// the first EmbedDocuments.
func (s *Static) UseCores(pool *cores.Pool) { s.cores = pool }

// Name returns StaticName.
func (s *Static) Name() string { return StaticName }

// Dimensions returns 256.
func (s *Static) Dimensions() int { return dimensions }

// EmbedQuery returns the vector of a question, embedded as it stands.
func (s *Static) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("embed query: %w", err)
	}
	return s.vector(text), nil
}

// EmbedDocuments returns the vectors of texts. It computes them on as many cores
// as the pool of [Static.UseCores] lends. A panic on any core is a PanicError of
// this call.
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

// embedBatch embeds some of the texts when a core is free for it.
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

// release gives a tokenizer back for reuse, unless one text without white space
// has made it large.
func (s *Static) release(t *tokenizer) {
	if cap(t.dst) <= 2*embedWindow && cap(t.composed) <= 4*embedWindow {
		s.tokenizers.Put(t)
	}
}

// windowEnd returns where a piece of text for the tokenizer ends: at white
// space, over which no word reaches.
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
