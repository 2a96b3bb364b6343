// Package odf reads OpenDocument texts, spreadsheets, presentations, and drawings.
package odf

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/office/sheet"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
)

// Read reads an OpenDocument text, spreadsheet, presentation, or drawing. Each
// visible sheet and each slide becomes a page. Notes follow their paragraph.
// Read omits comments and deleted text.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	a, err := zipxml.Open(data)
	if err != nil {
		return nil, err
	}
	d := newReader(ctx, a, outline.NewBuilder(1<<16))
	kind, err := a.Part("mimetype")
	if err != nil {
		return nil, err
	}
	d.master = true
	if err := d.read("styles.xml"); err != nil {
		return nil, err
	}
	d.master = false
	running := d.running
	if bytes.Contains(kind, []byte("spreadsheet")) || bytes.Contains(kind, []byte("presentation")) {
		running = nil
	}
	for _, text := range running[true] {
		d.b.Add(outline.Paragraph, 0, "\n\n", text)
	}
	if err := d.read("content.xml"); err != nil {
		return nil, err
	}
	for _, text := range running[false] {
		d.b.Add(outline.Paragraph, 0, "\n\n", text)
	}
	meta, err := a.Part("meta.xml")
	if err != nil {
		return nil, err
	}
	doc := d.b.Document(cmp.Or(content.OwnTitle(zipxml.CoreTitle(ctx, meta)), d.title))
	doc.PageLabels = d.labels
	return doc.WithoutStruck(), nil
}

// reader is the state of reading an OpenDocument file.
type reader struct {
	ctx    context.Context //nolint:containedctx // of the one call that reads the file
	a      *zipxml.Archive
	b      *outline.Builder
	err    error
	title  string
	labels []string
	seen   map[string]bool // objects that have been read

	styles  map[string]style
	style   *style                         // the style that is being read
	numbers map[string]map[int]numberLevel // by list style and level
	list    string                         // the list style that is being read
	running map[bool][]string              // texts of headers (true) and footers (false)

	ends     []func() // for each open element, the function to call at its end
	skip     int      // depth inside omitted elements
	open     []*paragraph
	notes    []*strings.Builder // open notes, innermost last
	scripts  []int
	fonts    []string // fonts of the open spans
	lists    []*list
	counts   map[string][]int // by list style, the last number of each level
	headings []int            // the last number of each level of headings
	wasItem  bool
	table    *table
	nest     int // number of open tables
	slide    *slideShapes
	sheets   bool      // the body is a spreadsheet
	shown    int       // number of visible sheets
	master   bool      // the part has only headers and footers
	runs     *[]string // receives the paragraphs of a header or footer
	budget   int       // number of cells that may follow
	objects  []string  // charts to add after the paragraph
}

// paragraph is an open paragraph.
type paragraph struct {
	text  strings.Builder
	style string
	level int // level of a heading, 0 for other paragraphs
	// unnumbered reports that a heading has no number, and start is its number if it begins anew.
	unnumbered bool
	start      *int
	notes      []string
	spaced     bool // the text ends with white space that has been written
}

// newReader returns a reader of an archive.
func newReader(ctx context.Context, a *zipxml.Archive, b *outline.Builder) *reader {
	return &reader{
		ctx: ctx, a: a, b: b, seen: map[string]bool{}, styles: map[string]style{}, numbers: map[string]map[int]numberLevel{},
		running: map[bool][]string{}, counts: map[string][]int{}, budget: sheet.MaxCells,
	}
}

// read reads a part.
func (d *reader) read(name string) error {
	d.ends, d.skip = nil, 0
	err := d.a.Stream(d.ctx, name, d.token)
	for len(d.open) > 0 {
		d.endParagraph()
	}
	return err
}

// token handles the next token.
func (d *reader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if d.skip > 0 || skipped(t) {
			d.skip++
			return nil
		}
		n := len(d.ends)
		d.ends = append(d.ends, nil)
		if end := d.start(t); end != nil {
			d.ends[n] = end
		}
	case xml.EndElement:
		if d.skip > 0 {
			d.skip--
			return nil
		}
		if n := len(d.ends); n > 0 {
			end := d.ends[n-1]
			d.ends = d.ends[:n-1]
			if end != nil {
				end()
			}
		}
	case xml.CharData:
		if n := len(d.fonts); d.skip == 0 && n > 0 && d.fonts[n-1] != "" {
			d.write([]byte(content.SymbolRun(d.fonts[n-1], string(t))))
		} else if d.skip == 0 {
			d.write(t)
		}
	}
	return d.err
}

