package flat

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"
)

// checksumSize is the number of bytes of the checksum at the end of a file.
const checksumSize = 8

// castagnoli is the polynomial of checksums that processors compute in
// hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// temporary is the suffix of unfinished files.
const temporary = ".tmp"

// WriteFile replaces a file atomically and appends a checksum. Readers see the old or
// the new file as a whole, even after a power failure. It removes unfinished files of
// killed processes.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	dropLeftovers(path)
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+temporary)
	if err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it may be closed
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	buffered := bufio.NewWriterSize(f, 1<<20)
	sum := crc32.New(castagnoli)
	if err := write(io.MultiWriter(buffered, sum)); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if _, err := buffered.Write(binary.LittleEndian.AppendUint64(nil, uint64(sum.Sum32()))); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	if err := f.Close(); err != nil { // Windows does not rename an open file
		return fmt.Errorf("close %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	return nil
}

// dropLeftovers removes only old files, because another process may be writing.
func dropLeftovers(path string) {
	names, err := filepath.Glob(path + temporary + "*")
	if err != nil {
		return // the path has characters that Glob cannot do; leftovers stay
	}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(name) // a leftover that stays does no harm
		}
	}
}

// ReadFile maps a file of WriteFile, as Map does. It returns the contents without the
// checksum, and fails if that is wrong.
func ReadFile(path string) ([]byte, error) {
	data, err := Map(path)
	if err != nil {
		return nil, err
	}
	body := len(data) - checksumSize
	if body < 0 || binary.LittleEndian.Uint64(data[body:]) != uint64(crc32.Checksum(data[:body], castagnoli)) {
		return nil, errors.New("its checksum is wrong")
	}
	return data[:body], nil
}
