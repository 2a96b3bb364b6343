// Package index holds the parts that vector indexes in memory share: a table of
// vectors, an exact scan, a list of the best hits, and the choice of an index by
// size.
package index

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"docent/embed"
	"docent/internal/fault"
	"docent/rag/retrieve"
)

// Vector is a chunk with a vector other than zero.
type Vector struct {
	// ID is the chunk's id.
	ID int64
	// Collection is the document's collection.
	Collection string
	// Document is the id of the chunk's document.
	Document int64
	// Values have length 1.
	Values []float32
	// Scaled reports whether Values are a copy of the entry's vector with another length.
	Scaled bool

	source  string
	ordinal int
	place   int // in its collection's list
}

// Place returns the position in the list of the collection. After Remove, it is the
// former position, which the last vector of the list has taken.
func (v *Vector) Place() int { return v.place }

// Vectors is a table of vectors by id and collection. It is not safe for
// concurrent use.
type Vectors struct {
	byID         map[int64]*Vector
	byCollection map[string][]*Vector
	dimensions   int // 0 before the first vector
}

// NewVectors makes an empty table.
func NewVectors() *Vectors {
	return &Vectors{byID: map[int64]*Vector{}, byCollection: map[string][]*Vector{}}
}

// Len counts the vectors.
func (v *Vectors) Len() int { return len(v.byID) }

// Get returns a chunk's vector, or nil if it has none.
func (v *Vectors) Get(id int64) *Vector { return v.byID[id] }

// Entries returns an entry for each vector, without texts.
func (v *Vectors) Entries() []retrieve.Entry {
	out := make([]retrieve.Entry, 0, len(v.byID))
	for _, one := range v.byID {
		out = append(out, retrieve.Entry{
			ID: one.ID, DocumentID: one.Document, Collection: one.Collection, Source: one.source, Ordinal: one.ordinal, Vector: one.Values,
		})
	}
	return out
}

// Collection returns the vectors of a collection, in no order. The caller must
// not change the list.
func (v *Vectors) Collection(name string) []*Vector { return v.byCollection[name] }

// Collections calls visit with each collection that the filter accepts, until
// visit fails. If the filter names documents, a list has only their vectors.
func (v *Vectors) Collections(filter retrieve.Filter, visit func(name string, vectors []*Vector) error) error {
	whole, accepts := retrieve.Filter{Collections: filter.Collections}.Accepts(), filter.Accepts()
	for name, vectors := range v.byCollection {
		if !whole(name, 0) {
			continue
		}
		if len(filter.Documents) > 0 {
			all := vectors
			vectors = nil
			for _, one := range all {
				if accepts(name, one.Document) {
					vectors = append(vectors, one)
				}
			}
		}
		if err := visit(name, vectors); err != nil {
			return err
		}
	}
	return nil
}

// Check reports whether the table can take all entries. Its error is
// fault.Invalid.
func (v *Vectors) Check(entries []retrieve.Entry) error {
	dimensions := v.dimensions
	if len(v.byID) == 0 {
		dimensions = 0
	}
	for i := range entries {
		e := &entries[i]
		square := squared(e.Vector)
		switch {
		case e.ID <= 0:
			return fault.New(fault.Invalid, "vector_index_chunk_id", "vector index: chunk id %d is not positive", e.ID)
		case math.IsNaN(square) || math.IsInf(square, 0):
			return fault.New(fault.Invalid, "vector_index_not_finite", "vector index: chunk %d has a vector that is not finite", e.ID)
		case square == 0:
			continue
		}
		if dimensions == 0 {
			dimensions = len(e.Vector)
		}
		if len(e.Vector) != dimensions {
			return fault.New(fault.Invalid,
				"vector_index_dimensions", "vector index: chunk %d has %d dimensions, the index has %d", e.ID, len(e.Vector), dimensions)
		}
	}
	v.dimensions = dimensions
	return nil
}

// Add adds an entry that passed Check and whose id is not in the table. It
// returns nil if the entry has no vector.
func (v *Vectors) Add(e *retrieve.Entry) *Vector {
	values := Unit(e.Vector)
	if values == nil {
		return nil
	}
	list := v.byCollection[e.Collection]
	added := &Vector{
		ID: e.ID, Collection: e.Collection, Document: e.DocumentID, Values: values, Scaled: &values[0] != &e.Vector[0],
		source: e.Source, ordinal: e.Ordinal, place: len(list),
	}
	v.byID[e.ID] = added
	v.byCollection[e.Collection] = append(list, added)
	return added
}

// Saved is a list of vectors that were in a table.
type Saved struct {
	// Collection is their collection.
	Collection string
	// IDs are their chunks, in the order of the list.
	IDs []int64
	// Scaled are 1 for the vectors that are scaled, and 0 for others.
	Scaled []uint8
}

