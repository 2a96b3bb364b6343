// Package docx reads Word documents (DOCX).
package docx

import (
	"cmp"
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/office/ooxml"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// mainPart is the part with the text of a Word document.
const mainPart = "word/document.xml"

// Read reads a Word document: headings by their styles, lists, table rows,
// charts, and descriptions of pictures. Footnotes follow their paragraph. Read
// includes each distinct header and footer once. It omits comments and tracked
// deletions.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	a, err := zipxml.Open(data)
	if err != nil {
		return nil, err
	}
	main, err := ooxml.MainPart(ctx, a, mainPart)
	if err != nil {
		return nil, err
	}
	body, err := a.Part(main)
	if err != nil {
		return nil, err
	}
	if body == nil {
		return nil, fault.New(fault.Invalid, "word_empty", "damaged: it is a Word document without text")
	}
	w, err := readBody(ctx, a, main, body, false)
	if err == nil && w.struck.dominates() {
		w, err = readBody(ctx, a, main, body, true)
	}
	if err != nil {
		return nil, err
	}
	return w.b.Document(cmp.Or(ooxml.Title(ctx, a), w.title)), nil
}

// readBody reads the text. Struck-out text is left out, or marked if mark is set.
func readBody(ctx context.Context, a *zipxml.Archive, main string, body []byte, mark bool) (*word, error) {
	w := &word{
		a: a, b: outline.NewBuilder(len(body) / 8), notes: map[string]string{}, refs: map[string]zipxml.Relation{},
		struck: struck{mark: mark},
	}
	headers, footers, err := w.readParts(ctx, main)
	if err != nil {
		return nil, err
	}
	for _, text := range headers {
		w.b.Add(outline.Paragraph, 0, "\n\n", text)
	}
	if err := w.read(ctx, body); err != nil {
		return nil, err
	}
	for _, text := range footers {
		w.b.Add(outline.Paragraph, 0, "\n\n", text)
	}
	return w, nil
}

// word is the state of reading a Word document.
type word struct {
	a         *zipxml.Archive
	b         *outline.Builder
	refs      map[string]zipxml.Relation // by id; a part is removed when it is read
	styles    map[string]style
	numbering *numbering
	links     map[string]string // addresses of links by id
	notes     map[string]string // footnotes and endnotes
	title     string
	wasItem   bool

	open  []*paragraph // innermost last: a text box is inside a paragraph
	table *wordTable
	nest  int // number of open tables

	math    ooxml.Formula
	run     run
	fields  []field
	box     box
	struck  struck
	pending []string // ids of parts to add after the paragraph or table
}

// paragraph is an open paragraph.
type paragraph struct {
	text    strings.Builder
	style   string
	level   int // outline level from 1, or 0
	num     string
	numRank int
	notes   []string
	alts    []string // descriptions of pictures
	deleted bool     // the text or the mark of the paragraph is deleted
}

// read reads the main part.
func (w *word) read(ctx context.Context, data []byte) error {
	skip := 0 // depth inside an omitted element
	text, code := false, false
	err := zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			if skip > 0 || skipped(t.Name) {
				if n := len(w.open); skip == 0 && n > 0 && t.Name.Local == "del" {
					w.open[n-1].deleted = true
				}
				skip++
				return nil
			}
			if w.math.Start(t) {
				return nil
			}
			text, code = t.Name.Local == "t", t.Name.Local == "instrText"
			w.start(t)
		case xml.EndElement:
			if skip > 0 {
				skip--
				return nil
			}
			if equation, ok := w.math.End(t.Name); ok {
				w.write(equation)
				return nil
			}
			text, code = false, false
			w.end(t.Name)
			return w.addPending(ctx)
		case xml.CharData:
			switch {
			case skip > 0 || w.math.Text(t):
			case text:
				w.writeRun(string(t))
			case code:
				w.fieldCode(string(t))
			}
		}
		return nil
	})
	for len(w.open) > 0 {
		w.endParagraph()
	}
	if w.table != nil {
		w.endTable()
	}
	return err
}

// skipped reports whether an element is omitted: fallbacks for old programs,
// and deleted text.
func skipped(n xml.Name) bool {
	switch n.Local {
	case "Fallback", "del", "moveFrom", "delInstrText", "rPrChange", "pPrChange", "sectPr", "rt":
		return n.Space == "w" || n.Space == "mc"
	}
	return false
}

// write adds text to the innermost paragraph.
func (w *word) write(s string) {
	if n := len(w.open); n > 0 {
		w.open[n-1].text.WriteString(s)
	}
}

func (w *word) start(e xml.StartElement) {
	switch e.Name.Space {
	case "w":
	case "w14":
		w.startControl(e)
		return
	default:
		w.startDrawing(e)
		return
	}
	var p *paragraph
	if n := len(w.open); n > 0 {
		p = w.open[n-1]
	}
	switch e.Name.Local {
	case "p":
		w.open = append(w.open, &paragraph{numRank: -1})
	case "tbl", "tr", "tblHeader", "tc", "gridSpan", "vMerge":
		w.startTable(e)
	case "r":
		w.run = run{}
	case "vertAlign", "vanish", "strike", "dstrike", "rFonts", "rStyle":
		w.runProperty(e)
	case "sym":
		if n, err := strconv.ParseUint(zipxml.Attr(e, "char"), 16, 16); err == nil {
			w.writeSymbol(zipxml.Attr(e, "font"), rune(n))
		}
	case "hyperlink", "fldSimple", "fldChar", "default", "checked", "checkBox", "result", "listEntry", "sdtContent":
		w.startField(e)
	case "altChunk":
		w.refer(zipxml.AttrIn(e, "r", "id"))
	case "tab", "ptab":
		w.write(" ")
	case "br", "cr":
		w.write("\n")
	case "noBreakHyphen":
		w.write("-")
	case "pStyle", "outlineLvl", "ilvl", "numId", "footnoteReference", "endnoteReference":
		if p != nil {
			p.property(e)
		}
	}
}

