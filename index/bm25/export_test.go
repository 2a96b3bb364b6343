package bm25

// Slots counts the slots of an index, including those of dead chunks.
func Slots(x *Index) int { return len(x.chunks.ids) }

// Counted counts the groups whose counts an index keeps.
func Counted(x *Index) int { return len(x.counts.byTerms) }

// Forget drops the counts of an index.
func Forget(x *Index) { x.counts.forget() }
