//go:build !unix

package pdfium

// memory is linear memory of the largest size, so that growing copies nothing.
type memory struct{ reserved []byte }

func newMemory(limit uint64) (*memory, error) { return &memory{make([]byte, limit)}, nil }

// Reallocate makes the first size bytes usable.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.reserved)) {
		return nil
	}
	return m.reserved[:size]
}

// Free gives the memory back.
func (m *memory) Free() { m.reserved = nil }
