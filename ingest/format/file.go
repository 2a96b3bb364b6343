package format

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/zipxml"
)

const (
	// headLen is the number of bytes from which most formats are recognized.
	headLen = 8 << 10
	// openingLen is the number of bytes from which the markup of a text is recognized.
	openingLen = 64 << 10
)

// File is a document whose format is detected and that is then read. It is for one
// goroutine.
type File struct {
	// Name is the file's name or path.
	Name string
	// Data is the content.
	Data []byte
	// Recognized is the text that OCR found, by page index; nil if OCR did not run.
	Recognized map[int]string
	// NeverMail reports that the name is that of another kind of text than mail.
	NeverMail bool

	binary *bool
	zip    *zipxml.Archive
	zipErr error
}

// Ending returns the ending of the name in lower case, with its dot.
func (f *File) Ending() string { return strings.ToLower(path.Ext(f.Name)) }

// HasEnding reports whether the name has one of the endings.
func (f *File) HasEnding(endings ...string) bool { return slices.Contains(endings, f.Ending()) }

// HasInnerEnding is HasEnding for the name without a final ".txt", such as index.rst.txt. Sphinx publishes
// sources with such names.
func (f *File) HasInnerEnding(endings ...string) bool {
	name := strings.ToLower(f.Name)
	return slices.Contains(endings, path.Ext(strings.TrimSuffix(name, ".txt")))
}

// Unmarked reports whether the name is that of a text that may have any markup.
func (f *File) Unmarked() bool { return f.HasEnding(".txt", ".text", "") }

// Head returns the first bytes.
func (f *File) Head() []byte { return f.Data[:min(len(f.Data), headLen)] }

// Opening returns the beginning of a text, which is longer than Head.
func (f *File) Opening() string { return string(f.Data[:min(len(f.Data), openingLen)]) }

// Trimmed returns Head without a byte order mark and space in front.
func (f *File) Trimmed() []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(f.Head(), []byte("\xef\xbb\xbf")), " \t\r\n")
}

// IsText reports whether the file begins with text in some character set.
func (f *File) IsText() bool {
	if f.binary == nil {
		is := charset.IsBinary(f.Head())
		f.binary = &is
	}
	return !*f.binary
}

// Zip opens the file as a ZIP archive. The result is kept for the next call. The error is of kind fault.Invalid.
func (f *File) Zip() (*zipxml.Archive, error) {
	if f.zip == nil && f.zipErr == nil {
		f.zip, f.zipErr = zipxml.Open(f.Data)
	}
	return f.zip, f.zipErr
}

// IsZip reports whether the file has the signature of a ZIP archive.
func (f *File) IsZip() bool { return bytes.HasPrefix(f.Data, []byte("PK\x03\x04")) }
