// Package latex reads documents in LaTeX.
package latex

import (
	"context"
	"strings"

	"golang.org/x/text/unicode/norm"

	"docent/ingest/extract/blocks"
	"docent/ingest/extract/charset"
	"docent/ingest/outline"
)

// Read reads the title, sections, lists, tables, and listings. It keeps formulas
// as LaTeX source. It omits the preamble, comments, definitions, drawings, and
// included files.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, _, err := charset.Decode(data, "")
	if err != nil {
		return nil, err
	}
	l := newLatex(ctx, text)
	l.run()
	l.flush()
	if labels := l.numbers.labels; len(labels) > 0 && strings.Contains(text, `ref{`) { // references stand before labels
		l = newLatex(ctx, text)
		l.numbers.labels = labels
		l.run()
		l.flush()
	}
	return l.Document()
}

func newLatex(ctx context.Context, text string) *latex {
	l := &latex{Writer: blocks.NewWriter(ctx, len(text)), text: text, budget: 4*len(text) + 1<<20, numbers: newNumbers(text)}
	l.preamble = hasPreamble(text)
	l.last = strings.LastIndex(text, `\end{document}`)
	return l
}

// latex is the state of reading LaTeX.
type latex struct {
	*blocks.Writer
	text string
	pos  int
	// budget bounds the bytes that are searched for missing ends.
	budget int
	// last is the position of the last end of the document. Listings may
	// contain others.
	last int
	// preamble is set before \begin{document}.
	preamble bool
	buf      strings.Builder // the current paragraph
	notes    []string        // footnotes of the current paragraph
	lists    []latexList
	grids    []latexGrid // open tables; nested tables are text
	numbers  *numbers
	inner    int // nesting depth of arguments that are rendered separately
	ended    bool
}

// latexList is an open list.
type latexList struct {
	kind string
	next int
	form string // of the numbers
}

// latexGrid is an open table.
type latexGrid struct {
	blocks.Grid
	row  []string
	rule bool // a rule follows the last row
	kept int  // number of rows before those that each page repeats
}

// hasPreamble reports whether a text begins with a preamble. Parts of documents
// have none, but may show one in a listing.
func hasPreamble(text string) bool {
	class := strings.Index(text, `\document`)
	if class < 0 || !strings.Contains(text[class:], `\begin{document}`) {
		return false
	}
	first := strings.Index(text, `\begin{`)
	return class < first || strings.HasPrefix(text[first:], `\begin{filecontents`) || strings.HasPrefix(text[first:], `\begin{document}`)
}

// run reads the text to its end.
func (l *latex) run() {
	for n := 0; l.pos < len(l.text) && !l.ended; n++ {
		if n%4096 == 0 && l.Done() {
			return
		}
		l.step()
	}
}

// step reads the next piece of the text.
func (l *latex) step() {
	switch c := l.text[l.pos]; c {
	case '%':
		l.comment()
	case '\\':
		l.command()
	case '{', '}':
		l.pos++
	case '~':
		l.write(" ")
		l.pos++
	case '$':
		l.math()
	case '&':
		l.pos++
		l.cell()
	case '\n':
		l.newline()
	case '-':
		n := 1
		for n < 3 && strings.HasPrefix(l.text[l.pos+n:], "-") {
			n++
		}
		l.write([]string{"-", "–", "—"}[n-1])
		l.pos += n
	case '`', '\'':
		l.quote(c)
	default:
		end := strings.IndexAny(l.text[l.pos:], "%\\{}~$&\n-`'")
		if end < 0 {
			end = len(l.text) - l.pos
		}
		end = max(end, 1)
		l.write(l.text[l.pos : l.pos+end])
		l.pos += end
	}
}

// write adds text to the current paragraph.
func (l *latex) write(s string) {
	if !l.preamble {
		l.buf.WriteString(s)
	}
}

// quote reads quotation marks.
func (l *latex) quote(c byte) {
	double := strings.HasPrefix(l.text[l.pos+1:], string(c))
	switch {
	case c == '`' && double:
		l.write("“")
	case double:
		l.write("”")
	case c == '`':
		l.write("‘")
	default:
		l.write("'")
	}
	l.pos++
	if double {
		l.pos++
	}
}

// comment skips a comment, its line end, and the indentation of the next line.
func (l *latex) comment() {
	end := strings.IndexByte(l.text[l.pos:], '\n')
	if end < 0 {
		l.pos = len(l.text)
		return
	}
	l.pos += end + 1
	for l.pos < len(l.text) && (l.text[l.pos] == ' ' || l.text[l.pos] == '\t') {
		l.pos++
	}
}

// newline reads a line end; a blank line ends the paragraph.
func (l *latex) newline() {
	i, lines := l.pos, 0
	for i < len(l.text) && (l.text[i] == '\n' || l.text[i] == ' ' || l.text[i] == '\t') {
		if l.text[i] == '\n' {
			lines++
		}
		i++
	}
	l.pos = i
	if lines > 1 && len(l.grids) == 0 {
		l.flush()
		return
	}
	l.write(" ")
}

// flush ends the current paragraph and adds its footnotes.
func (l *latex) flush() {
	text := l.buf.String()
	l.buf.Reset()
	l.Para(tidyTeX(text))
	notes := l.notes
	l.notes = nil
	for _, n := range notes {
		l.Para(n)
	}
}

// tidyTeX composes accents and removes the space that dropped commands leave
// behind.
func tidyTeX(s string) string {
	s = norm.NFC.String(s)
	for _, mark := range []string{",", ".", ")", ";"} {
		s = strings.ReplaceAll(s, " "+mark+" ", mark+" ")
	}
	return s
}

