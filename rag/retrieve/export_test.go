package retrieve

import (
	"context"
	"iter"
	"slices"
	"unsafe"

	"docent/embed"
)

// FeaturesOf returns the Features of a retriever.
func FeaturesOf(r *Retriever) Features { return r.features }

// Slips finds the words with a typing error.
var Slips = slips

// Variants returns the other spellings of the words of a text.
func Variants(words *embed.Static, s string) (out []string) {
	for _, v := range variantsOf(words, s) {
		out = append(out, v.spellings...)
	}
	return out
}

// Calm returns a text with words of any case in small letters.
var Calm = calm

// Meant returns the similar word of the vocabulary.
func (s slip) Meant() string { return s.meant }

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
	var end uintptr // no pointer, because it can be the end of an allocation
	for v := range vectors {
		if len(v) == 0 {
			continue
		}
		begin := uintptr(unsafe.Pointer(unsafe.SliceData(v)))
		if end != 0 && begin != end {
			return false
		}
		end = begin + uintptr(4*len(v))
	}
	return end != 0
}

// SetMoved changes the minimum number of chunks that Load moves to the snapshot.
func SetMoved(r *Retriever, chunks int) { r.moved = chunks }

// SetBatch changes the approximate number of chunks that are indexed at a time.
func SetBatch(r *Retriever, chunks int) { r.batch = chunks }

// SetHeld changes the minimum number of chunks that Follow moves to the snapshot at once.
func SetHeld(r *Retriever, chunks int) { r.held = chunks }

// Advance applies all changes as Follow does.
func Advance(ctx context.Context, r *Retriever) error { return r.advance(ctx, r.held, movedShare) }

// InEnglish is inEnglish.
func InEnglish(question string) string { return inEnglish(question) }
