//go:build unix

package pdfium

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// memory is linear memory that grows in place. Its addresses are reserved at
// first and become usable as it grows, so that growing copies nothing.
type memory struct{ reserved []byte }

func newMemory(limit uint64) (*memory, error) {
	reserved, err := unix.Mmap(-1, 0, int(limit), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes: %w", limit, err)
	}
	return &memory{reserved}, nil
}

// Reallocate makes the first size bytes usable.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.reserved)) {
		return nil
	}
	if err := unix.Mprotect(m.reserved[:size], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return nil
	}
	return m.reserved[:size]
}

// Free releases the memory.
func (m *memory) Free() {
	if m.reserved != nil {
		_ = unix.Munmap(m.reserved)
	}
	m.reserved = nil
}