// property applies a property of the paragraph.
func (p *paragraph) property(e xml.StartElement) {
	n, err := strconv.Atoi(zipxml.Attr(e, "val"))
	switch e.Name.Local {
	case "pStyle":
		p.style = zipxml.Attr(e, "val")
	case "outlineLvl":
		if err == nil && n < 9 {
			p.level = n + 1
		}
	case "ilvl":
		if err == nil {
			p.numRank = n
		}
	case "numId":
		p.num = zipxml.Attr(e, "val")
	case "footnoteReference":
		p.notes = append(p.notes, "f"+zipxml.Attr(e, "id"))
	case "endnoteReference":
		p.notes = append(p.notes, "e"+zipxml.Attr(e, "id"))
	}
}

func (w *word) end(n xml.Name) {
	if n.Space != "w" {
		return
	}
	switch n.Local {
	case "hyperlink", "fldSimple", "checkBox", "ddList", "sdtContent":
		w.endField(n.Local)
	case "p":
		if len(w.open) > 0 {
			w.endParagraph()
		}
	case "tc":
		if w.nest == 1 {
			w.table.endCell()
		}
	case "tbl":
		if w.nest == 1 {
			w.endTable()
		}
		w.nest = max(w.nest-1, 0)
	}
}

// endParagraph adds the innermost paragraph to its table cell or to the text.
func (w *word) endParagraph() {
	p := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	if w.table != nil {
		text := p.text.String()
		number, _, _ := w.number(p)
		if number != "" && strings.TrimSpace(text) != "" {
			text = number + " " + text
		}
		w.table.cell.WriteString(text)
		for _, id := range p.notes {
			if note := w.note(id); note != "" {
				w.table.cell.WriteString(" (" + note + ")")
			}
		}
		for _, alt := range p.alts {
			w.table.cell.WriteString(" " + alt)
		}
		w.table.cell.WriteByte('\n')
		return
	}
	w.add(p, p.text.String())
	for _, id := range p.notes {
		if note := w.note(id); note != "" {
			w.b.Add(outline.Paragraph, 0, "\n\n", note)
		}
	}
	for _, alt := range p.alts {
		w.b.Add(outline.Paragraph, 0, "\n\n", alt)
		w.wasItem = false
	}
}

// note returns the text of a note at its first reference and "" at later ones.
// So the text cannot grow faster than the file.
func (w *word) note(id string) string {
	note := w.notes[id]
	delete(w.notes, id)
	return note
}

// add adds a paragraph according to its style.
func (w *word) add(p *paragraph, text string) {
	s := w.styles[p.style]
	level := cmp.Or(p.level, s.level)
	one := strings.Join(strings.Fields(text), " ")
	number, bullet, listed := w.number(p)
	if s.toc || one == "" {
		w.wasItem = false
		return
	}
	switch {
	case s.title:
		w.title = cmp.Or(w.title, one)
		w.b.Add(outline.Heading, 1, "\n\n", one)
	case level > 0:
		w.b.Add(outline.Heading, level, "\n\n", strings.TrimSpace(number+" "+one))
	case listed && (bullet || number != ""):
		separator := "\n\n"
		if w.wasItem {
			separator = "\n"
		}
		if bullet {
			number = "-"
		}
		w.b.Add(outline.Item, 0, separator, number+" "+text)
		w.wasItem = true
		return
	default:
		w.b.Add(outline.Paragraph, 0, "\n\n", text)
	}
	w.wasItem = false
}

// number counts a paragraph of a list and returns its number as displayed. listed reports
// whether it belongs to a list, and bullet whether the list is unnumbered.
func (w *word) number(p *paragraph) (number string, bullet, listed bool) {
	s := w.styles[p.style]
	id := cmp.Or(p.num, s.num)
	if id == "" || id == "0" || s.toc || p.deleted && strings.TrimSpace(p.text.String()) == "" {
		return "", false, false
	}
	list := w.numbering.find(id, w.styles)
	if list == nil {
		return "", true, true
	}
	rank := p.numRank
	if rank < 0 && p.num == "" {
		rank = s.rank
	}
	if rank < 0 && p.style != "" {
		rank, _ = list.rankOf(p.style)
	}
	number, bullet = list.next(min(max(rank, 0), content.MaxListDepth-1))
	return number, bullet, true
}

// readNotes reads footnotes or endnotes.
func (w *word) readNotes(ctx context.Context, kind string, data []byte) error {
	id, inText := "", false
	var text strings.Builder
	return zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "footnote", "endnote":
				id = kind + zipxml.Attr(t, "id")
				if zipxml.Attr(t, "type") != "" {
					id = "" // a separator line above the notes
				}
				text.Reset()
			case "p":
				text.WriteByte(' ')
			}
			inText = t.Name.Local == "t"
		case xml.EndElement:
			inText = false
			if id != "" && (t.Name.Local == "footnote" || t.Name.Local == "endnote") {
				w.notes[id] = strings.TrimSpace(text.String())
			}
		case xml.CharData:
			if inText {
				text.Write(t)
			}
		}
		return nil
	})
}
