package rtf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"docent/ingest/extract/office/content"
	"docent/ingest/outline"
)

// body collects the text of an RTF document.
type body struct {
	title   string
	para    paragraph
	text    strings.Builder // text of the paragraph
	note    strings.Builder
	notes   []string
	marker  strings.Builder
	running strings.Builder // text of a header or footer
	known   map[string]bool // distinct headers and footers
	footers []string
	wasItem bool

	rows   [][]string
	header bool // the first row of the table is marked as header
	cells  []string
	cell   strings.Builder
	below  []bool // cells that continue the cell above
	merge  bool
	trhdr  bool
}

// paragraph has the properties of the current paragraph.
type paragraph struct {
	level   int
	title   bool
	toc     bool
	inTable bool
}

// newBody returns an empty body.
func newBody() *body { return &body{known: map[string]bool{}} }

// write adds text to a destination.
func (t *body) write(dest destination, s string) {
	switch dest {
	case toBody:
		t.text.WriteString(s)
	case toNote:
		t.note.WriteString(s)
	case toMarker:
		t.marker.WriteString(s)
	case toHeader, toFooter:
		t.running.WriteString(s)
	}
}

// startDestination begins a note, a marker, a header, or a footer.
func (t *body) startDestination(dest destination) {
	switch dest {
	case toNote:
		t.note.Reset()
	case toMarker:
		t.marker.Reset()
	case toHeader, toFooter:
		t.running.Reset()
	}
}

// endDestination ends a note, a header, or a footer.
func (t *body) endDestination(b *outline.Builder, dest destination) {
	switch dest {
	case toNote:
		if s := strings.Join(strings.Fields(t.note.String()), " "); s != "" {
			t.notes = append(t.notes, s)
		}
		t.note.Reset()
	case toHeader, toFooter:
		s := strings.Join(strings.Fields(t.running.String()), " ")
		t.running.Reset()
		if content.IsPageLabel(s) || t.known[s] || len(t.known) >= content.MaxRunning {
			return
		}
		t.known[s] = true
		if dest == toHeader && b.Len() == 0 && t.text.Len() == 0 && len(t.rows)+len(t.cells) == 0 {
			b.Add(outline.Paragraph, 0, "\n\n", s)
		} else {
			t.footers = append(t.footers, s)
		}
	}
}

// word handles a control word for paragraphs and tables.
func (t *body) word(b *outline.Builder, r *reader, word string) {
	if r.state.dest != toBody {
		if word == "par" || word == "cell" {
			t.write(r.state.dest, "\n")
		}
		return
	}
	switch word {
	case "intbl":
		t.para.inTable = true
	case "par", "sect", "page":
		t.endParagraph(b)
	case "cell":
		t.endCell()
	case "row":
		t.endRow(b)
	case "trowd":
		t.below, t.merge, t.trhdr = t.below[:0], false, false
	case "trhdr":
		t.trhdr = true
	case "clvmrg":
		t.merge = true
	case "cellx":
		if len(t.below) < maxRowCells {
			t.below = append(t.below, t.merge)
		}
		t.merge = false
	}
}

// take returns the text of the paragraph and starts a new one.
func (t *body) take() string {
	s := strings.TrimSpace(strings.ReplaceAll(t.text.String(), "\u00a0", " "))
	t.text.Reset()
	return s
}

// endParagraph ends a paragraph.
func (t *body) endParagraph(b *outline.Builder) {
	if t.para.inTable {
		t.cell.WriteString(t.cellMarker() + t.take())
		t.cell.WriteByte('\n')
		t.cellNotes()
		return
	}
	t.endTable(b)
	text := t.take()
	one := strings.Join(strings.Fields(text), " ")
	marker := listMarker(t.marker.String())
	t.marker.Reset()
	item := false
	switch p := t.para; {
	case one == "" || p.toc:
	case p.title:
		t.title = cmp.Or(t.title, one)
		b.Add(outline.Heading, 1, "\n\n", one)
	case p.level > 0:
		if marker == "- " {
			marker = ""
		}
		b.Add(outline.Heading, p.level, "\n\n", marker+one)
	case marker != "":
		separator := "\n\n"
		if t.wasItem {
			separator = "\n"
		}
		b.Add(outline.Item, 0, separator, marker+text)
		item = true
	default:
		b.Add(outline.Paragraph, 0, "\n\n", text)
	}
	if one != "" {
		t.wasItem = item
	}
	for _, note := range t.notes {
		b.Add(outline.Paragraph, 0, "\n\n", note)
	}
	t.notes = nil
}

// cellMarker returns the mark of an item in a cell.
func (t *body) cellMarker() string {
	marker := listMarker(t.marker.String())
	t.marker.Reset()
	if t.text.Len() == 0 {
		return ""
	}
	return marker
}

// cellNotes adds the notes of a paragraph to its cell.
func (t *body) cellNotes() {
	for _, note := range t.notes {
		t.cell.WriteString("(" + note + ")\n")
	}
	t.notes = nil
}

// endCell ends a cell.
func (t *body) endCell() {
	t.cell.WriteString(t.cellMarker() + t.take())
	t.cell.WriteByte('\n')
	t.cellNotes()
	t.cells = append(t.cells, strings.TrimSpace(t.cell.String()))
	t.cell.Reset()
}

// endRow ends a row. A cell that continues the one above repeats its text.
func (t *body) endRow(b *outline.Builder) {
	if len(t.cells) == 0 {
		return
	}
	if n := len(t.rows); n > 0 {
		above := t.rows[n-1]
		for i := range t.cells {
			if i < len(t.below) && i < len(above) && t.below[i] && t.cells[i] == "" && len(above[i]) <= content.MaxRepeated {
				t.cells[i] = above[i]
			}
		}
	} else {
		t.header = t.trhdr
	}
	t.rows = append(t.rows, t.cells)
	t.cells = nil
	if len(t.rows) >= content.MaxTable/8 {
		content.AddRows(b, t.rows, t.header)
		t.rows = nil
	}
}

// endTable adds the open table.
func (t *body) endTable(b *outline.Builder) {
	if len(t.cells) > 0 || strings.TrimSpace(t.cell.String()) != "" { // the last row has no end
		t.cells = append(t.cells, strings.TrimSpace(t.cell.String()))
		t.cell.Reset()
		t.endRow(b)
	}
	if len(t.rows) > 0 {
		content.AddRows(b, t.rows, t.header)
		t.wasItem = false
	}
	t.rows, t.header = nil, false
}

// finish adds the open paragraph, the open table, and the footers.
func (t *body) finish(b *outline.Builder) {
	t.para.inTable = t.para.inTable && len(t.cells) > 0
	t.endParagraph(b)
	t.endTable(b)
	for _, s := range slices.Compact(t.footers) {
		b.Add(outline.Paragraph, 0, "\n\n", s)
	}
}

// listMarker returns the mark of a list item: its number or letter, or "- " for
// all other marks.
func listMarker(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\u00a0", " "))
	if s == "" {
		return ""
	}
	if strings.ContainsFunc(s, unicode.IsDigit) && len(s) < 16 {
		return s + " "
	}
	if body := strings.Trim(s, ".()"); body != s && body != "" && len(body) < 8 &&
		!strings.ContainsFunc(body, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return s + " "
	}
	return "- "
}

// maxRowCells bounds the cells of a row.
const maxRowCells = 16384
