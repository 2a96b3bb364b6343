package bm25

// Slots counts the slots of an index, including those of dead chunks.
func Slots(x *Index) int { return len(x.chunks.ids) }
