// Package markup reads documents in markup languages other than HTML and
// Markdown.
package markup

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"

	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// SVG reads the texts in a drawing: its title, its description, and its labels.
func SVG(_ context.Context, _ string, data []byte) (*outline.Document, error) {
	r := zipxml.NewReader(data)
	d := xml.NewDecoder(r)
	d.Strict = false
	d.CharsetReader = charset.NewReaderLabel
	b := outline.NewBuilder(1 << 10)
	var title, text strings.Builder
	var within []string
	for {
		r.Next()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if b.Len() > 0 {
				break // keeps the text before the damage
			}
			return nil, fault.Wrap(fault.Invalid, err, "drawing_damaged", "damaged: the drawing cannot be read")
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
		if len(within) > zipxml.MaxDepth {
			return nil, fault.New(fault.Invalid, "nested_too_deeply", "damaged: it is nested too deeply")
		}
	}
	return b.Document(title.String()), nil
}
