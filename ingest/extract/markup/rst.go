package markup

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"docent/ingest/extract/blocks"
	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// RST reads reStructuredText: sections, lists, tables, code, and the text of
// directives. The order in which underlines first appear determines the levels
// of sections. RST omits included files, tables of contents, and comments.
func RST(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, err := textual(data)
	if err != nil {
		return nil, err
	}
	r := &rst{Writer: blocks.NewWriter(ctx, len(text)), substitutions: map[string]string{}}
	lines := blocks.SplitLines(text)
	r.define(lines)
	r.blocks(lines, 0)
	r.endLists()
	return r.Document()
}

// rst is the state of reading reStructuredText.
type rst struct {
	*blocks.Writer
	// styles are the heading styles in the order of their first use: the
	// character, twice if there is an overline too.
	styles        []string
	substitutions map[string]string
	// number is the number of the list item above the block, or 0.
	number int
}

// maxSubstitutions bounds the number of stored substitutions, and
// maxSubstitution the length of each.
const (
	maxSubstitutions = 2000
	maxSubstitution  = 300
)

var (
	rstSubstitution = lazyregexp.New(`^\s*\.\. \|([^|]{1,100})\| (replace|unicode|date|image)::\s*(.*)$`)
	rstDirective    = lazyregexp.New(`^\.\. (?:\|[^|]{1,100}\| +)?([A-Za-z][\w.:+-]*)\s?::(?:\s+(.*))?$`)
	rstFootnote     = lazyregexp.New(`^\.\. \[([^\]]{1,100})\](?:\s+(.*))?$`)
	rstBullet       = lazyregexp.New(`^([-*+•‣⁃])(?:\s+|$)`)
	rstNumber       = lazyregexp.New(`^\(?(?:[0-9]{1,6}|[a-zA-Z]|[ivxlcdmIVXLCDM]{1,8}|#)[.)](?:\s+|$)`)
	rstField        = lazyregexp.New(`^:([^:\s][^:]{0,80}|[^:\s]):(?:\s+(.*))?$`)
	rstOption       = lazyregexp.New(`^(?:--?|/|\+)[A-Za-z0-9][\w-]*(?:[ =]?[<\[]?[\w-]+[>\]]?)?(?:, (?:--?|/)[A-Za-z0-9][\w-]*(?:[ =]?[<\[]?[\w-]+[>\]]?)?)*(?:  +(.*))?$`)
	rstGridBorder   = lazyregexp.New(`^\+[-=+]*[-=][-=+]*\+$`)
	rstSimpleBorder = lazyregexp.New(`^=+(?: +=+)+$`)
)

// define collects the substitutions of the text.
func (r *rst) define(lines []string) {
	for _, l := range lines {
		if !strings.Contains(l, ".. |") || len(l) > 2*maxSubstitution || len(r.substitutions) >= maxSubstitutions {
			continue
		}
		if m := rstSubstitution.FindStringSubmatch(l); m != nil && m[2] == "replace" {
			r.substitutions[m[1]] = r.inline(m[3])
		}
	}
}

// endLists closes the open lists.
func (r *rst) endLists() { r.Items, r.Indent, r.Marker = 0, 0, "" }

// blocks reads the blocks of lines that share an indentation.
func (r *rst) blocks(lines []string, depth int) {
	for i := 0; i < len(lines); {
		if r.Done() {
			return
		}
		if blocks.IsBlank(lines[i]) {
			i++
			continue
		}
		if depth > blocks.MaxNesting {
			r.plain(lines[i:])
			return
		}
		i += r.block(lines[i:], depth)
	}
	r.number = 0
}

// plain adds deeply nested lines as paragraphs.
func (r *rst) plain(lines []string) {
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && !blocks.IsBlank(lines[n]) {
			n++
		}
		r.Para(strings.Join(lines[:n], "\n"))
		lines = lines[min(n+1, len(lines)):]
	}
}

