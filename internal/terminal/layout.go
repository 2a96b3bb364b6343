package terminal

import (
	"io"
	"regexp"
	"strings"
)

// Layout fits Markdown to the width of a terminal: it wraps lines between words, divides words that are
// longer than a line, and draws tables. Code keeps its lines, and addresses stay whole. It writes each word as
// soon as the word is complete. It is not safe for concurrent use.
type Layout struct {
	to      io.Writer
	columns int // 0 means no layout

	line   string   // the part of the current line that is not written
	prose  bool     // the current line is wrapped text, and its beginning is written
	indent int      // of its further lines
	column int      // the next column
	fence  string   // what ends the code, or ""
	rows   []string // of a table that has not ended
	err    error
}

// NewLayout returns a Layout for a terminal with a number of columns; 0 writes all text as it is.
func NewLayout(to io.Writer, columns int) *Layout { return &Layout{to: to, columns: columns} }

// Write implements io.Writer.
func (l *Layout) Write(p []byte) (int, error) {
	if l.columns <= 0 {
		return l.to.Write(p) //nolint:wrapcheck // as io.Writer
	}
	for rest := string(p); rest != ""; {
		part, after, ended := strings.Cut(rest, "\n")
		l.line += part
		rest = after
		if ended {
			l.endLine("\n")
		} else if l.fence == "" {
			l.begun()
		}
	}
	return len(p), l.err
}

// Flush writes the rest of an unfinished line, and a table at the end of the text.
func (l *Layout) Flush() error {
	if l.line != "" {
		l.endLine("")
	}
	l.drawRows()
	l.prose, l.column, l.fence = false, 0, ""
	return l.err
}

func (l *Layout) print(s string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.to, s)
	}
}

// lead matches the beginning of a line below which its further lines begin: spaces, marks of quotes, and the mark of
// a list or a source.
var lead = regexp.MustCompile(`^[ \t>]*(?:(?:[-*+•]|\d{1,3}[.)]|\[\d{1,3}\])[ \t]+)?`)

// begun writes the whole words of a line that has not ended, if it is text.
func (l *Layout) begun() {
	if !l.prose {
		body := strings.TrimLeft(l.line, " \t>")
		if body == "" || strings.ContainsAny(body[:1], "|`~") || !strings.ContainsAny(body[lenLead(body):], " \t") {
			return
		}
		l.beginProse()
	}
	l.words(false)
}

// lenLead returns the length of the mark at the beginning of a line.
func lenLead(s string) int { return len(lead.FindString(s)) }

// beginProse writes the mark of a line of text.
func (l *Layout) beginProse() {
	l.drawRows()
	mark := l.line[:lenLead(l.line)]
	l.print(mark)
	l.line = l.line[len(mark):]
	l.column = Width(mark)
	l.indent, l.prose = l.column, true
	if l.indent > l.columns/2 {
		l.indent = 0
	}
}

// endLine writes the rest of a line, and its end.
func (l *Layout) endLine(end string) {
	trimmed := strings.TrimSpace(l.line)
	switch {
	case l.prose:
		l.words(true)
		l.print(end)
	case l.fence != "":
		l.print(l.line + end)
		if strings.HasPrefix(trimmed, l.fence) {
			l.fence = ""
		}
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		l.drawRows()
		l.fence = trimmed[:3]
		l.print(l.line + end)
	case strings.HasPrefix(trimmed, "|"):
		l.rows = append(l.rows, trimmed)
	default:
		l.beginProse()
		l.words(true)
		l.print(end)
	}
	l.line, l.prose, l.column = "", false, 0
}

// words writes the words of the line, and the last one only at its end.
func (l *Layout) words(end bool) {
	for l.prose && l.line != "" {
		spaces := len(l.line) - len(strings.TrimLeft(l.line, " \t"))
		n := strings.IndexAny(l.line[spaces:], " \t")
		if n < 0 && !end {
			return
		}
		if n < 0 {
			n = len(l.line) - spaces
		}
		word := l.line[spaces : spaces+n]
		gap := strings.ReplaceAll(l.line[:spaces], "\t", " ")
		l.line = l.line[spaces+n:]
		if word != "" {
			l.word(gap, word)
		}
	}
}

// word writes a word after a gap, on the next line if there is no room for both.
func (l *Layout) word(gap, word string) {
	wide := Width(word)
	if l.column+len(gap)+wide > l.columns && l.column > l.indent {
		l.print("\n" + strings.Repeat(" ", l.indent))
		l.column, gap = l.indent, ""
	}
	l.print(gap)
	l.column += len(gap)
	for !strings.Contains(word, "://") && l.column+Width(word) > l.columns {
		var head string
		head, word = cut(word, l.columns-l.column)
		l.print(head)
		if word == "" {
			l.column += Width(head)
			return
		}
		l.print("\n" + strings.Repeat(" ", l.indent))
		l.column = l.indent
	}
	l.print(word)
	l.column += Width(word)
}

// drawRows writes the table that has ended.
func (l *Layout) drawRows() {
	rows := l.rows
	l.rows = nil
	if len(rows) == 0 {
		return
	}
	t, ok := newTable(rows)
	if !ok {
		l.print(strings.Join(rows, "\n") + "\n")
		return
	}
	l.print(t.draw(l.columns))
}
