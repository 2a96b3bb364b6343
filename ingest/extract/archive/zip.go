package archive

import (
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"docent/ingest/extract/part"
	"docent/internal/fault"
)

// otherDocuments are the endings of packed files that docent does not read, and
// that are no archives of documents either.
var otherDocuments = strings.Fields(`.dotm .xlsb .potx .odf .odm .pages .numbers .key .xps .oxps .hwpx .kmz .cbz
	.war .ear .apk .ipa .xpi .crx .nupkg .idml .sketch .3mf .npz`)

// firstParts are the prefixes of the first entry's name in packed documents.
var firstParts = []string{
	"mimetype", "[Content_Types].xml", "_rels/", "word/", "xl/", "ppt/", "visio/", "docProps/", "customXml/", "META-INF/",
	"Index/",
}

// IsDocument reports whether a ZIP file is a single document in a packed format,
// such as an office document. It checks the first bytes, and the name for formats that docent does not read.
func IsDocument(name string, head []byte) bool {
	if slices.Contains(otherDocuments, strings.ToLower(path.Ext(name))) {
		return true
	}
	if len(head) < 30 || strings.EqualFold(path.Ext(name), ".jar") {
		return false // a JAR file may contain source code
	}
	n := int(binary.LittleEndian.Uint16(head[26:]))
	first := string(head[30:min(len(head), 30+n)])
	for _, p := range firstParts {
		if first == p || strings.HasSuffix(p, "/") && strings.HasPrefix(first, p) {
			return true
		}
	}
	return false
}

// HoldsDocument reports whether a ZIP file is a single document in a packed
// format, or a Java program. It checks the directory of the file.
func HoldsDocument(data []byte) bool {
	r, err := openZip(data)
	if err != nil {
		return false
	}
	manifest, class := false, false
	for _, f := range r.File {
		manifest = manifest || f.Name == "META-INF/MANIFEST.MF"
		class = class || strings.HasSuffix(f.Name, ".class")
		switch f.Name {
		case "[Content_Types].xml", "mimetype", "META-INF/container.xml", "AndroidManifest.xml":
			return true
		}
	}
	return manifest && class
}

// openZip opens a ZIP archive.
func openZip(data []byte) (*zip.Reader, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > maxHeaders {
		return nil, fault.New(fault.Invalid, "archive_too_many_entries", "too large: it holds more than %d entries", maxHeaders)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err,
			"archive_damaged", "damaged: the archive cannot be opened, or a part of it is missing; add an undamaged copy")
	}
	return r, nil
}

// ZIP compression methods that the standard library lacks.
const (
	methodBzip2 = 12
	methodZstd  = 93
	methodXZ    = 95
)

// failed is a reader that always returns an error.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// decompressor adapts decompress to the ZIP reader.
func decompressor(kind Kind) zip.Decompressor {
	return func(r io.Reader) io.ReadCloser {
		d, err := decompress(kind, r)
		if err != nil {
			return io.NopCloser(failed{err})
		}
		return d
	}
}

// zip yields the files of a ZIP archive.
func (w *walk) zip(data []byte) error {
	r, err := openZip(data)
	if err != nil {
		return err
	}
	r.RegisterDecompressor(methodBzip2, func(r io.Reader) io.ReadCloser { return io.NopCloser(bzip2.NewReader(r)) })
	r.RegisterDecompressor(methodZstd, decompressor(Zstd))
	r.RegisterDecompressor(methodXZ, decompressor(XZ))
	decode := nameDecoder(r.File)
	twice := notionViews(r.File)
	for _, f := range r.File {
		if err := w.next(); err != nil {
			return err
		}
		name := part.Clean(decode(f))
		if !f.Mode().IsRegular() || strings.HasSuffix(f.Name, "/") || name == "" || part.IsHidden(name) || twice[f.Name] {
			continue
		}
		p := part.Part{Name: name, Modified: f.Modified}
		if p.Data, err = w.unzip(f); err != nil {
			if errors.Is(err, errUnpacked) || fault.KindOf(err) != fault.Invalid {
				return err
			}
			p.Data, p.Reason = nil, fault.TextOf(err)
		}
		if err := w.emit(p); err != nil {
			return err
		}
	}
	return nil
}

// notionName is the name of a page or a database in an export of Notion, with its id.
var notionName = regexp.MustCompile(` [0-9a-f]{32}(_all)?\.(md|csv|html)$`)

// notionViews returns the tables in an export of Notion that are views of others: the
// export has all rows of X.csv in X_all.csv, too.
func notionViews(files []*zip.File) map[string]bool {
	notion, views := false, map[string]bool{}
	for _, f := range files {
		notion = notion || notionName.MatchString(f.Name)
		if stem, ok := strings.CutSuffix(f.Name, "_all.csv"); ok {
			views[stem+".csv"] = true
		}
	}
	if !notion {
		return nil
	}
	return views
}

// unzip unpacks a file. An error of kind fault.Invalid concerns only this file,
// except for errUnpacked.
func (w *walk) unzip(f *zip.File) ([]byte, error) {
	if f.Flags&1 != 0 {
		return nil, fault.New(fault.Invalid,
			"archive_entry_encrypted", "encrypted: it needs a password; unpack the archive and add the file")
	}
	r, err := f.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, fault.New(fault.Invalid,
			"archive_method_unsupported", "unsupported: it is packed with method %d; pack the archive again", f.Method)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "archive_entry_damaged", "damaged: it cannot be unpacked")
	}
	defer r.Close()
	data, err := readEntry(&meter{w.ctx, r, w.budget}, int64(min(f.UncompressedSize64, maxEntry+1)))
	if err != nil && fault.KindOf(err) != fault.Invalid && w.ctx.Err() == nil {
		return nil, fault.Wrap(fault.Invalid, err, "archive_entry_damaged", "damaged: it cannot be unpacked")
	}
	return data, err
}

// unicodePath is the ID of the extra field with the name of an entry in UTF-8.
const unicodePath = 0x7075

// nameDecoder returns a function that decodes the names of entries. Old
// programs write names in a local character set and do not say which.
func nameDecoder(files []*zip.File) func(*zip.File) string {
	var all []byte
	for _, f := range files {
		if f.NonUTF8 && !utf8.ValidString(f.Name) && len(all) < 1<<20 {
			all = append(append(all, f.Name...), '\n')
		}
	}
	enc := guessNames(all)
	return func(f *zip.File) string {
		if name := unicodeName(f.Extra); name != "" {
			return name
		}
		if utf8.ValidString(f.Name) {
			return f.Name
		}
		if text, err := enc.NewDecoder().String(f.Name); err == nil {
			return text
		}
		return f.Name
	}
}

// unicodeName returns the name in the extra fields of an entry, or "".
func unicodeName(extra []byte) string {
	for len(extra) >= 4 {
		tag, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if size > len(extra) {
			return ""
		}
		if tag == unicodePath && size > 5 && extra[0] == 1 && utf8.Valid(extra[5:size]) {
			return string(extra[5:size])
		}
		extra = extra[size:]
	}
	return ""
}
