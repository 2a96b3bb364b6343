// Package blocks builds documents from the paragraphs, headings, lists, and tables
// of a markup language.
package blocks

import (
	"context"
	"strings"

	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// MaxNesting limits the levels of nesting that readers follow. They read deeper
// text without its structure.
const MaxNesting = 24

// Writer adds blocks to a document. The readers of all markup languages use it.
type Writer struct {
	// Ctx cancels the reading.
	Ctx context.Context
	// Builder collects the blocks.
	Builder *outline.Builder
	// Title is the title of the document.
	Title string
	// Prefix is added to the front of the next paragraph, such as "Note: ".
	Prefix string
	// Marker is added to the front of the next paragraph of a list item.
	// Paragraphs belong to list items while Items is above 0.
	Marker string
	// Items is the number of open lists.
	Items int
	// Indent is the number of lists around the list of the next item. The text
	// shows it as indentation.
	Indent int
	terms  int
}

// NewWriter returns a writer for a text of about size bytes.
func NewWriter(ctx context.Context, size int) *Writer {
	return &Writer{Ctx: ctx, Builder: outline.NewBuilder(size)}
}

// OneLine joins the words of a text with single spaces.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Para adds a paragraph on one line.
func (w *Writer) Para(s string) { w.Lines(OneLine(s)) }

// Lines adds a paragraph with its line breaks.
func (w *Writer) Lines(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	s = w.Prefix + s
	w.Prefix = ""
	if w.Items > 0 {
		w.Builder.Add(outline.Item, 0, "\n"+strings.Repeat("   ", w.Indent), w.Marker+s)
		w.Marker = ""
		return
	}
	w.Builder.Add(outline.Paragraph, 0, "\n\n", s)
}

// Heading adds a heading that opens a section.
func (w *Writer) Heading(level int, s string) {
	w.Prefix, w.Marker = "", ""
	w.Builder.Add(outline.Heading, level, "\n\n", OneLine(s))
}

// OpenTerm adds a term. Its definition follows until CloseTerm.
func (w *Writer) OpenTerm(s string) {
	w.terms++
	w.Builder.Add(outline.Heading, w.termLevel(), "\n\n", s)
}

// CloseTerm ends the definition of the latest open term.
func (w *Writer) CloseTerm() {
	w.Builder.Close(w.termLevel())
	w.terms--
}

// termLevel returns the heading level of the innermost open term.
func (w *Writer) termLevel() int { return outline.TermLevel + min(w.terms, 3) }

// Code adds text with its line breaks. It removes the indentation that all lines
// share.
func (w *Writer) Code(s string) {
	w.Prefix = ""
	w.Builder.Add(outline.Code, 0, "\n\n", w.Marker+dedentText(s))
	w.Marker = ""
}

// MaxColumns limits the columns of a table.
const MaxColumns = 1000

// Grid is a table.
type Grid struct {
	// Caption is the caption of the table.
	Caption string
	// Rows are the texts of the cells.
	Rows [][]string
	// Headers is the number of rows at the top that name the columns.
	Headers int
}

// Table adds a table. The caption and the column names form one block. Each row
// becomes one line.
func (w *Writer) Table(g Grid) {
	separator := "\n\n"
	var header []string
	if c := OneLine(g.Caption); c != "" {
		header = append(header, c)
	}
	started := false
	for i, row := range g.Rows {
		line := table.Line(row)
		if line == "" {
			continue
		}
		if !started && i < g.Headers && i < len(g.Rows)-1 {
			header = append(header, line)
			continue
		}
		if !started && len(header) > 0 {
			w.Builder.Add(outline.Header, 0, separator, strings.Join(header, "\n"))
			separator = "\n"
		}
		started = true
		w.Builder.Add(outline.Row, 0, separator, line)
		separator = "\n"
	}
	if !started && len(header) > 0 {
		w.Builder.Add(outline.Row, 0, separator, strings.Join(header, "\n"))
	}
}

// Done reports whether the reading was canceled.
func (w *Writer) Done() bool { return w.Ctx.Err() != nil }

// Document returns the finished document. If the reading was canceled, it returns
// the error.
func (w *Writer) Document() (*outline.Document, error) {
	if err := w.Ctx.Err(); err != nil {
		return nil, err
	}
	return w.Builder.Document(w.Title).WithoutStruck(), nil
}

// MaxIndent is the maximum indentation that is counted, in bytes.
const MaxIndent = 256

// IndentOf returns the number of leading spaces of a line.
func IndentOf(line string) int {
	i := 0
	for i < len(line) && i < MaxIndent && line[i] == ' ' {
		i++
	}
	return i
}

// IsBlank reports whether a line has no text.
func IsBlank(line string) bool { return strings.TrimSpace(line) == "" }

// SplitLines splits a text into lines. It replaces tabs in the indentation by
// spaces and removes space at the end of a line.
func SplitLines(text string) []string {
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

// expandTabs replaces the tabs of an indentation by spaces. Tab stops are eight
// columns apart.
func expandTabs(space string) string {
	col := 0
	for i := 0; i < len(space) && col < MaxIndent; i++ {
		if space[i] == '\t' {
			col += 8 - col%8
		} else {
			col++
		}
	}
	return strings.Repeat(" ", col)
}

// Dedent removes the indentation that all lines share, and the empty lines at
// both ends.
func Dedent(lines []string) []string {
	for len(lines) > 0 && IsBlank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && IsBlank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	least := MaxIndent
	for _, l := range lines {
		if !IsBlank(l) {
			least = min(least, IndentOf(l))
		}
	}
	return Unindent(lines, least)
}

// Unindent removes up to n spaces from the front of each line.
func Unindent(lines []string, n int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l[min(n, IndentOf(l)):]
	}
	return out
}

// dedentText applies Dedent to a text.
func dedentText(s string) string { return strings.Join(Dedent(SplitLines(s)), "\n") }

// Indented counts the leading lines that are indented or blank. Blank lines at
// the end do not count.
func Indented(lines []string) int {
	end := 0
	for i, l := range lines {
		if IsBlank(l) {
			continue
		}
		if IndentOf(l) < 1 {
			break
		}
		end = i + 1
	}
	return end
}
