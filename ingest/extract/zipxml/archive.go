// Package zipxml reads documents that are zipped XML, as office suites write
// them, with bounds on what they unpack to.
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

// Archive is a packed document, read with a bound on what it unpacks to.
type Archive struct {
	files    map[string]*zip.File
	folded   map[string]string // a name in lower case to the name
	names    []string
	left     int64 // bytes that Part may still unpack
	leftFlow int64 // bytes that Stream may still unpack
}

// Open opens a packed document.
func Open(data []byte) (*Archive, error) {
	// The directory is counted before it is read: a list of a million entries
	// takes many times its size in memory.
	if n := bytes.Count(data, []byte("PK\x01\x02")); n > maxEntries {
		return nil, fault.New(fault.Invalid, "package_too_many_files", "too large: it contains %d files", n)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err,
			"package_damaged", "damaged: it is not a packed document that can be opened, or only a part of one")
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

// Has reports whether there is a part.
func (a *Archive) Has(name string) bool { return a.file(name) != nil }

// Names returns the names of all parts in the order of the archive's directory.
func (a *Archive) Names() []string { return a.names }

// file finds a part. Names of parts do not depend on case in office formats.
func (a *Archive) file(name string) *zip.File {
	name = strings.TrimPrefix(name, "/")
	if f := a.files[name]; f != nil {
		return f
	}
	return a.files[a.folded[strings.ToLower(name)]]
}

// open opens a part for reading; nil if it does not exist.
func (a *Archive) open(name string) (io.ReadCloser, error) {
	f := a.file(name)
	if f == nil {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, fault.New(fault.Invalid,
			"document_encrypted", "encrypted: it opens only with a password; remove the password and add it again")
	}
	r, err := f.Open()
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "package_part_damaged", "damaged: its part %s cannot be unpacked", path.Base(name))
	}
	return r, nil
}

// Part returns a part's content, nil if it is not there.
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

// flow reads a part without keeping it, up to a bound for all parts together.
type flow struct {
	io.ReadCloser
	a    *Archive
	name string
}

// Read reads on.
func (f *flow) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if f.a.leftFlow -= int64(n); f.a.leftFlow < 0 {
		return 0, fault.New(fault.Invalid, "unpacks_too_large", "too large: it unpacks to more than %d MiB", maxStreamed>>20)
	}
	return n, err
}
