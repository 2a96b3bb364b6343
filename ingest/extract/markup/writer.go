package markup

import (
	"context"
	"strings"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// maxNesting bounds the nesting that the readers follow. Text below it is kept
// without its structure.
const maxNesting = 24

// writer adds blocks in the form that the readers of this package share.
type writer struct {
	ctx   context.Context
	b     *outline.Builder
	title string
	// prefix stands in front of the next paragraph, such as "Note: ".
	prefix string
	// marker stands in front of the next paragraph of a list item. While items
	// is set, paragraphs belong to list items.
	marker string
	items  int
	terms  int
}

// newWriter returns a writer for a text of about size bytes.
func newWriter(ctx context.Context, size int) *writer {
	return &writer{ctx: ctx, b: outline.NewBuilder(size)}
}

// textual is the reader of a format that works on decoded text.
func textual(data []byte) (string, error) {
	text, _, err := charset.Decode(data, "")
	return text, err
}

// oneLine joins the words of a text with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// para adds a paragraph on one line.
func (w *writer) para(s string) { w.lines(oneLine(s)) }

// lines adds a paragraph with its line breaks.
func (w *writer) lines(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	s = w.prefix + s
	w.prefix = ""
	if w.items > 0 {
		separator := "\n"
		w.b.Add(outline.Item, 0, separator, w.marker+s)
		w.marker = ""
		return
	}
	w.b.Add(outline.Paragraph, 0, "\n\n", s)
}

// heading adds a heading that opens a section.
func (w *writer) heading(level int, s string) {
	w.prefix, w.marker = "", ""
	w.b.Add(outline.Heading, level, "\n\n", oneLine(s))
}

// openTerm adds a term whose definition follows; closeTerm ends the definition.
func (w *writer) openTerm(s string) {
	w.terms++
	w.b.Add(outline.Heading, w.termLevel(), "\n\n", s)
}

// closeTerm ends the definition of the term opened last.
func (w *writer) closeTerm() {
	w.b.Close(w.termLevel())
	w.terms--
}

// termLevel is the level of the heading of the term opened last.
func (w *writer) termLevel() int { return outline.TermLevel + min(w.terms, 3) }

// code adds text whose line breaks matter, without the indentation that all of
// its lines share.
func (w *writer) code(s string) {
	w.prefix = ""
	w.b.Add(outline.Code, 0, "\n\n", w.marker+dedentText(s))
	w.marker = ""
}

// grid is a table that a reader has found.
type grid struct {
	caption string
	rows    [][]string
	// headers is how many of the first rows name the columns.
	headers int
}

// table adds a table: the caption and the names of the columns in one block,
// then each row on a line.
func (w *writer) table(g grid) {
	separator := "\n\n"
	var header []string
	if c := oneLine(g.caption); c != "" {
		header = append(header, c)
	}
	started := false
	for i, row := range g.rows {
		line := table.Line(row)
		if line == "" {
			continue
		}
		if !started && i < g.headers && i < len(g.rows)-1 {
			header = append(header, line)
			continue
		}
		if !started && len(header) > 0 {
			w.b.Add(outline.Header, 0, separator, strings.Join(header, "\n"))
			separator = "\n"
		}
		started = true
		w.b.Add(outline.Row, 0, separator, line)
		separator = "\n"
	}
	if !started && len(header) > 0 {
		w.b.Add(outline.Row, 0, separator, strings.Join(header, "\n"))
	}
}

// done reports whether the caller has left.
func (w *writer) done() bool { return w.ctx.Err() != nil }

// document returns the finished document, or the error of a caller that left.
func (w *writer) document() (*outline.Document, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	return w.b.Document(w.title), nil
}

// maxIndent is the deepest indentation that counts, in bytes.
const maxIndent = 256

// indentOf is the number of spaces a line begins with.
func indentOf(line string) int {
	i := 0
	for i < len(line) && i < maxIndent && line[i] == ' ' {
		i++
	}
	return i
}

// isBlank reports whether a line has no text.
func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// splitLines splits a text into lines. Tabs in the indentation become spaces,
// and space at the end is dropped.
func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, " \t\r\f\v")
		if n := len(l) - len(strings.TrimLeft(l, " \t")); strings.IndexByte(l[:n], '\t') >= 0 {
			l = expandTabs(l[:n]) + l[n:]
		}
		lines[i] = l
	}
	return lines
}

// expandTabs replaces the tabs of an indentation by spaces up to each eighth
// column.
func expandTabs(space string) string {
	col := 0
	for i := 0; i < len(space) && col < maxIndent; i++ {
		if space[i] == '\t' {
			col += 8 - col%8
		} else {
			col++
		}
	}
	return strings.Repeat(" ", col)
}

// dedent removes the indentation that all lines share, and empty lines from
// both ends.
func dedent(lines []string) []string {
	for len(lines) > 0 && isBlank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && isBlank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	least := maxIndent
	for _, l := range lines {
		if !isBlank(l) {
			least = min(least, indentOf(l))
		}
	}
	return unindent(lines, least)
}

// unindent removes up to n spaces from the front of each line.
func unindent(lines []string, n int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l[min(n, indentOf(l)):]
	}
	return out
}

// dedentText is dedent for a text.
func dedentText(s string) string { return strings.Join(dedent(splitLines(s)), "\n") }

// indented is the number of lines from the start of lines that are indented or
// blank, without blank lines at the end.
func indented(lines []string) int {
	end := 0
	for i, l := range lines {
		if isBlank(l) {
			continue
		}
		if indentOf(l) < 1 {
			break
		}
		end = i + 1
	}
	return end
}
