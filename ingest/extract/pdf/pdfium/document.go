package pdfium

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"unicode/utf16"
)

// The errors of Open.
var (
	// ErrPassword is the error for a PDF that needs a password.
	ErrPassword = errors.New("pdfium: a password is needed")
	// ErrSecurity is the error for a PDF with an unknown kind of encryption.
	ErrSecurity = errors.New("pdfium: the kind of encryption is not known")
	// ErrFormat is the error for data that is not a PDF or is too damaged.
	ErrFormat = errors.New("pdfium: the data is not a PDF that can be opened")
	// errPage is the error for a page that cannot be loaded.
	errPage = errors.New("pdfium: the page cannot be loaded")
)

// The codes of FPDF_GetLastError.
const (
	codePassword = 4
	codeSecurity = 5
)

// MaxCopied is the maximum size of a PDF that is copied into the memory of a
// sandbox. The sandbox reads larger PDFs block by block.
const MaxCopied = 8 << 20

// Document is a PDF that is open in a sandbox. It is not safe for concurrent
// use. Closing the sandbox closes it.
type Document struct {
	// Sandbox is the sandbox of the document.
	Sandbox *Sandbox
	// Pages is the number of pages.
	Pages int

	handle  uint64
	form    uint64 // 0 until a form is read
	scratch uint32 // address of scratchBytes for results
	wide    uint32 // size of the buffer for texts
	wideLen int
	file    []byte // nil if the PDF was copied
}

// scratchBytes is the size of the buffer for results. It holds four doubles.
const scratchBytes = 64

// Open opens a PDF in a sandbox.
func Open(ctx context.Context, s *Sandbox, data []byte) (*Document, error) {
	d := &Document{Sandbox: s}
	var err error
	if d.scratch, err = s.Alloc(ctx, scratchBytes); err != nil {
		return nil, err
	}
	if len(data) <= MaxCopied {
		err = d.openCopy(ctx, data)
	} else {
		err = d.openBlocks(ctx, data)
	}
	if err != nil {
		return nil, err
	}
	if d.handle == 0 {
		code, err := d.Call(ctx, "FPDF_GetLastError")
		switch {
		case err != nil:
			return nil, err
		case code == codePassword:
			return nil, ErrPassword
		case code == codeSecurity:
			return nil, ErrSecurity
		}
		return nil, ErrFormat
	}
	n, err := d.Call(ctx, "FPDF_GetPageCount", d.handle)
	d.Pages = int(int32(n))
	return d, err
}

func (d *Document) openCopy(ctx context.Context, data []byte) error {
	at, err := d.Sandbox.Alloc(ctx, len(data))
	if err != nil {
		return err
	}
	to, err := d.Sandbox.Bytes(at, len(data))
	if err != nil {
		return err
	}
	copy(to, data)
	d.handle, err = d.Call(ctx, "FPDF_LoadMemDocument", uint64(at), uint64(len(data)), 0)
	return err
}

func (d *Document) openBlocks(ctx context.Context, data []byte) error {
	d.file = data
	access, err := d.Call(ctx, "FPDF_FILEACCESS_Create", uint64(len(data)), uint64(d.scratch))
	if err != nil {
		return err
	}
	d.handle, err = d.Call(ctx, "FPDF_LoadCustomDocument", access, 0)
	return err
}

// Call calls a function of the library for the document.
func (d *Document) Call(ctx context.Context, name string, args ...uint64) (uint64, error) {
	if d.file != nil {
		ctx = context.WithValue(ctx, fileKey{}, d.file)
	}
	return d.Sandbox.Call(ctx, name, args...)
}

// Scratch returns the address of a buffer for results. The buffer has
// scratchBytes bytes.
func (d *Document) Scratch() uint64 { return uint64(d.scratch) }

