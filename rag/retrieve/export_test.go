package retrieve

import (
	"iter"
	"slices"
	"unsafe"
)

// FeaturesOf returns the Features of a retriever.
func FeaturesOf(r *Retriever) Features { return r.features }

// TokensInMemory counts the tokens of the rows in memory.
func TokensInMemory(r *Retriever) int { return r.memory.rows.length }

// InOnePiece reports whether the vectors of all rows are next to each other in
// memory, as those of a snapshot are.
func InOnePiece(r *Retriever) bool {
	return adjacent(each(r.memory.rows.all, func(row *Row) []float32 { return row.Vector }))
}

// EncodedInOnePiece is InOnePiece for the vectors of the first encoder.
func EncodedInOnePiece(r *Retriever) bool {
	m := r.encoded[0]
	return adjacent(each(slices.Values(m.vectors.IDs()), m.vectors.Get))
}

// adjacent reports whether vectors follow each other in memory.
func adjacent(vectors iter.Seq[[]float32]) bool {
	var end unsafe.Pointer
	for v := range vectors {
		if len(v) == 0 {
			continue
		}
		begin := unsafe.Pointer(unsafe.SliceData(v))
		if end != nil && begin != end {
			return false
		}
		end = unsafe.Add(begin, 4*len(v))
	}
	return end != nil
}

// SetMoved changes the minimum number of chunks that Load moves to the snapshot.
func SetMoved(r *Retriever, chunks int) { r.moved = chunks }
