// Package archive reads archives and compressed files: ZIP, TAR, WARC, gzip, bzip2, xz,
// and Zstandard. It yields the files in them one at a time. It limits the number
// of files and their unpacked size.
package archive

import (
	"bytes"
	"context"
	"io"
	"iter"
	"path"
	"strings"

	"docent/ingest/extract/part"
	"docent/internal/fault"
)

const (
	// maxEntries bounds the files taken from one source.
	maxEntries = 10000
	// maxUnpacked bounds the bytes unpacked from one source.
	maxUnpacked = 256 << 20
	// maxEntry bounds the bytes of one file.
	maxEntry = 64 << 20
	// freeUnpacked is the number of unpacked bytes to which maxRatio does not
	// apply.
	freeUnpacked = 32 << 20
	// maxRatio bounds the ratio of unpacked to packed bytes above freeUnpacked.
	maxRatio = 200
	// maxHeaders bounds the headers that are read from an archive, including
	// those of omitted entries.
	maxHeaders = 100000
)

// Kind is a kind of archive.
type Kind uint8

// The kinds.
const (
	// None means that the data is not an archive.
	None Kind = iota
	// Zip is a ZIP archive.
	Zip
	// Tar is a TAR archive.
	Tar
	// Gzip is a file compressed by gzip.
	Gzip
	// Bzip2 is a file compressed by bzip2.
	Bzip2
	// XZ is a file compressed by xz.
	XZ
	// Zstd is a file compressed by zstd.
	Zstd
	// Warc is an archive of web pages.
	Warc
)

// Detect returns the kind of an archive. It checks the first bytes.
func Detect(head []byte) Kind {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")) && len(head) >= 22:
		return Zip
	case bytes.HasPrefix(head, []byte("\x1f\x8b\x08")):
		return Gzip
	case bytes.HasPrefix(head, []byte("BZh")) && len(head) > 9 && head[3] >= '1' && head[3] <= '9' &&
		(bytes.Equal(head[4:10], []byte("1AY&SY")) || bytes.Equal(head[4:10], []byte("\x17\x72\x45\x38\x50\x90"))):
		return Bzip2
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return XZ
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return Zstd
	case bytes.HasPrefix(head, []byte("WARC/")):
		return Warc
	case isTar(head):
		return Tar
	}
	return None
}

// isTar reports whether a file begins with a TAR header. The header must have
// the mark of POSIX or a correct checksum.
func isTar(head []byte) bool {
	if len(head) < 512 {
		return false
	}
	if bytes.Equal(head[257:262], []byte("ustar")) {
		return true
	}
	var sum, stored int
	for i, c := range head[:512] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum += int(c)
	}
	digits := strings.Trim(string(head[148:156]), " \x00")
	for _, c := range digits {
		if c < '0' || c > '7' {
			return false
		}
		stored = stored*8 + int(c-'0')
	}
	return head[0] != 0 && digits != "" && sum == stored
}

// Budget limits the files and bytes that are unpacked from one source, including
// nested archives.
type Budget struct {
	entries int
	bytes   int64
}

// NewBudget returns the budget for a source of size bytes.
func NewBudget(size int) *Budget {
	return &Budget{entries: maxEntries, bytes: min(maxUnpacked, freeUnpacked+maxRatio*int64(size))}
}

// Entry counts one file. It fails if the budget has no more files.
func (b *Budget) Entry() error {
	if b.entries--; b.entries < 0 {
		return fault.New(fault.Invalid,
			"archive_too_many_files", "too large: it holds more than %d files; add it in several archives", maxEntries)
	}
	return nil
}

// Spent reports whether the budget is used up.
func (b *Budget) Spent() bool { return b.entries < 0 || b.bytes <= 0 }

// errUnpacked is the error for an archive that unpacks to too much data.
var errUnpacked = fault.New(fault.Invalid,
	"archive_unpacks_too_large", "too large: it unpacks to more than %d MiB, or to far more than its size; unpack it and add the files", maxUnpacked>>20)

// meter is a reader that charges each read to a budget.
type meter struct {
	ctx context.Context
	r   io.Reader
	b   *Budget
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	if m.b.bytes <= 0 {
		return 0, errUnpacked
	}
	n, err := m.r.Read(p[:min(int64(len(p)), m.b.bytes)])
	m.b.bytes -= int64(n)
	return n, err
}

// Entries yields the files of an archive. It omits links, devices, hidden files,
// and the data of version control. An error is yielded once and last.
func Entries(ctx context.Context, name string, data []byte, budget *Budget) iter.Seq2[part.Part, error] {
	return func(yield func(part.Part, error) bool) {
		w := &walk{ctx: ctx, budget: budget, yield: yield}
		var err error
		switch kind := Detect(data[:min(len(data), 512)]); kind {
		case None:
			return
		case Zip:
			err = w.zip(data)
		case Tar:
			err = w.tar(bytes.NewReader(data))
		case Warc:
			err = w.warc(data)
		default:
			err = w.compressed(kind, name, data)
		}
		if err != nil && !w.stopped {
			yield(part.Part{}, err)
		}
	}
}

// walk is the state of reading an archive.
type walk struct {
	ctx     context.Context
	budget  *Budget
	names   part.Names
	headers int
	stopped bool // the caller broke the loop
	yield   func(part.Part, error) bool
}

// errStop ends a walk after the caller broke the loop.
var errStop = fault.New(fault.Canceled, "reading_stopped", "stopped")

// emit yields a part.
func (w *walk) emit(p part.Part) error {
	if err := w.budget.Entry(); err != nil {
		return err
	}
	p.Name = w.names.Unique(p.Name)
	if !w.yield(p, nil) {
		w.stopped = true
		return errStop
	}
	return nil
}

// next checks the context and counts a header.
func (w *walk) next() error {
	if w.headers++; w.headers > maxHeaders {
		return fault.New(fault.Invalid, "archive_too_many_entries", "too large: it holds more than %d entries", maxHeaders)
	}
	return w.ctx.Err()
}

// errEntrySize is the error for a file that is too large.
var errEntrySize = fault.New(fault.Invalid, "unpacks_too_large", "too large: it unpacks to more than %d MiB", maxEntry>>20)

// readEntry reads one file of an archive.
func readEntry(r io.Reader, size int64) ([]byte, error) {
	if size > maxEntry {
		return nil, errEntrySize
	}
	var b bytes.Buffer
	b.Grow(int(max(0, min(size, 1<<20))) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(r, maxEntry+1)); err != nil {
		return nil, err
	}
	if b.Len() > maxEntry {
		return nil, errEntrySize
	}
	return b.Bytes(), nil
}

// singleName returns the name of the file inside a compressed file.
func singleName(name string) string {
	base := path.Base(strings.ReplaceAll(name, "\\", "/"))
	switch strings.ToLower(path.Ext(base)) {
	case ".gz", ".bz2", ".xz", ".zst", ".zstd", ".bz":
		base = base[:len(base)-len(path.Ext(base))]
	}
	if base = part.Clean(base); base == "" {
		return "content"
	}
	return base
}
