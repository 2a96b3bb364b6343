package epub

import (
	"bytes"
	"context"
	"encoding/xml"
	"strings"

	"docent/ingest/extract/zipxml"
)

// entry is a chapter in the table of contents.
type entry struct {
	label string
	level int
}

// contents reads the table of contents. If the table is damaged, chapters
// without headings have no names.
func (b *book) contents(ctx context.Context) {
	if b.nav != "" {
		if data, err := b.archive.Part(b.nav); err == nil && data != nil {
			t := &toc{book: b, base: b.nav}
			_ = zipxml.Tokens(ctx, data, t.nav)
		}
	}
	if len(b.entries) == 0 && b.ncx != "" {
		if data, err := b.archive.Part(b.ncx); err == nil && data != nil {
			t := &toc{book: b, base: b.ncx}
			_ = zipxml.Tokens(ctx, data, t.ncx)
		}
	}
}

// toc is the state of reading a table of contents.
type toc struct {
	*book
	base   string
	inside bool // inside the list of contents, not the lists of pages or landmarks
	level  int
	href   string
	label  strings.Builder
	open   bool // the label is being read
}

// add adds an entry. Only the first entry of each file counts.
func (t *toc) add() {
	label := strings.Join(strings.Fields(t.label.String()), " ")
	name := resolve(t.base, t.href)
	if _, have := t.entries[name]; label != "" && t.href != "" && !have && len(t.entries) < maxChapters {
		t.entries[name] = entry{label, min(max(t.level, 1), 6)}
	}
	t.label.Reset()
	t.href = ""
}

// text adds text to the label.
func (t *toc) text(s []byte) {
	if t.open && t.label.Len() < maxMetadata {
		t.label.Write(s)
	}
}

// nav reads a token of an EPUB 3 table of contents.
func (t *toc) nav(tok xml.Token) error {
	switch e := tok.(type) {
	case xml.StartElement:
		switch e.Name.Local {
		case "nav":
			t.inside = hasWord(zipxml.Attr(e, "type"), "toc")
		case "ol":
			t.level++
		case "a":
			if t.inside {
				t.href, t.open = zipxml.Attr(e, "href"), true
				t.label.Reset()
			}
		}
	case xml.EndElement:
		switch e.Name.Local {
		case "nav":
			t.inside = false
		case "ol":
			t.level--
		case "a":
			if t.open {
				t.add()
			}
			t.open = false
		}
	case xml.CharData:
		t.text(e)
	}
	return nil
}

// ncx reads a token of an EPUB 2 table of contents.
func (t *toc) ncx(tok xml.Token) error {
	switch e := tok.(type) {
	case xml.StartElement:
		switch e.Name.Local {
		case "navMap":
			t.inside = true
		case "navPoint":
			t.level++
			t.label.Reset()
		case "text":
			t.open = t.inside && t.level > 0
		case "content":
			if t.inside && t.level > 0 {
				t.href = zipxml.Attr(e, "src")
				t.add()
			}
		}
	case xml.EndElement:
		switch e.Name.Local {
		case "navMap":
			t.inside = false
		case "navPoint":
			t.level--
		case "text":
			t.open = false
		}
	case xml.CharData:
		t.text(e)
	}
	return nil
}

// voidElements have no end tag in HTML.
var voidElements = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true, "link": true, "meta": true,
	"param":  true,
	"source": true, "track": true, "wbr": true,
}

// closeEmpty adds end tags to the empty elements of XHTML, such as <title/>. An
// HTML parser would treat them as open.
func closeEmpty(data []byte) []byte {
	if !bytes.Contains(data, []byte("/>")) {
		return data
	}
	out := make([]byte, 0, len(data)+len(data)/16)
	for {
		i := bytes.Index(data, []byte("/>"))
		if i < 0 {
			break
		}
		start := bytes.LastIndexByte(data[:i], '<')
		name := ""
		if start >= 0 {
			name = tagName(data[start+1 : i])
		}
		if name == "" || voidElements[strings.ToLower(name)] || bytes.IndexByte(data[start:i], '>') >= 0 {
			out = append(out, data[:i+2]...)
		} else {
			out = append(out, data[:i]...)
			out = append(out, "></"+name+">"...)
		}
		data = data[i+2:]
	}
	return append(out, data...)
}

// tagName returns the name at the start of a tag, or "".
func tagName(b []byte) string {
	n := 0
	for n < len(b) && n < 32 && (b[n]|0x20 >= 'a' && b[n]|0x20 <= 'z' || b[n] >= '0' && b[n] <= '9' || b[n] == ':' || b[n] == '-') {
		n++
	}
	if n < len(b) && n < 32 && b[n] != ' ' && b[n] != '\t' && b[n] != '\n' && b[n] != '\r' {
		return ""
	}
	return string(b[:n])
}
