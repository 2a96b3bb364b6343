package vectors

import "iter"

// Encoding is a vector as a store has it.
type Encoding struct {
	// ChunkID is the id of the chunk.
	ChunkID int64
	// Revision is the number of the write that stored the vector.
	Revision int64
	// Vector is the vector. A set keeps it, so it must not change.
	Vector []float32
}

// Read reads the vectors after those that it has read, and keeps them until Commit. It
// stops early when at least limit vectors are pending, and then returns true. After an
// error, the next call continues. stored yields the vectors after a revision, in the
// order of revisions. An error comes once and last.
func (s *Set) Read(stored func(since int64) iter.Seq2[Encoding, error], limit int) (more bool, err error) {
	if len(s.pending) >= limit {
		return true, nil
	}
	// The vectors of a revision count only together. Otherwise, the next call would skip
	// the rest of a revision after an error.
	var revision []Encoding
	for e, err := range stored(s.read) {
		if err != nil {
			return false, err
		}
		if len(revision) > 0 && revision[0].Revision != e.Revision {
			if s.take(revision); len(s.pending) >= limit {
				return true, nil
			}
			revision = revision[:0]
		}
		revision = append(revision, e)
	}
	s.take(revision)
	return false, nil
}

// take keeps all vectors of a revision.
func (s *Set) take(revision []Encoding) {
	for _, e := range revision {
		s.read = e.Revision
		if len(e.Vector) == s.cfg.Dimensions {
			s.pending[e.ChunkID] = e.Vector
		}
	}
}

// Pending returns the vectors that were read since the last Commit. The caller must not
// change them.
func (s *Set) Pending() map[int64][]float32 { return s.pending }