// skipped reports whether an element is omitted.
func skipped(e xml.StartElement) bool {
	switch e.Name.Space + ":" + e.Name.Local {
	case "office:annotation", "office:forms", "office:scripts", "office:font-face-decls", "office:settings", "office:event-listeners",
		"text:number",
		"text:tracked-changes", "text:table-of-content", "text:note-citation", "text:ruby-text", "text:page-number", "text:page-count",
		"text:sequence-decls", "text:variable-decls", "text:user-field-decls", "text:notes-configuration",
		"presentation:settings", "presentation:date-time", "presentation:footer", "presentation:header", "table:tracked-changes",
		"table:content-validations",
		"table:named-expressions", "table:database-ranges", "table:data-pilot-tables", "draw:glue-point", "draw:enhanced-geometry",
		"office:binary-data":
		return true
	case "draw:custom-shape":
		return strings.HasPrefix(zipxml.AttrIn(e, "draw", "name"), "PowerPlusWaterMarkObject")
	case "text:section", "text:p", "text:h":
		return zipxml.AttrIn(e, "text", "display") == "none"
	}
	return false
}

// write adds text to the innermost paragraph. It replaces each run of white
// space by one space.
func (d *reader) write(text []byte) {
	n := len(d.open)
	if n == 0 {
		return
	}
	p := d.open[n-1]
	if script := d.script(); script != 0 {
		p.text.WriteString(content.Scripted(string(text), script))
		return
	}
	for len(text) > 0 {
		i := bytes.IndexAny(text, " \t\r\n")
		if i < 0 {
			i = len(text)
		}
		if i > 0 {
			p.text.Write(text[:i])
			p.spaced = false
		}
		rest := bytes.TrimLeft(text[i:], " \t\r\n")
		if len(rest) < len(text)-i && !p.spaced && p.text.Len() > 0 {
			p.text.WriteByte(' ')
			p.spaced = true
		}
		text = rest
	}
}

// script returns a number above 0 in raised text and below 0 in lowered text.
func (d *reader) script() int {
	if n := len(d.scripts); n > 0 {
		return d.scripts[n-1]
	}
	return 0
}

// start opens an element. It returns the function to call at the end of the
// element, or nil.
func (d *reader) start(e xml.StartElement) func() {
	switch e.Name.Space {
	case "style", "number":
		return d.startStyle(e)
	case "text":
		return d.startText(e)
	case "table":
		if !d.master {
			return d.startTable(e)
		}
	case "draw", "presentation", "svg":
		if !d.master {
			return d.startDrawing(e)
		}
	case "office":
		d.sheets = d.sheets || e.Name.Local == "spreadsheet"
	case "math":
		if e.Name.Local == "annotation" {
			return d.startParagraph(&paragraph{})
		}
	}
	return nil
}

// startText opens an element of text.
func (d *reader) startText(e xml.StartElement) func() {
	switch e.Name.Local {
	case "p", "h":
		p := &paragraph{style: zipxml.AttrIn(e, "text", "style-name")}
		if e.Name.Local == "h" {
			p.level, _ = strconv.Atoi(cmp.Or(zipxml.AttrIn(e, "text", "outline-level"), zipxml.AttrIn(e, "text", "level")))
			p.level = min(max(p.level, 1), 9)
			p.unnumbered = zipxml.AttrIn(e, "text", "is-list-header") == "true"
			if n, err := strconv.Atoi(zipxml.AttrIn(e, "text", "start-value")); err == nil {
				p.start = &n
			} else if one := d.numbers[outlineStyle][p.level].start; zipxml.AttrIn(e, "text", "restart-numbering") == "true" {
				p.start = &one
			}
		}
		return d.startParagraph(p)
	case "span":
		script := d.script()
		s := d.styles[zipxml.AttrIn(e, "text", "style-name")]
		if s.script != 0 {
			script = s.script
		}
		d.scripts = append(d.scripts, script)
		d.fonts = append(d.fonts, s.font)
		from := 0
		if n := len(d.open); n > 0 {
			from = d.open[n-1].text.Len()
		}
		return func() {
			d.scripts = d.scripts[:len(d.scripts)-1]
			d.fonts = d.fonts[:len(d.fonts)-1]
			if s.struck {
				d.strike(from)
			}
		}
	case "s", "tab":
		d.write([]byte(" "))
	case "line-break":
		if n := len(d.open); n > 0 {
			d.open[n-1].text.WriteByte('\n')
			d.open[n-1].spaced = true
		}
	case "note", "footnote", "endnote":
		d.notes = append(d.notes, &strings.Builder{})
		return d.endNote
	case "list", "ordered-list", "unordered-list":
		d.startList(e)
		return func() { d.lists = d.lists[:len(d.lists)-1] }
	case "list-item":
		d.startItem(e)
	case "list-level-style-number", "list-level-style-bullet", "list-level-style-image", "list-style", "outline-level-style", "outline-style":
		return d.startListStyle(e)
	}
	return nil
}

