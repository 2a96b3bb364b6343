// Package zipxml reads zipped XML documents, such as office documents. It limits
// their unpacked size.
package zipxml

import (
	"archive/zip"
	"bytes"
	"io"
	"path"
	"strings"

	"docent/internal/fault"
)

const (
	// maxPart bounds one unpacked part of a packed document.
	maxPart = 64 << 20
	// maxUnpacked bounds all parts read of one packed document.
	maxUnpacked = 96 << 20
	// maxStreamed bounds all parts streamed from one packed document.
	maxStreamed = 384 << 20
	// maxEntries bounds the entries of a packed document.
	maxEntries = 20000
)

// Archive is a packed document with a limit on its unpacked size.
type Archive struct {
	files    map[string]*zip.File
	folded   map[string]string // maps lower-case names to names
	names    []string
	left     int64 // number of bytes that Part may still unpack
	leftFlow int64 // number of bytes that Stream may still unpack
}

// Open opens a packed document.
func Open(data []byte) (*Archive, error) {
	// The entries are counted before the directory is read, because a million
	// entries take many times their size in memory.
	if n := bytes.Count(data, []byte("PK\x01\x02")); n > maxEntries {
		return nil, fault.New(fault.Invalid, "package_too_many_files", "too large: it contains %d files", n)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err,
			"package_damaged", "damaged: the document cannot be unpacked, or a part of it is missing; add an undamaged copy")
	}
	a := &Archive{
		files:  make(map[string]*zip.File, len(r.File)),
		folded: make(map[string]string, len(r.File)),
		left:   maxUnpacked, leftFlow: maxStreamed,
	}
	for _, f := range r.File {
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		if a.files[name] == nil {
			a.names = append(a.names, name)
		}
		a.files[name] = f
		a.folded[strings.ToLower(name)] = name
	}
	return a, nil
}

// Has reports whether a part exists.
func (a *Archive) Has(name string) bool { return a.file(name) != nil }

// Names returns the names of all parts in the order of the archive's directory.
func (a *Archive) Names() []string { return a.names }

// file returns a part, or nil. Names of parts in office formats are
// case-insensitive.
func (a *Archive) file(name string) *zip.File {
	name = strings.TrimPrefix(name, "/")
	if f := a.files[name]; f != nil {
		return f
	}
	return a.files[a.folded[strings.ToLower(name)]]
}

// open opens a part. It returns nil if the part does not exist.
func (a *Archive) open(name string) (io.ReadCloser, error) {
	f := a.file(name)
	if f == nil {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, fault.New(fault.Invalid,
			"document_encrypted", "encrypted: it needs a password; remove the password and add it again")
	}
	r, err := f.Open()
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "package_part_damaged", "damaged: its part %s cannot be unpacked", path.Base(name))
	}
	return r, nil
}

// Part returns the content of a part, or nil if the part does not exist.
func (a *Archive) Part(name string) ([]byte, error) {
	r, err := a.open(name)
	if r == nil || err != nil {
		return nil, err
	}
	defer r.Close()
	limit := min(a.left, maxPart)
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "package_part_damaged", "damaged: its part %s cannot be unpacked", path.Base(name))
	}
	if int64(len(data)) > limit {
		return nil, fault.New(fault.Invalid,
			"package_part_too_large", "too large: its part %s unpacks to more than %d MiB", path.Base(name), limit>>20)
	}
	a.left -= int64(len(data))
	return data, nil
}

// flow is a reader of one part. All flows of an archive share a bound.
type flow struct {
	io.ReadCloser
	a    *Archive
	name string
}

// Read implements io.Reader.
func (f *flow) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if f.a.leftFlow -= int64(n); f.a.leftFlow < 0 {
		return 0, fault.New(fault.Invalid, "unpacks_too_large", "too large: it unpacks to more than %d MiB", maxStreamed>>20)
	}
	return n, err
}
