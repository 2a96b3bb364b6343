package flat

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"docent/index"
	"docent/rag/retrieve"
)

const (
	// fewPerHit is the number of vectors per wanted hit up to which a search
	// compares float32 only.
	fewPerHit = 4
	// workPerCore is the number of bytes for which a search uses another core.
	workPerCore = 512 << 10
)

// part is a piece of work: vectors, and their block if the search uses codes.
type part struct {
	vectors []*index.Vector
	*block
}

// Nearest implements retrieve.Nearest.
func (x *Index) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("vector index: search: %w", err)
	}
	searching := int(x.searching.Add(1))
	defer x.searching.Add(-1)
	x.mu.RLock()
	defer x.mu.RUnlock()
	query, ok, err := x.vectors.Query(vector, k)
	if err != nil || !ok {
		return []retrieve.Hit{}, err
	}
	parts, n := x.parts(filter)
	exact, size := x.cfg.Float32 || len(filter.Documents) > 0 || n <= fewPerHit*k, len(query)
	if exact {
		size *= 4
	}
	s := &search{parts: parts, k: k, kernel: x.kernel}
	if !exact {
		s.query = newQuery(query)
	}
	s.floats = query
	cores := min(x.cores(searching), 1+n*size/workPerCore, len(parts))
	if err := s.run(ctx, cores); err != nil {
		return nil, fmt.Errorf("vector index: search: %w", err)
	}
	return s.hits(), nil
}

// parts divides the vectors that the filter accepts, and counts them.
func (x *Index) parts(filter retrieve.Filter) (parts []part, n int) {
	_ = x.vectors.Collections(filter, func(name string, vectors []*index.Vector) error { // never fails
		n += len(vectors)
		at := 0
		for piece := range slices.Chunk(vectors, blockRows) {
			p := part{vectors: piece}
			if !x.cfg.Float32 && len(filter.Documents) == 0 { // a block has a whole collection
				p.block = x.codes[name].blocks[at]
			}
			parts = append(parts, p)
			at++
		}
		return nil
	})
	return parts, n
}

// cores returns the number of cores that a search may use: all that neither
// background work nor other searches use, and at least one.
func (x *Index) cores(searching int) int {
	return max(1, runtime.GOMAXPROCS(0)+1-max(searching, x.cfg.Cores.Busy()))
}

// search is one search. Workers take parts until none is left.
type search struct {
	parts  []part
	k      int
	kernel *kernel
	floats []float32
	query  *query // nil if the search compares float32 only

	next    atomic.Int64
	mu      sync.Mutex // guards the following fields
	top     index.Top
	bounds  bounds
	stopped error
}

// run works on a number of cores, including that of the caller.
func (s *search) run(ctx context.Context, cores int) error {
	s.top.K, s.bounds.k = s.k, s.k
	var work sync.WaitGroup
	for range cores - 1 {
		work.Go(func() { s.work(ctx) })
	}
	s.work(ctx)
	work.Wait()
	return s.stopped
}

func (s *search) work(ctx context.Context) {
	top, found := index.Top{K: s.k}, bounds{k: s.k}
	if s.query != nil {
		usual := min(s.k, blockRows)
		found.least, found.found = make([]float32, 0, usual), make([]candidate, 0, 4*usual)
	}
	var err error
	for err = ctx.Err(); err == nil; err = ctx.Err() {
		i := int(s.next.Add(1)) - 1
		if i >= len(s.parts) {
			break
		}
		if p := s.parts[i]; s.query == nil {
			top.Scan(s.floats, p.vectors)
		} else {
			found.scan(s.kernel, s.query, p)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.top.Merge(&top)
	s.bounds.merge(&found)
	if err != nil {
		s.stopped = err
	}
}

// hits compares the remaining vectors in float32, those that can score highest
// first. It stops when no other vector can be a hit. So the hits are exact.
func (s *search) hits() []retrieve.Hit {
	for _, c := range s.bounds.best() {
		if floor, full := s.top.Floor(); full && c.most < floor {
			break
		}
		s.top.Add(s.floats, c.Vector)
	}
	return s.top.Hits()
}

// query is a query in int8.
type query struct {
	codes []int8
	scale float32
	// length is that of scale times codes. distance is not less than the distance
	// to the query, plus the errors of computing in float32.
	length, distance float32
}

func newQuery(values []float32) *query {
	q := &query{codes: make([]int8, newMatrix(len(values)).width)}
	q.scale, q.distance = quantize(q.codes, values)
	q.distance += 4e-6 + float32(len(values))*4e-9
	square := 0
	for _, c := range q.codes {
		square += int(c) * int(c)
	}
	q.length = float32(math.Sqrt(float64(square))) * q.scale * (1 + 1e-6)
	return q
}

// candidate is a vector with a number that its score does not exceed.
type candidate struct {
	*index.Vector
	most float32
}

// bounds collects the vectors that can be among the k best. The true score of a
// vector differs from that of its codes by less than
// query.length*error + query.distance (Cauchy-Schwarz).
type bounds struct {
	k int
	// least are the k highest numbers that scores are not below. It is a heap with
	// the lowest on top.
	least []float32
	found []candidate
	limit int // of found, before vectors that fell behind are removed
}

// floor is a number that the k-th best score is not below.
func (b *bounds) floor() float32 {
	if len(b.least) < b.k {
		return float32(math.Inf(-1))
	}
	return b.least[0]
}

func (b *bounds) scan(k *kernel, q *query, p part) {
	var buffer [blockRows]int32
	dots := buffer[:len(p.vectors)]
	k.all(dots, q.codes, p.codes)
	scales, errors := p.scales[:len(dots)], p.errors[:len(dots)]
	floor := b.floor()
	for i, d := range dots {
		score, distance := float32(d)*scales[i]*q.scale, errors[i]*q.length+q.distance
		if score+distance < floor {
			continue
		}
		b.found = append(b.found, candidate{p.vectors[i], score + distance})
		b.add(score - distance)
		floor = b.floor()
	}
	if len(b.found) > b.limit {
		b.trim()
		b.limit = 2*len(b.found) + 4*b.k
	}
}

// add offers a lower bound of a score.
func (b *bounds) add(least float32) {
	h := b.least
	if len(h) < b.k {
		h = append(h, least)
		for i := len(h) - 1; i > 0 && h[(i-1)/2] > h[i]; i = (i - 1) / 2 {
			h[(i-1)/2], h[i] = h[i], h[(i-1)/2]
		}
		b.least = h
		return
	}
	if least <= h[0] {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if child >= len(h) || h[child] >= least {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = least
}

func (b *bounds) trim() {
	floor := b.floor()
	b.found = slices.DeleteFunc(b.found, func(c candidate) bool { return c.most < floor })
}

func (b *bounds) merge(other *bounds) {
	b.found = append(b.found, other.found...)
	for _, least := range other.least {
		b.add(least)
	}
}

// best returns the vectors that can be among the k best, in the order of their
// bounds.
func (b *bounds) best() []candidate {
	b.trim()
	slices.SortFunc(b.found, func(x, y candidate) int {
		switch {
		case x.most > y.most:
			return -1
		case x.most < y.most:
			return 1
		}
		return 0
	})
	return b.found
}