// Load replaces the contents of the table. entry returns the entries. After an error,
// the contents are incomplete.
func (v *Vectors) Load(saved []Saved, dimensions int, entry func(id int64) (retrieve.Entry, bool)) error {
	n := 0
	for _, s := range saved {
		n += len(s.IDs)
	}
	v.byID, v.byCollection, v.dimensions = make(map[int64]*Vector, n), make(map[string][]*Vector, len(saved)), dimensions
	for _, s := range saved {
		all, list := make([]Vector, len(s.IDs)), make([]*Vector, len(s.IDs))
		for i, id := range s.IDs {
			e, ok := entry(id)
			if !ok || len(e.Vector) != dimensions || e.Collection != s.Collection {
				return fmt.Errorf("chunk %d has no vector of %d dimensions in collection %q", id, dimensions, s.Collection)
			}
			values, scaled := e.Vector, s.Scaled[i] != 0
			if scaled {
				if values = Unit(e.Vector); values == nil {
					return fmt.Errorf("chunk %d has a vector without a direction", id)
				}
			}
			all[i] = Vector{
				ID: id, Collection: s.Collection, Document: e.DocumentID, Values: values, Scaled: scaled,
				source: e.Source, ordinal: e.Ordinal, place: i,
			}
			list[i], v.byID[id] = &all[i], &all[i]
		}
		v.byCollection[s.Collection] = list
	}
	if len(v.byID) != n || len(v.byCollection) != len(saved) {
		return errors.New("a chunk or a collection is there twice")
	}
	return nil
}

// Dimensions returns the length of the vectors.
func (v *Vectors) Dimensions() int { return v.dimensions }

// Remove removes a chunk's vector and returns it, or nil if there is none.
func (v *Vectors) Remove(id int64) *Vector {
	gone := v.byID[id]
	if gone == nil {
		return nil
	}
	delete(v.byID, id)
	list := v.byCollection[gone.Collection]
	last := len(list) - 1
	list[gone.place], list[last].place = list[last], gone.place
	list[last] = nil
	if v.byCollection[gone.Collection] = list[:last]; last == 0 {
		delete(v.byCollection, gone.Collection)
	}
	return gone
}

// Query returns a query vector scaled to length 1. ok is false if no vector can
// match it.
func (v *Vectors) Query(query []float32, k int) (scaled []float32, ok bool, err error) {
	if k < 1 || len(v.byID) == 0 {
		return nil, false, nil
	}
	if len(query) != v.dimensions {
		return nil, false, fault.New(fault.Invalid,
			"vector_index_query_dimensions", "vector index: a query of %d dimensions, the index has %d", len(query), v.dimensions)
	}
	scaled = Unit(query)
	return scaled, scaled != nil, nil
}

// Top collects the K best of many vectors.
type Top struct {
	// K is the number of vectors to keep.
	K int

	found []found // a heap with the worst on top
}

// found is a vector with its score.
type found struct {
	*Vector
	score float32
}

// Scan offers all vectors of a list to the Top.
func (t *Top) Scan(query []float32, vectors []*Vector) {
	for _, v := range vectors {
		t.Add(query, v)
	}
}

// Add offers a vector. Its score is the dot product with the query.
func (t *Top) Add(query []float32, v *Vector) { t.add(found{v, embed.Dot(query, v.Values)}) }

// Floor returns the lowest score in the Top, and whether the Top has K vectors.
// If it has, it takes no vector with a lower score.
func (t *Top) Floor() (score float32, full bool) {
	if len(t.found) < t.K || t.K < 1 {
		return 0, false
	}
	return t.found[0].score, true
}

// Merge offers all vectors of another Top, with their scores.
func (t *Top) Merge(other *Top) {
	for _, f := range other.found {
		t.add(f)
	}
}

func (t *Top) add(f found) {
	if len(t.found) < t.K {
		t.found = append(t.found, f)
		for i := len(t.found) - 1; i > 0; {
			parent := (i - 1) / 2
			if compare(t.found[parent], t.found[i]) > 0 {
				return
			}
			t.found[parent], t.found[i] = t.found[i], t.found[parent]
			i = parent
		}
		return
	}
	if f.score < t.found[0].score || compare(f, t.found[0]) > 0 {
		return
	}
	t.found[0] = f
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < len(t.found) && compare(t.found[child], t.found[child+1]) < 0 {
			child++
		}
		if child >= len(t.found) || compare(t.found[i], t.found[child]) > 0 {
			return
		}
		t.found[i], t.found[child] = t.found[child], t.found[i]
		i = child
	}
}

// Hits returns the vectors, best first, and empties the Top.
func (t *Top) Hits() []retrieve.Hit {
	slices.SortFunc(t.found, compare)
	hits := make([]retrieve.Hit, len(t.found))
	for i, f := range t.found {
		hits[i] = retrieve.Hit{ID: f.ID, Score: float64(f.score)}
	}
	t.found = nil
	return hits
}

// compare orders by score, source, ordinal, and id.
func compare(a, b found) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.ordinal, b.ordinal), cmp.Compare(a.ID, b.ID))
}

// Unit returns v scaled to length 1, or nil if v is zero or not finite.
func Unit(v []float32) []float32 {
	square := squared(v)
	switch {
	case square == 0 || math.IsNaN(square) || math.IsInf(square, 0):
		return nil
	case math.Abs(square-1) < 1e-6:
		return v
	}
	out := make([]float32, len(v))
	for i, f := range v {
		out[i] = float32(float64(f) / math.Sqrt(square))
	}
	return out
}

// Usable returns v if it has a length and can be compared with others, and nil otherwise.
// Unit of a usable vector is nil only if it is zero.
func Usable(v []float32, dimensions int) []float32 {
	if square := squared(v); len(v) != dimensions || math.IsNaN(square) || math.IsInf(square, 0) {
		return nil
	}
	return v
}

// squared is the square of a vector's length.
func squared(v []float32) float64 {
	sum := 0.0
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	return sum
}