// block reads the block at the start of lines. It returns the number of its
// lines, at least one.
func (r *rst) block(lines []string, depth int) int {
	first, number := lines[0], r.number+1
	r.number = 0
	if n := r.title(lines, depth); n > 0 {
		return n
	}
	switch {
	case first[0] == ' ':
		n := blocks.Indented(lines)
		r.quote(lines[:n], depth)
		return n
	case isAdornment(first) && len(first) >= 4 && (len(lines) == 1 || blocks.IsBlank(lines[1])):
		return 1 // a transition
	case strings.HasPrefix(first, ".."):
		if n := r.explicit(lines, depth); n > 0 {
			return n
		}
	case strings.HasPrefix(first, "__ "):
		return 1
	case rstGridBorder.MatchString(first):
		return r.gridTable("", lines)
	case rstSimpleBorder.MatchString(first):
		return r.simpleTable("", lines)
	case strings.HasPrefix(first, ">>> "):
		n := untilBlank(lines)
		r.Code(strings.Join(lines[:n], "\n"))
		return n
	case strings.HasPrefix(first, "| ") || first == "|":
		return r.lineBlock(lines)
	}
	if m := rstBullet.FindString(first); m != "" {
		return r.item(lines, len(m), "- ", depth)
	}
	if m := rstNumber.FindString(first); m != "" && r.isNumbered(lines, m) {
		if written, err := strconv.Atoi(strings.Trim(m, "(.) ")); err == nil {
			number = written
		}
		marker := strings.Replace(strings.TrimSpace(m)+" ", "#", strconv.Itoa(number), 1)
		n := r.item(lines, len(m), marker, depth)
		r.number = number
		return n
	}
	if m := rstField.FindStringSubmatch(first); m != nil {
		return r.field(lines, m, depth)
	}
	if len(lines) > 1 && rstOption.MatchString(first) {
		return r.option(lines, depth)
	}
	if len(lines) > 1 && lines[1] != "" && lines[1][0] == ' ' && !strings.HasSuffix(first, "::") {
		return r.definition(lines, depth)
	}
	return r.paragraph(lines)
}

// isAdornment reports whether a line repeats one punctuation mark.
func isAdornment(s string) bool {
	if len(s) < 2 || !strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", rune(s[0])) {
		return false
	}
	return strings.Trim(s, s[:1]) == ""
}

// title reads a section's title. It returns the number of its lines, or 0 if
// lines do not begin with a title.
func (r *rst) title(lines []string, depth int) int {
	if depth > 0 {
		return 0
	}
	var style, name string
	var n int
	switch {
	case len(lines) > 2 && isAdornment(lines[0]) && !blocks.IsBlank(lines[1]) && lines[2] == lines[0] && !isAdornment(lines[1]):
		style, name, n = lines[0][:1]+lines[0][:1], lines[1], 3
	case len(lines) > 1 && isAdornment(lines[1]) && lines[0][0] != ' ' && !isAdornment(lines[0]) &&
		(len(lines[1]) >= 4 || len(lines[1]) >= utf8.RuneCountInString(lines[0])):
		style, name, n = lines[1][:1], lines[0], 2
	default:
		return 0
	}
	if n == 2 && (rstGridBorder.MatchString(lines[1]) && strings.HasPrefix(lines[0], "|")) {
		return 0
	}
	level := len(r.styles) + 1
	for i, s := range r.styles {
		if s == style {
			level = i + 1
			break
		}
	}
	if level > len(r.styles) && level <= 12 {
		r.styles = append(r.styles, style)
	}
	r.endLists()
	name = blocks.OneLine(r.inline(name))
	if r.Writer.Title == "" {
		r.Writer.Title = name
	}
	r.Heading(level, name)
	return n
}

// quote reads an indented block.
func (r *rst) quote(lines []string, depth int) { r.blocks(blocks.Dedent(lines), depth+1) }

// body reads the body of a list item or another indented construct.
func (r *rst) body(lines []string, depth int) { r.blocks(blocks.Dedent(lines), depth+1) }

// untilBlank returns the number of lines before the first blank one.
func untilBlank(lines []string) int {
	for i, l := range lines {
		if blocks.IsBlank(l) {
			return i
		}
	}
	return len(lines)
}

// lineBlock reads lines that begin with a bar and keeps their breaks.
func (r *rst) lineBlock(lines []string) int {
	n := 0
	var out []string
	for n < len(lines) && !blocks.IsBlank(lines[n]) && (lines[n][0] == '|' || lines[n][0] == ' ') {
		out = append(out, r.inline(strings.TrimSpace(strings.TrimPrefix(lines[n], "|"))))
		n++
	}
	r.Lines(strings.Join(out, "\n"))
	return n
}

