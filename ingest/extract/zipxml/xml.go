package zipxml

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"docent/internal/fault"
)

// MaxDepth bounds the nesting of elements.
const MaxDepth = 400

// maxToken bounds the bytes of one tag or run of text. The attributes of a tag
// take many times that size.
const maxToken = 8 << 20

// Reader is a byte reader that fails if a single token is too long.
type Reader struct {
	*bufio.Reader
	used int // bytes of the current token
}

// errTokenSize is the error of a token that is too long.
var errTokenSize = errors.New("one of its elements is too long")

// NewReader returns a reader of data for an xml.Decoder.
func NewReader(data []byte) *Reader { return newReader(bytes.NewReader(data)) }

// newReader returns a Reader for r. It decodes UTF-16.
func newReader(r io.Reader) *Reader {
	b := bufio.NewReaderSize(r, 32<<10)
	if mark, _ := b.Peek(2); bytes.Equal(mark, []byte("\xff\xfe")) || bytes.Equal(mark, []byte("\xfe\xff")) {
		b = bufio.NewReader(transform.NewReader(b, unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()))
	} else if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3)
	}
	return &Reader{Reader: b}
}

// Next starts a new token.
func (r *Reader) Next() { r.used = 0 }

// ReadByte implements io.ByteReader.
func (r *Reader) ReadByte() (byte, error) {
	if r.used++; r.used > maxToken {
		return 0, errTokenSize
	}
	return r.Reader.ReadByte()
}

// Read implements io.Reader. Decoders of other character sets use it.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.used += n; r.used > maxToken {
		return 0, errTokenSize
	}
	return n, err
}

// spaces maps the known namespaces to the prefixes that readers use. A file may
// use other prefixes.
var spaces = map[string]string{
	"http://schemas.openxmlformats.org/wordprocessingml/2006/main":           "w",
	"http://purl.oclc.org/ooxml/wordprocessingml/main":                       "w",
	"http://schemas.microsoft.com/office/word/2010/wordml":                   "w14",
	"http://schemas.openxmlformats.org/markup-compatibility/2006":            "mc",
	"http://schemas.openxmlformats.org/drawingml/2006/main":                  "a",
	"http://purl.oclc.org/ooxml/drawingml/main":                              "a",
	"http://schemas.openxmlformats.org/presentationml/2006/main":             "p",
	"http://purl.oclc.org/ooxml/presentationml/main":                         "p",
	"http://schemas.openxmlformats.org/spreadsheetml/2006/main":              "s",
	"http://purl.oclc.org/ooxml/spreadsheetml/main":                          "s",
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships":    "r",
	"http://purl.oclc.org/ooxml/officeDocument/relationships":                "r",
	"http://schemas.openxmlformats.org/officeDocument/2006/math":             "m",
	"http://purl.oclc.org/ooxml/officeDocument/math":                         "m",
	"http://schemas.openxmlformats.org/drawingml/2006/chart":                 "c",
	"http://purl.oclc.org/ooxml/drawingml/chart":                             "c",
	"http://schemas.openxmlformats.org/drawingml/2006/diagram":               "dgm",
	"http://purl.oclc.org/ooxml/drawingml/diagram":                           "dgm",
	"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp",
	"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":             "wp",
	"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing":    "xdr",
	"http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing":                "xdr",
	"urn:schemas-microsoft-com:vml":                                          "v",
	"urn:oasis:names:tc:opendocument:xmlns:office:1.0":                       "office",
	"urn:oasis:names:tc:opendocument:xmlns:text:1.0":                         "text",
	"urn:oasis:names:tc:opendocument:xmlns:table:1.0":                        "table",
	"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0":                      "draw",
	"urn:oasis:names:tc:opendocument:xmlns:presentation:1.0":                 "presentation",
	"urn:oasis:names:tc:opendocument:xmlns:style:1.0":                        "style",
	"urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0":                    "number",
	"urn:oasis:names:tc:opendocument:xmlns:chart:1.0":                        "chart",
	"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0":               "svg",
	"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0":            "fo",
	"http://openoffice.org/2000/office":                                      "office",
	"http://openoffice.org/2000/text":                                        "text",
	"http://openoffice.org/2000/table":                                       "table",
	"http://openoffice.org/2000/drawing":                                     "draw",
	"http://openoffice.org/2000/presentation":                                "presentation",
	"http://openoffice.org/2000/style":                                       "style",
	"http://www.w3.org/2000/svg":                                             "svg",
	"http://www.w3.org/1999/xlink":                                           "xlink",
	"http://purl.org/dc/elements/1.1/":                                       "dc",
	"http://www.w3.org/1998/Math/MathML":                                     "math",
}

// Tokens calls fn with each token of a part. Elements and attributes in the
// known namespaces have the prefixes in spaces.
func Tokens(ctx context.Context, data []byte, fn func(xml.Token) error) error {
	return tokens(ctx, NewReader(data), fn)
}

// Stream calls fn with each token of a part without loading the whole part. A
// missing part has no tokens.
func (a *Archive) Stream(ctx context.Context, name string, fn func(xml.Token) error) error {
	r, err := a.open(name)
	if r == nil || err != nil {
		return err
	}
	defer r.Close()
	return tokens(ctx, newReader(&flow{r, a, path.Base(name)}), fn)
}

// tokens calls fn with each token.
func tokens(ctx context.Context, r *Reader, fn func(xml.Token) error) error {
	d := xml.NewDecoder(r)
	d.Strict = false
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf-16") {
			return in, nil // decoded by newReader
		}
		return charset.NewReaderLabel(label, in)
	}
	prefixes := map[string]string{}
	depth := 0
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.Next()
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			var f *fault.Fault
			if errors.As(err, &f) {
				return f
			}
			return fault.Wrap(fault.Invalid, err, "package_xml_damaged", "damaged: a part of it is not well-formed")
		}
		switch e := t.(type) {
		case xml.StartElement:
			depth++
			rename(&e, prefixes)
			t = e
		case xml.EndElement:
			depth--
			e.Name.Space = cmp.Or(prefixes[e.Name.Space], e.Name.Space)
			t = e
		}
		if depth > MaxDepth {
			return fault.New(fault.Invalid, "nested_too_deeply", "damaged: it is nested too deeply")
		}
		if err := fn(t); err != nil {
			return err
		}
	}
}

// maxPrefixes bounds the namespace prefixes that one part may declare.
const maxPrefixes = 1000

// rename replaces the namespace prefixes of an element and its attributes by
// the known ones.
func rename(e *xml.StartElement, prefixes map[string]string) {
	for _, a := range e.Attr {
		if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" {
			if short := spaces[a.Value]; short != "" && len(prefixes) < maxPrefixes {
				prefixes[strings.TrimPrefix(a.Name.Local, "xmlns")] = short
			}
		}
	}
	e.Name.Space = cmp.Or(prefixes[e.Name.Space], e.Name.Space)
	for i := range e.Attr {
		if s := e.Attr[i].Name.Space; s != "" {
			e.Attr[i].Name.Space = cmp.Or(prefixes[s], s)
		}
	}
}

// Attr returns the first attribute with a local name, or "".
func Attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// AttrIn returns the attribute with the given name in a known namespace, or "".
// The namespace is given by its prefix.
func AttrIn(e xml.StartElement, space, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == space {
			return a.Value
		}
	}
	return ""
}
