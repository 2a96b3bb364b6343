package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// maxToken is the longest tag or run of text taken from XML: the attributes of a
// tag take many times its size.
const maxToken = 8 << 20

// tokenReader is a reader that ends where one token takes too much of it.
type tokenReader struct {
	*bytes.Reader
	used int // since the token began
}

// errTokenSize is what it ends with.
var errTokenSize = errors.New("one of its elements is too long")

// ReadByte returns the next byte.
func (r *tokenReader) ReadByte() (byte, error) {
	if r.used++; r.used > maxToken {
		return 0, errTokenSize
	}
	return r.Reader.ReadByte()
}

// Read reads the next bytes, as decoding from another character set does.
func (r *tokenReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.used += n; r.used > maxToken {
		return 0, errTokenSize
	}
	return n, err
}

// readSVG reads the words in a drawing: its title, its description, its labels.
func readSVG(_ context.Context, _ *Extractor, src Source) (*outline.Document, error) {
	r := &tokenReader{Reader: bytes.NewReader(src.Data)}
	d := xml.NewDecoder(r)
	d.Strict = false
	d.CharsetReader = charset.NewReaderLabel
	b := outline.NewBuilder(1 << 10)
	var title, text strings.Builder
	var within []string
	for {
		r.used = 0
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if b.Len() > 0 {
				break // what was drawn before the damage
			}
			return nil, fault.Wrap(fault.Invalid, err, "damaged: it is not a drawing that can be read")
		}
		switch t := token.(type) {
		case xml.StartElement:
			within = append(within, t.Name.Local)
		case xml.EndElement:
			switch t.Name.Local {
			case "text", "desc", "title":
				if t.Name.Local == "title" && title.Len() == 0 {
					title.WriteString(text.String())
				}
				b.Add(outline.Item, 0, "\n", text.String())
				text.Reset()
			}
			if len(within) > 0 {
				within = within[:len(within)-1]
			}
		case xml.CharData:
			for i := len(within) - 1; i >= 0; i-- {
				if n := within[i]; n == "text" || n == "desc" || n == "title" {
					text.Write(t)
					break
				}
			}
		}
		if len(within) > maxDOMDepth {
			return nil, fault.New(fault.Invalid, "damaged: it is nested too deeply")
		}
	}
	return b.Document(title.String()), nil
}
