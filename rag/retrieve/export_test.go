package retrieve

import "unsafe"

// FeaturesOf returns the Features of a retriever.
func FeaturesOf(r *Retriever) Features { return r.features }

// TokensInMemory counts the tokens of the rows in memory.
func TokensInMemory(r *Retriever) int { return r.memory.rows.length }

// InOnePiece reports whether the vectors of all rows are next to each other in
// memory, as those of a snapshot are.
func InOnePiece(r *Retriever) bool {
	var end unsafe.Pointer
	for row := range r.memory.rows.all {
		if len(row.Vector) == 0 {
			continue
		}
		begin := unsafe.Pointer(unsafe.SliceData(row.Vector))
		if end != nil && begin != end {
			return false
		}
		end = unsafe.Add(begin, 4*len(row.Vector))
	}
	return end != nil
}

// SetMoved changes the minimum number of chunks that Load moves to the snapshot.
func SetMoved(r *Retriever, chunks int) { r.moved = chunks }