// isNumbered reports whether a numbered line is a list item and not a
// paragraph. The next line must be blank, indented, or another item.
func (r *rst) isNumbered(lines []string, m string) bool {
	return len(lines) == 1 || blocks.IsBlank(lines[1]) || blocks.IndentOf(lines[1]) >= min(len(m), 2) || rstNumber.MatchString(lines[1])
}

// item reads an item of a list.
func (r *rst) item(lines []string, width int, marker string, depth int) int {
	n := 1 + blocks.Indented(lines[1:])
	least := width // a body may be less indented than its first line
	for _, l := range lines[1:n] {
		if !blocks.IsBlank(l) {
			least = min(least, blocks.IndentOf(l))
		}
	}
	body := make([]string, 0, n)
	body = append(body, lines[0][width:])
	body = append(body, blocks.Unindent(lines[1:n], least)...)
	indent := r.Indent
	r.Indent = r.Items
	r.Items++
	r.Marker = marker
	r.blocks(body, depth+1)
	r.Items--
	r.Marker, r.Indent = "", indent
	return n
}

// dedent2 removes common indentation but keeps blank lines at the front. They
// separate the first line of an item from its next paragraph.
func dedent2(lines []string) []string {
	least := blocks.MaxIndent
	for _, l := range lines {
		if !blocks.IsBlank(l) {
			least = min(least, blocks.IndentOf(l))
		}
	}
	return blocks.Unindent(lines, least)
}

// field reads a field such as ":author: name". It drops fields that control a
// program.
func (r *rst) field(lines []string, m []string, depth int) int {
	n := 1 + blocks.Indented(lines[1:])
	name := m[1]
	switch strings.ToLower(name) {
	case "orphan", "nosearch", "tocdepth", "nocomments", "no-search":
		return n
	}
	r.Items++
	r.Marker = r.inline(name) + ": "
	body := append([]string{m[2]}, dedent2(lines[1:n])...)
	r.blocks(body, depth+1)
	r.Items--
	r.Marker = ""
	return n
}

// option reads an entry of an option list.
func (r *rst) option(lines []string, depth int) int {
	m := rstOption.FindStringSubmatch(lines[0])
	n := 1 + blocks.Indented(lines[1:])
	if m[1] == "" && n == 1 {
		return r.paragraph(lines)
	}
	name := lines[0]
	if m[1] != "" {
		name = strings.TrimSpace(strings.TrimSuffix(lines[0], m[1]))
	}
	r.OpenTerm(blocks.OneLine(name))
	r.blocks(append([]string{m[1]}, dedent2(lines[1:n])...), depth+1)
	r.CloseTerm()
	return n
}

// definition reads a term with its definition.
func (r *rst) definition(lines []string, depth int) int {
	n := 1 + blocks.Indented(lines[1:])
	term, class, _ := strings.Cut(lines[0], " : ")
	term = r.inline(term)
	if class != "" {
		term += " : " + r.inline(class)
	}
	items := r.Items
	if len(term) > 200 || items > 0 {
		r.Para(term)
		r.body(lines[1:n], depth)
		return n
	}
	r.OpenTerm(blocks.OneLine(term))
	r.body(lines[1:n], depth)
	r.CloseTerm()
	return n
}

// paragraph reads a paragraph and the literal block that it announces.
func (r *rst) paragraph(lines []string) int {
	n := 0
	for n < len(lines) && !blocks.IsBlank(lines[n]) {
		n++
	}
	text := strings.Join(lines[:n], "\n")
	literal := strings.HasSuffix(text, "::")
	if literal {
		text = strings.TrimSuffix(text, "::")
		if text != "" && !blocks.IsSpaceBefore(text, len(text)) {
			text += ":"
		}
	}
	r.Para(r.inline(text))
	if !literal {
		return n
	}
	from := n
	for from < len(lines) && blocks.IsBlank(lines[from]) {
		from++
	}
	if from == len(lines) {
		return n
	}
	if m := blocks.Indented(lines[from:]); m > 0 {
		r.Code(strings.Join(lines[from:from+m], "\n"))
		return from + m
	}
	if q := lines[from][0]; isAdornment(string([]byte{q, q})) { // a quoted literal block
		m := 0
		for from+m < len(lines) && !blocks.IsBlank(lines[from+m]) && lines[from+m][0] == q {
			m++
		}
		if q != '.' && q != '*' && q != '-' && q != '`' {
			r.Code(strings.Join(lines[from:from+m], "\n"))
			return from + m
		}
	}
	return n
}
