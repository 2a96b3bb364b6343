package markup

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/extract/charset"
	"docent/ingest/extract/plain"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/internal/lazyregexp"
)

// XML reads prose in XML, such as DocBook, DITA, and JATS, with its structure. It
// reads other XML as source code.
func XML(ctx context.Context, name string, data []byte) (*outline.Document, error) {
	text, err := xmlText(data)
	if err != nil {
		return nil, err
	}
	x := &xmlProse{Writer: blocks.NewWriter(ctx, len(text)/2), known: isProseXML(text)}
	if err := x.read(text); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if x.Builder.Len() == 0 || !x.known {
			return plain.Code(name, text), nil // the text of a damaged file can still be searched
		}
	}
	x.flush()
	if !x.known && !x.isProse(len(text)) {
		return plain.Code(name, text), nil
	}
	doc, err := x.Document()
	if err == nil && strings.TrimSpace(doc.Text) == "" {
		return plain.Code(name, text), nil
	}
	return doc, err
}

// ProseXML returns the media type of a text that begins like a document in
// DocBook, DITA, or JATS. It reports false for other texts.
func ProseXML(head []byte) (media string, ok bool) {
	switch root := xmlRoot(string(head)); {
	case root == "article" && isJATS(string(head)):
		return "application/jats+xml", true
	case docbookRoots[root]:
		return "application/docbook+xml", true
	case ditaRoots[root]:
		return "application/dita+xml", true
	case isJATS(string(head)):
		return "application/jats+xml", true
	}
	return "", false
}

// isJATS reports whether a text begins with a JATS document type.
func isJATS(head string) bool {
	return strings.Contains(head, "JATS") || strings.Contains(head, "//NLM//")
}

// isProseXML reports whether a text is in one of the known vocabularies.
func isProseXML(text string) bool {
	head := []byte(text[:min(len(text), 8<<10)])
	_, ok := ProseXML(head)
	return ok || xmlRoot(string(head)) == "article"
}

// docbookRoots and ditaRoots are root elements that identify a vocabulary. An
// article may also be JATS.
var (
	docbookRoots = map[string]bool{
		"book": true, "article": true, "chapter": true, "section": true, "sect1": true, "sect2": true, "refentry": true, "part": true,
		"preface": true, "appendix": true, "set": true, "refsect1": true, "partintro": true,
		"simplesect": true, "variablelist": true, "legalnotice": true, "bookinfo": true, "para": true, "qandaset": true,
	}
	ditaRoots = map[string]bool{
		"topic": true, "concept": true, "task": true, "dita": true, "glossentry": true, "troubleshooting": true,
		"glossgroup": true,
	}
)

var xmlElement = lazyregexp.New(`<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)[\s/>]`)

// xmlRoot returns the local name of the first element.
func xmlRoot(head string) string {
	for {
		i := strings.Index(head, "<!--")
		m := xmlElement.FindStringSubmatchIndex(head)
		if m == nil {
			return ""
		}
		if i < 0 || i > m[0] {
			return strings.ToLower(head[m[4]:m[5]])
		}
		_, rest, ok := strings.Cut(head[i:], "-->")
		if !ok {
			return ""
		}
		head = rest
	}
}

var xmlEncoding = lazyregexp.New(`^[^>]{0,100}encoding=["']([\w-]+)["']`)

// xmlText decodes an XML file.
func xmlText(data []byte) (string, error) {
	declared := ""
	if m := xmlEncoding.FindSubmatch(data[:min(len(data), 200)]); m != nil {
		declared = string(m[1])
	}
	text, _, err := charset.Decode(data, declared)
	return text, err
}

// xmlProse is the state of reading XML.
type xmlProse struct {
	*blocks.Writer
	// known is set for a vocabulary whose elements are known.
	known bool
	stack []xmlNode
	buf   strings.Builder
	// skip is the depth from which elements are dropped, or 0.
	skip int
	// verbatim is the depth of the open element with significant line breaks,
	// or 0.
	verbatim int
	grids    []xmlGrid
	notes    []string
	note     int // depth of the open footnote, or 0
	noteBuf  strings.Builder
	lists    []xmlList
	sections int
	titled   bool   // the document has its title
	pending  string // terms of the next definition
	prose    int    // bytes of text with several words
	runs     int    // bytes of text
}

// xmlNode is an open element.
type xmlNode struct {
	name string
	role xmlRole
	attr string // the relevant attribute
}

// xmlList is an open list.
type xmlList struct {
	ordered bool
	next    int
}

// xmlGrid is an open table.
type xmlGrid struct {
	blocks.Grid
	row  []string
	head bool
}

// read reads the tokens of a text.
func (x *xmlProse) read(text string) error {
	r := zipxml.NewReader([]byte(text))
	d := xml.NewDecoder(r)
	d.Strict = false
	d.Entity = xmlEntities(text)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for n := 0; ; n++ {
		if n%4096 == 0 && x.Done() {
			return x.Ctx.Err()
		}
		r.Next()
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.Wrap(fault.Invalid, err, "xml_damaged", "damaged: the XML is not well-formed")
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(x.stack) >= zipxml.MaxDepth {
				return fault.New(fault.Invalid, "nested_too_deeply", "damaged: it is nested too deeply")
			}
			x.start(t)
		case xml.EndElement:
			x.close(t.Name.Local)
		case xml.CharData:
			x.chars(string(t))
		}
	}
}

// Bounds of the entities that a document defines.
const (
	maxEntities    = 2000
	maxEntityBytes = 256
)

var xmlEntity = lazyregexp.New(`<!ENTITY\s+([A-Za-z][\w.-]*)\s+(?:"([^"<&%]*)"|'([^'<&%]*)')\s*>`)

// xmlEntities returns the entities of HTML and those that the text defines
// without markup. Entities are never expanded inside each other.
func xmlEntities(text string) map[string]string {
	out := make(map[string]string, len(xml.HTMLEntity))
	for k, v := range xml.HTMLEntity {
		out[k] = v
	}
	head := text[:min(len(text), 64<<10)]
	if end := strings.Index(head, "]>"); end >= 0 {
		for _, m := range xmlEntity.FindAllStringSubmatch(head[:end], maxEntities) {
			if v := m[2] + m[3]; len(v) <= maxEntityBytes {
				out[m[1]] = v
			}
		}
	}
	return out
}

// chars adds text.
func (x *xmlProse) chars(s string) {
	if x.skip > 0 {
		return
	}
	if t := strings.TrimSpace(s); t != "" {
		x.runs += len(t)
		if strings.Count(t, " ") >= 3 {
			x.prose += len(t)
		}
	}
	if x.note > 0 {
		x.noteBuf.WriteString(s)
		return
	}
	x.buf.WriteString(s)
}

// isProse reports whether XML in an unknown vocabulary is prose. Its elements
// must contain sentences, and sentences must be a large part of the file.
func (x *xmlProse) isProse(size int) bool {
	return x.prose*4 >= size && x.prose*3 >= x.runs*2
}

// flush ends the current paragraph and adds its footnotes.
func (x *xmlProse) flush() {
	if len(x.grids) > 0 {
		if x.buf.Len() > 0 && !strings.HasSuffix(x.buf.String(), " ") {
			x.buf.WriteByte(' ')
		}
		return
	}
	if x.buf.Len() > 0 {
		text := x.buf.String()
		x.buf.Reset()
		x.Para(text)
	}
	notes := x.notes
	x.notes = nil
	for _, n := range notes {
		x.Para(n)
	}
}