// Floats reads n 32-bit floating-point numbers from the scratch buffer.
func (d *Document) Floats(n int) ([4]float32, error) {
	var out [4]float32
	b, err := d.Sandbox.Bytes(d.scratch, 4*n)
	if err != nil {
		return out, err
	}
	for i := range n {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out, nil
}

// Ints reads n 32-bit integers from the scratch buffer.
func (d *Document) Ints(n int) ([4]int32, error) {
	var out [4]int32
	b, err := d.Sandbox.Bytes(d.scratch, 4*n)
	if err != nil {
		return out, err
	}
	for i := range n {
		out[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out, nil
}

// buffer returns the address of a buffer of at least size bytes for texts.
func (d *Document) buffer(ctx context.Context, size int) (uint32, error) {
	if size <= d.wideLen {
		return d.wide, nil
	}
	if d.wide != 0 {
		if _, err := d.Call(ctx, "free", uint64(d.wide)); err != nil {
			return 0, err
		}
		d.wide, d.wideLen = 0, 0
	}
	at, err := d.Sandbox.Alloc(ctx, size)
	if err != nil {
		return 0, err
	}
	d.wide, d.wideLen = at, size
	return at, nil
}

// maxString bounds a name, a value, or a title, in bytes of UTF-16.
const maxString = 1 << 20

// String calls a function of the library that writes UTF-16 text into a buffer,
// and returns the text. The function receives the arguments, the buffer, and the
// buffer's size in bytes. It returns the number of bytes, including the final
// NUL. String returns "" if the text is too long.
func (d *Document) String(ctx context.Context, name string, args ...uint64) (string, error) {
	n, err := d.Call(ctx, name, append(args, 0, 0)...)
	if err != nil {
		return "", err
	}
	if n <= 2 || n > maxString {
		return "", nil
	}
	at, err := d.buffer(ctx, int(n))
	if err != nil {
		return "", err
	}
	if _, err := d.Call(ctx, name, append(args, uint64(at), n)...); err != nil {
		return "", err
	}
	units, err := d.units(at, int(n)/2-1)
	return string(utf16.Decode(units)), err
}

// Named is like String for functions with an ASCII name as their last argument.
func (d *Document) Named(ctx context.Context, name string, of uint64, key string) (string, error) {
	b, err := d.Sandbox.Bytes(d.scratch, scratchBytes)
	if err != nil {
		return "", err
	}
	b[copy(b[:scratchBytes-1], key)] = 0
	return d.String(ctx, name, of, uint64(d.scratch))
}

// units copies UTF-16 out of the sandbox.
func (d *Document) units(at uint32, n int) ([]uint16, error) {
	b, err := d.Sandbox.Bytes(at, 2*n)
	if err != nil {
		return nil, err
	}
	out := make([]uint16, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return out, nil
}

// Title returns the title in the metadata, or "".
func (d *Document) Title(ctx context.Context) (string, error) {
	return d.Named(ctx, "FPDF_GetMetaText", d.handle, "Title")
}

// Info returns an entry of the information dictionary, such as ModDate, or "".
func (d *Document) Info(ctx context.Context, key string) (string, error) {
	return d.Named(ctx, "FPDF_GetMetaText", d.handle, key)
}

// Label returns the printed number of a page, or "".
func (d *Document) Label(ctx context.Context, page int) (string, error) {
	return d.String(ctx, "FPDF_GetPageLabel", d.handle, uint64(page))
}

// FirstBookmark returns the first entry of the outline below another one; 0 is
// the top of the outline. It returns 0 if there is no entry.
func (d *Document) FirstBookmark(ctx context.Context, parent uint64) (uint64, error) {
	return d.Call(ctx, "FPDFBookmark_GetFirstChild", d.handle, parent)
}

// NextBookmark returns the next entry of the outline, or 0.
func (d *Document) NextBookmark(ctx context.Context, at uint64) (uint64, error) {
	return d.Call(ctx, "FPDFBookmark_GetNextSibling", d.handle, at)
}

// Bookmark returns the title and the page of an outline entry. The page is -1 if
// the entry has none.
func (d *Document) Bookmark(ctx context.Context, at uint64) (title string, page int, err error) {
	if title, err = d.String(ctx, "FPDFBookmark_GetTitle", at); err != nil {
		return "", -1, err
	}
	dest, err := d.Call(ctx, "FPDFBookmark_GetDest", d.handle, at)
	if err == nil && dest == 0 {
		var action uint64
		if action, err = d.Call(ctx, "FPDFBookmark_GetAction", at); err == nil && action != 0 {
			dest, err = d.Call(ctx, "FPDFAction_GetDest", d.handle, action)
		}
	}
	if err != nil || dest == 0 {
		return title, -1, err
	}
	n, err := d.Call(ctx, "FPDFDest_GetDestPageIndex", d.handle, dest)
	return title, int(int32(n)), err
}
