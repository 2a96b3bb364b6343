package flat

import (
	"cmp"
	"iter"
	"slices"
)

// Lists are lists of numbers, one after the other.
type Lists[T Number] struct {
	// Ends are the ends of the lists in Values.
	Ends []uint64
	// Values are the numbers of all lists.
	Values []T
}

// At returns a list, or nil if it is empty.
func (l *Lists[T]) At(i int) []T {
	start := uint64(0)
	if i > 0 {
		start = l.Ends[i-1]
	}
	if end := l.Ends[i]; start < end {
		return l.Values[start:end:end]
	}
	return nil
}

// Fits reports whether there are n lists that fit the values.
func (l *Lists[T]) Fits(n int) bool {
	last := uint64(0)
	if n > 0 && len(l.Ends) == n {
		last = l.Ends[n-1]
	}
	return len(l.Ends) == n && slices.IsSorted(l.Ends) && last == uint64(len(l.Values))
}

// PutLists writes lists as two parts. It reads them twice.
func PutLists[T Number](w *Writer, all iter.Seq[[]T]) {
	var ends []uint64
	end := uint64(0)
	for list := range all {
		end += uint64(len(list))
		ends = append(ends, end)
	}
	Put(w, ends)
	PutAll(w, int(end), all)
}

// TakeLists returns the next two parts as lists. Use Fits before At.
func TakeLists[T Number](r *Reader) Lists[T] {
	return Lists[T]{Ends: Take[uint64](r), Values: Take[T](r)}
}

// Ascending reports whether each number is greater than the one before.
func Ascending[T cmp.Ordered](list []T) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}
