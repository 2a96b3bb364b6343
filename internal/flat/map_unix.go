//go:build unix

package flat

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Map returns the contents of a file, which the system reads as they are used.
// Nobody may write to the result, and no process may write to the file. The file may
// be renamed, replaced, or removed. The memory stays mapped until the process ends.
func Map(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("flat: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("flat: %w", err)
	}
	size := info.Size()
	switch {
	case size == 0:
		return nil, nil
	case int64(int(size)) != size:
		return nil, fmt.Errorf("flat: map %s: %w: it is larger than the memory", path, fs.ErrInvalid)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("flat: map %s: %w", path, err)
	}
	return data, nil
}
