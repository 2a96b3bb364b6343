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

// File is a file of WriteFile. On Unix it is mapped, and the system reads its contents
// as they are used. Other processes may rename, replace, or remove the file.
type File struct {
	// Body is the contents without the checksum. Nobody may write to it, or use it
	// after Close.
	Body []byte

	file *os.File
	data []byte
}

// Open opens a file of WriteFile. The contents may be wrong until Check confirms them.
func Open(path string) (_ *File, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("flat: %w", err)
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it was only read
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("flat: %w", err)
	}
	size := info.Size()
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("flat: %s is not a file", path)
	case size < checksumSize:
		return nil, errWrong
	case int64(int(size)) != size:
		return nil, fmt.Errorf("flat: %s is larger than the memory", path)
	}
	data, err := mapFile(f, int(size))
	if err != nil {
		return nil, fmt.Errorf("flat: map %s: %w", path, err)
	}
	return &File{Body: data[: len(data)-checksumSize : len(data)-checksumSize], file: f, data: data}, nil
}

var errWrong = errors.New("its checksum is wrong")

// Check compares the contents with the checksum. It may be called once. It reads the
// file instead of the mapped memory, so the pages do not stay in the memory of the
// process.
func (f *File) Check() error {
	defer f.file.Close() // it was only read; Windows does not replace an open file
	sum := crc32.New(castagnoli)
	if _, err := io.CopyBuffer(sum, io.NewSectionReader(f.file, 0, int64(len(f.Body))), make([]byte, 1<<20)); err != nil {
		return fmt.Errorf("flat: read: %w", err)
	}
	if binary.LittleEndian.Uint64(f.data[len(f.Body):]) != uint64(sum.Sum32()) {
		return errWrong
	}
	return nil
}

// Close ends the use of the file and its contents.
func (f *File) Close() error {
	_ = f.file.Close() // Check may have closed it
	err := unmap(f.data)
	f.Body, f.data = nil, nil
	if err != nil {
		return fmt.Errorf("flat: close: %w", err)
	}
	return nil
}
