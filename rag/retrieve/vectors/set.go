// Package vectors holds the vectors of an encoder, by chunk. Those of a snapshot stay
// in its file, and only later ones are in memory.
package vectors

import (
	"maps"
	"slices"
	"sync"
)

// Config describes the vectors of an encoder.
type Config struct {
	// Names identify the encoder and the documents that it takes. Saved vectors of
	// other names are not used. Required.
	Names []string
	// Dimensions is the length of the vectors. Vectors of another length are not
	// read. Required.
	Dimensions int
}

// Set has the vectors of an encoder, by chunk. Read reads new vectors of a store, and
// Commit adds them. Get, Has, and Len are safe for concurrent use with one other
// method.
type Set struct {
	cfg Config
	// read is the revision of the last vectors that were read.
	read int64
	// pending are the vectors that were read since the last Commit.
	pending map[int64][]float32

	mu sync.RWMutex // guards the following fields
	// revision is the revision of the last vectors in the set.
	revision int64
	saved    image
	// changed has the vectors that changed since the snapshot. That of a deleted
	// chunk is nil.
	changed map[int64][]float32
	n       int
}

// New makes an empty set.
func New(cfg Config) *Set {
	s := &Set{cfg: cfg}
	s.Reset()
	return s
}

// Reset removes everything, so that Read begins with the first vector.
func (s *Set) Reset() { s.replace(0, image{}) }

// replace replaces all contents. It drops the pending vectors: Read reads them again.
func (s *Set) replace(revision int64, saved image) {
	s.read, s.pending = revision, map[int64][]float32{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision, s.saved, s.changed, s.n = revision, saved, map[int64][]float32{}, len(saved.ids)
}

// Len counts the chunks with a vector.
func (s *Set) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.n
}

// Get returns the vector of a chunk, or nil if it has none. The vector must not
// change.
func (s *Set) Get(id int64) []float32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.get(id)
}

// get is Get for a caller that holds mu.
func (s *Set) get(id int64) []float32 {
	if v, ok := s.changed[id]; ok {
		return v
	}
	return s.saved.get(id)
}

// Delete removes the vectors of chunks. It ignores chunks without one.
func (s *Set) Delete(ids []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if s.get(id) == nil {
			continue
		}
		s.n--
		if s.saved.get(id) != nil {
			s.changed[id] = nil
		} else {
			delete(s.changed, id)
		}
	}
}

// Commit adds the pending vectors of the given chunks, and drops the others.
func (s *Set) Commit(ids []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		v := s.pending[id]
		if v == nil {
			continue
		}
		if s.get(id) == nil {
			s.n++
		}
		s.changed[id] = v
	}
	s.revision, s.pending = s.read, map[int64][]float32{}
}

// IDs returns the chunks with a vector, in ascending order.
func (s *Set) IDs() []int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]int64, 0, s.n)
	for id := range s.all {
		out = append(out, id)
	}
	return out
}

// all yields the vectors in the order of their chunks. The caller holds mu.
func (s *Set) all(yield func(id int64, v []float32) bool) {
	saved, changed := s.saved.ids, slices.Sorted(maps.Keys(s.changed))
	for len(saved)+len(changed) > 0 {
		var id int64
		switch {
		case len(changed) == 0 || len(saved) > 0 && saved[0] < changed[0]:
			id, saved = saved[0], saved[1:]
		case len(saved) > 0 && saved[0] == changed[0]:
			id, saved, changed = saved[0], saved[1:], changed[1:]
		default:
			id, changed = changed[0], changed[1:]
		}
		if v := s.get(id); v != nil && !yield(id, v) {
			return
		}
	}
}
