//go:build !unix

package flat

import (
	"io"
	"os"
)

// mapFile reads the first bytes of a file. Systems such as Windows do not replace a
// mapped file.
func mapFile(f *os.File, size int) ([]byte, error) {
	data := make([]byte, size)
	_, err := io.ReadFull(f, data)
	return data, err
}

func unmap([]byte) error { return nil }