// strike marks the text of the paragraph from a position as struck out.
func (d *reader) strike(from int) {
	n := len(d.open)
	if n == 0 || from > d.open[n-1].text.Len() {
		return
	}
	text := d.open[n-1].text.String()
	d.open[n-1].text.Reset()
	d.open[n-1].text.WriteString(text[:from] + outline.Struck(text[from:]))
}

// startParagraph opens a paragraph.
func (d *reader) startParagraph(p *paragraph) func() {
	d.open = append(d.open, p)
	return d.endParagraph
}

// endNote ends a note and adds its text to the paragraph that refers to it.
func (d *reader) endNote() {
	n := len(d.notes)
	text := strings.TrimSpace(d.notes[n-1].String())
	d.notes = d.notes[:n-1]
	if m := len(d.open); m > 0 && text != "" {
		d.open[m-1].notes = append(d.open[m-1].notes, text)
	}
}

// endParagraph ends the innermost paragraph. It adds the paragraph to the
// surrounding note, cell, or shape, or to the text.
func (d *reader) endParagraph() {
	n := len(d.open)
	if n == 0 {
		return
	}
	p := d.open[n-1]
	d.open = d.open[:n-1]
	text := strings.TrimSpace(p.text.String())
	switch {
	case len(d.notes) > 0:
		note := d.notes[len(d.notes)-1]
		note.WriteByte(' ')
		note.WriteString(text)
	case d.runs != nil:
		if text != "" {
			*d.runs = append(*d.runs, text)
		}
	case d.master:
	case d.table != nil && d.table.inCell:
		if front, item := d.marker(); item && text != "" {
			text = front + text
		}
		d.table.write(text)
		for _, note := range p.notes {
			d.table.write("(" + note + ")")
		}
	case d.slide != nil:
		d.slideLine(text)
	default:
		d.add(p, text)
		for _, note := range p.notes {
			d.b.Add(outline.Paragraph, 0, "\n\n", note)
		}
	}
	if len(d.open) == 0 && d.table == nil && d.slide == nil {
		d.addObjects()
	}
}

// add adds a paragraph to the text.
func (d *reader) add(p *paragraph, text string) {
	one := strings.Join(strings.Fields(text), " ")
	if one == "" {
		return
	}
	front, item := d.marker()
	switch s := d.resolve(p.style); {
	case p.level > 0:
		if len(d.lists) == 0 {
			front = d.headingNumber(p)
		} else if !d.isOrdered() {
			front = ""
		}
		d.b.Add(outline.Heading, p.level, "\n\n", front+one)
	case s.title:
		d.title = cmp.Or(d.title, one)
		d.b.Add(outline.Heading, 1, "\n\n", one)
	case item:
		separator := "\n\n"
		if d.wasItem {
			separator = "\n"
		}
		d.b.Add(outline.Item, 0, separator, front+text)
		d.wasItem = true
		return
	default:
		d.b.Add(outline.Paragraph, 0, "\n\n", text)
	}
	d.wasItem = false
}

// addObjects adds the charts of the last paragraph.
func (d *reader) addObjects() {
	objects := d.objects
	d.objects = nil
	for _, name := range objects {
		if err := d.addObject(name); err != nil {
			d.err = err
		}
	}
}

// addObject adds an embedded chart: its titles and its table.
func (d *reader) addObject(name string) error {
	o := newReader(d.ctx, d.a, d.b)
	o.seen, o.budget = d.seen, d.budget
	err := o.read(name)
	d.budget = o.budget
	return err
}
