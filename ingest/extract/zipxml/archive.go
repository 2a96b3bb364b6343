// Package zipxml reads documents that are zipped XML, as office suites write
// them, with bounds on what they unpack to.
package zipxml

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"

	"docent/internal/fault"
)

const (
	// maxPart bounds one unpacked part of a packed document.
	maxPart = 64 << 20
	// maxUnpacked bounds all parts read of one packed document.
	maxUnpacked = 96 << 20
	// maxEntries bounds the entries of a packed document.
	maxEntries = 20000
)

// Archive is a packed document, read with a bound on what it unpacks to.
type Archive struct {
	files map[string]*zip.File
	names []string
	left  int64
}

// Open opens a packed document.
func Open(data []byte) (*Archive, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "damaged: it is not a packed document that can be opened, or only a part of one")
	}
	if len(r.File) > maxEntries {
		return nil, fault.New(fault.Invalid, "too large: it packs %d files", len(r.File))
	}
	a := &Archive{files: make(map[string]*zip.File, len(r.File)), left: maxUnpacked}
	for _, f := range r.File {
		name := strings.TrimPrefix(f.Name, "/")
		if a.files[name] == nil {
			a.names = append(a.names, name)
		}
		a.files[name] = f
	}
	return a, nil
}

// Has reports whether there is a part.
func (a *Archive) Has(name string) bool { return a.files[name] != nil }

// Names returns the names of all parts in the order of the archive's directory.
func (a *Archive) Names() []string { return a.names }

// Part returns a part's content, nil if it is not there.
func (a *Archive) Part(name string) ([]byte, error) {
	f := a.files[name]
	if f == nil {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, fault.New(fault.Invalid, "encrypted: it opens only with a password")
	}
	r, err := f.Open()
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "damaged: its part %s cannot be unpacked", name)
	}
	defer r.Close()
	limit := min(a.left, maxPart)
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "damaged: its part %s cannot be unpacked", name)
	}
	if int64(len(data)) > limit {
		return nil, fault.New(fault.Invalid, "too large: its part %s unpacks to more than %d MiB", name, limit>>20)
	}
	a.left -= int64(len(data))
	return data, nil
}
