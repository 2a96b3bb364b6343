package zipxml

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"docent/internal/fault"
)

// MaxDepth bounds the nesting of elements.
const MaxDepth = 400

// maxToken is the longest tag or run of text taken from XML: the attributes of a
// tag take many times its size.
const maxToken = 8 << 20

// Reader is a reader that ends where one token takes too much of it.
type Reader struct {
	*bytes.Reader
	used int // since the token began
}

// errTokenSize is what it ends with.
var errTokenSize = errors.New("one of its elements is too long")

// NewReader returns a reader of data for an xml.Decoder.
func NewReader(data []byte) *Reader { return &Reader{Reader: bytes.NewReader(data)} }

// Next says that a token begins.
func (r *Reader) Next() { r.used = 0 }

// ReadByte returns the next byte.
func (r *Reader) ReadByte() (byte, error) {
	if r.used++; r.used > maxToken {
		return 0, errTokenSize
	}
	return r.Reader.ReadByte()
}

// Read reads the next bytes, as decoding from another character set does.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.used += n; r.used > maxToken {
		return 0, errTokenSize
	}
	return n, err
}

// spacePrefixes are the namespaces that matter, with the prefixes by which they
// are known here, whatever prefix a file gives them.
var spacePrefixes = map[string]string{
	"http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
	"http://purl.oclc.org/ooxml/wordprocessingml/main":             "w",
	"http://schemas.openxmlformats.org/markup-compatibility/2006":  "mc",
}

// Tokens calls fn with each token of a part.
func Tokens(ctx context.Context, data []byte, fn func(xml.Token) error) error {
	r := NewReader(data)
	d := xml.NewDecoder(r)
	spaces := map[string]string{}
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
			return fault.Wrap(fault.Invalid, err, "damaged: a part of it is not well-formed")
		}
		switch e := t.(type) {
		case xml.StartElement:
			depth++
			for _, a := range e.Attr {
				if short := spacePrefixes[a.Value]; short != "" && (a.Name.Space == "xmlns" || a.Name.Local == "xmlns") {
					spaces[strings.TrimPrefix(a.Name.Local, "xmlns")] = short
				}
			}
			e.Name.Space = cmp.Or(spaces[e.Name.Space], e.Name.Space)
			t = e
		case xml.EndElement:
			depth--
			e.Name.Space = cmp.Or(spaces[e.Name.Space], e.Name.Space)
			t = e
		}
		if depth > MaxDepth {
			return fault.New(fault.Invalid, "damaged: it is nested too deeply")
		}
		if err := fn(t); err != nil {
			return err
		}
	}
}

// Attr is the attribute val, or another one named.
func Attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
