//go:build unix

package flat

import (
	"os"
	"syscall"
)

// mapFile maps the first bytes of a file. No process may write to the file.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmap(data []byte) error { return syscall.Munmap(data) }
