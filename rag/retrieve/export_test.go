package retrieve

import (
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
	list := column(sortedKeys(r.memory.rows.byDocument), func(id int64) []*Row { return r.memory.rows.byDocument[id] })
	var end unsafe.Pointer
	for _, row := range slices.Concat(list...) {
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
