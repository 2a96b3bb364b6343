package worker

import (
	"errors"
	"fmt"
	"iter"
	"os"

	"docent/ingest/extract"
	"docent/ingest/intake"
)

// Limits of a batch of parts: the number of parts, and the bytes of their names
// and contents. An archive of many small files then needs only a few messages and
// writes.
const (
	batchParts = 1000
	batchBytes = 1 << 20
)

// batches calls do with groups of parts and their contents. The contents follow
// each other in one slice, and the offsets of the parts refer to it. do must not
// keep them.
func batches(parts iter.Seq2[extract.Part, error], do func(some []intake.Part, contents []byte) error) error {
	var some []intake.Part
	var contents []byte
	size := 0
	flush := func() error {
		if len(some) == 0 {
			return nil
		}
		err := do(some, contents)
		some, contents, size = some[:0], contents[:0], 0
		return err
	}
	for p, err := range parts {
		if err != nil {
			return err
		}
		part := intake.Part{Name: p.Name, Size: int64(len(p.Data)), Modified: p.Modified, Reason: p.Reason}
		if len(p.Data) >= batchBytes && p.Reason.IsZero() { // alone, without a copy
			if err := errors.Join(flush(), do([]intake.Part{part}, p.Data)); err != nil {
				return err
			}
			continue
		}
		if p.Reason.IsZero() {
			part.Offset = int64(len(contents))
			contents = append(contents, p.Data...)
			size += len(p.Data)
		}
		some = append(some, part)
		size += len(p.Name)
		if len(some) >= batchParts || size >= batchBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// partsFile is a file that the parts of a source are written to.
type partsFile struct {
	file  *os.File
	size  int64
	parts []intake.Part
}

// createParts makes an empty file.
func createParts(path string) (*partsFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store the parts of a source: %w", err)
	}
	return &partsFile{file: f}, nil
}

// reset forgets what was written. The next write begins at the start of the file.
func (f *partsFile) reset() { f.size, f.parts = 0, nil }

// write appends a batch of parts.
func (f *partsFile) write(some []intake.Part, contents []byte) error {
	if _, err := f.file.WriteAt(contents, f.size); err != nil {
		return fmt.Errorf("store the parts of a source: %w", err)
	}
	for _, p := range some {
		if p.Reason.IsZero() && (p.Offset < 0 || p.Size < 0 || p.Offset > int64(len(contents)) || p.Size > int64(len(contents))-p.Offset) {
			return errors.New("store the parts of a source: the worker sent a part outside of its contents")
		}
		p.Offset += f.size
		f.parts = append(f.parts, p)
	}
	f.size += int64(len(contents))
	return nil
}

// close closes the file. If a write failed, all parts are lost.
func (f *partsFile) close(err *error) {
	if closed := f.file.Close(); closed != nil && *err == nil {
		*err = fmt.Errorf("store the parts of a source: %w", closed)
	}
}
