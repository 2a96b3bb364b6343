//go:build !unix

package flat

import (
	"fmt"
	"os"
)

// Map reads a file. Systems such as Windows do not replace a mapped file.
func Map(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("flat: %w", err)
	}
	return data, nil
}
