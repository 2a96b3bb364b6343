package vectors

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"docent/internal/flat"
)

// A saved set is a flat stream: the names, the revision and the length of
// the vectors, the chunks in ascending order, and their vectors. More data of each
// chunk can follow as further parts.
const (
	imageMagic   = "DENC"
	imageVersion = 1
)

// image has the vectors of a snapshot.
type image struct {
	ids    []int64 // in ascending order
	values []float32
	width  int // of a vector
}

// get returns the vector of a chunk, or nil.
func (m *image) get(id int64) []float32 {
	i, ok := slices.BinarySearch(m.ids, id)
	if !ok {
		return nil
	}
	return m.values[i*m.width : (i+1)*m.width : (i+1)*m.width]
}

// Save writes the set without the pending vectors.
func (s *Set) Save(to io.Writer) error {
	ids := s.IDs()
	s.mu.RLock()
	defer s.mu.RUnlock()
	w := flat.NewWriter(to, imageMagic, imageVersion)
	flat.PutStrings(w, s.cfg.Names)
	flat.Put(w, []int64{s.revision, int64(s.cfg.Dimensions)})
	flat.Put(w, ids)
	flat.PutAll(w, len(ids)*s.cfg.Dimensions, func(yield func([]float32) bool) {
		for _, v := range s.all {
			if !yield(v) {
				return
			}
		}
	})
	if err := w.Err(); err != nil {
		return fmt.Errorf("vectors of chunks: save: %w", err)
	}
	return nil
}

var errParts = errors.New("its parts do not fit together")

// Load replaces the contents of the set with the output of Save, and reports whether
// that has the same names and dimensions. It keeps data, which must not change. If it
// has others, Load changes nothing. If Load fails, the set is empty.
func (s *Set) Load(data []byte) (ok bool, err error) {
	r := flat.NewReader(data, imageMagic, imageVersion)
	names, numbers := flat.TakeStrings(r), flat.Take[int64](r)
	if r.Err() == nil && (!slices.Equal(names, s.cfg.Names) || len(numbers) != 2 || numbers[1] != int64(s.cfg.Dimensions)) {
		return false, nil
	}
	saved := image{ids: flat.Take[int64](r), values: flat.Take[float32](r), width: s.cfg.Dimensions}
	switch {
	case r.Err() != nil:
		err = r.Err()
	case numbers[0] < 0 || len(saved.values)%saved.width != 0 || len(saved.values)/saved.width != len(saved.ids) || !flat.Ascending(saved.ids):
		err = errParts
	}
	if err != nil {
		s.Reset()
		return false, fmt.Errorf("vectors of chunks: load: %w", err)
	}
	s.replace(numbers[0], saved)
	return true, nil
}