// math copies the source of a formula.
func (l *latex) math() {
	mark := "$"
	if strings.HasPrefix(l.text[l.pos:], "$$") {
		mark = "$$"
	}
	from := l.pos + len(mark)
	end := l.find(from, mark)
	if end < 0 {
		l.write(mark)
		l.pos = from
		return
	}
	l.write(l.text[l.pos : end+len(mark)])
	l.pos = end + len(mark)
}

// find returns the position of mark from i on, or -1. The search ends at a
// blank line. budget bounds failed searches.
func (l *latex) find(i int, mark string) int {
	limit := min(len(l.text), i+1<<16)
	if l.budget < 0 {
		limit = min(limit, i+256)
	}
	for j := i; j < limit; j++ {
		if l.text[j] == mark[0] && strings.HasPrefix(l.text[j:], mark) {
			return j
		}
		if l.text[j] == '\\' {
			j++
		} else if l.text[j] == '\n' && strings.HasPrefix(strings.TrimLeft(l.text[j+1:min(j+80, len(l.text))], " \t"), "\n") {
			limit = j
		}
	}
	l.budget -= limit - i
	return -1
}

// skipSpace skips space up to the next argument.
func (l *latex) skipSpace() {
	newlines := 0
	for i := l.pos; i < len(l.text); i++ {
		switch l.text[i] {
		case ' ', '\t':
		case '\n':
			if newlines++; newlines > 1 {
				return
			}
		case '%':
			end := strings.IndexByte(l.text[i:], '\n')
			if end < 0 {
				return
			}
			i += end
		default:
			l.pos = i
			return
		}
	}
}

// group returns the argument at the position, between open and closed brackets,
// and advances past it. It returns false if there is none.
func (l *latex) group(open, closed byte) (string, bool) {
	at := l.pos
	l.skipSpace()
	if l.pos >= len(l.text) || l.text[l.pos] != open {
		l.pos = at
		return "", false
	}
	depth := 0
	limit := len(l.text)
	if open == '[' || l.budget < 0 {
		limit = min(limit, l.pos+4096)
	}
	for i := l.pos; i < limit; i++ {
		switch c := l.text[i]; {
		case c == '\\':
			i++
		case c == '{' && open == '[':
			depth += 1 << 16
		case c == '}' && open == '[':
			depth -= 1 << 16
		case c == open:
			depth++
		case c == closed:
			if depth--; depth == 0 {
				arg := l.text[l.pos+1 : i]
				l.pos = i + 1
				return arg, true
			}
		}
		if depth < 0 {
			limit = i
		}
	}
	l.budget -= limit - l.pos
	l.pos = at
	return "", false
}

// argument returns the next argument in braces, or a single token.
func (l *latex) argument() string {
	if s, ok := l.group('{', '}'); ok {
		return s
	}
	l.skipSpace()
	if l.pos >= len(l.text) || l.text[l.pos] == '\n' || l.text[l.pos] == '{' {
		return ""
	}
	if l.text[l.pos] == '\\' {
		from := l.pos
		l.pos++
		l.name()
		return l.text[from:l.pos]
	}
	l.pos++
	return l.text[l.pos-1 : l.pos]
}

// optional skips the arguments in square brackets.
func (l *latex) optional() {
	for range 3 {
		if l.pos >= len(l.text) || l.text[l.pos] != '[' {
			break
		}
		if _, ok := l.group('[', ']'); !ok {
			break
		}
	}
}

// option reads the first optional argument, and skips others. Without one, it returns "".
func (l *latex) option() string {
	if l.pos >= len(l.text) || l.text[l.pos] != '[' {
		return ""
	}
	text, ok := l.group('[', ']')
	if ok {
		l.optional()
	}
	return text
}

// maxInner bounds arguments within arguments.
const maxInner = 6

// render returns the text of an argument on one line.
func (l *latex) render(arg string) string {
	if !strings.ContainsAny(arg, "\\{}$~%&`'-\n") {
		return blocks.OneLine(arg)
	}
	if l.inner >= maxInner {
		return blocks.OneLine(strings.NewReplacer("{", "", "}", "", "\n", " ").Replace(arg))
	}
	in := &latex{Writer: blocks.NewWriter(l.Ctx, len(arg)), text: arg, budget: len(arg) + 1<<10, inner: l.inner + 1, numbers: l.numbers}
	in.run()
	in.flush()
	return blocks.OneLine(in.Builder.Document("").Text)
}

// name returns the name of the command after a backslash at the position.
func (l *latex) name() string {
	i := l.pos
	for i < len(l.text) && (l.text[i] >= 'a' && l.text[i] <= 'z' || l.text[i] >= 'A' && l.text[i] <= 'Z' || l.text[i] == '@') {
		i++
	}
	if i == l.pos && i < len(l.text) {
		_, n := decode(l.text[i:])
		i += n
	}
	s := l.text[l.pos:i]
	l.pos = i
	return s
}

// item begins an item of the open list.
func (l *latex) item() {
	label, ok := "", false
	if at := l.pos; at < len(l.text) {
		l.skipSpace()
		if strings.HasPrefix(l.text[l.pos:], "[") {
			label, ok = l.group('[', ']')
		} else {
			l.pos = at
		}
	}
	l.flush()
	l.Marker = "- "
	if n := len(l.lists); n > 0 {
		if list := &l.lists[n-1]; list.kind == "enumerate" {
			if ok && strings.TrimSpace(label) != "" {
				l.Marker = l.render(label) + " "
				return
			}
			list.next++
			l.Marker = l.numbers.item(l, list) + " "
		}
	}
	if ok {
		label = l.render(label)
		l.Marker = "- "
		if label != "" {
			l.buf.WriteString(strings.TrimSuffix(label, ":") + ": ")
		}
	}
}
