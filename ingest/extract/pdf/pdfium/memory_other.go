//go:build !unix

package pdfium

// memory is linear memory. It is allocated with the maximum size, so that
// growing copies nothing.
type memory struct{ reserved []byte }

func newMemory(limit uint64) (*memory, error) { return &memory{make([]byte, limit)}, nil }

// Reallocate makes the first size bytes usable.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.reserved)) {
		return nil
	}
	return m.reserved[:size]
}

// Free releases the memory.
func (m *memory) Free() { m.reserved = nil }
