// Package roff reads manual pages: documents for troff with the macros of man or
// mdoc.
package roff

import (
	"context"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/extract/charset"
	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// Read reads a manual page: sections, paragraphs, options with their descriptions,
// lists, tables, and examples. It omits fonts, macro definitions, and drawings. It
// does not run macros that the page defines, but keeps their arguments.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, _, err := charset.Decode(data, "")
	if err != nil {
		return nil, err
	}
	r := &reader{
		Writer: blocks.NewWriter(ctx, len(text)), lines: joined(text), levels: make([]level, 1),
		strings: map[string]string{}, macros: map[string]bool{}, budget: len(text) + maxExpanded,
	}
	for r.at < len(r.lines) && !r.Done() {
		line := r.lines[r.at]
		r.at++
		r.line(line, 0)
	}
	r.endSection()
	if r.Builder.Len() == 0 && r.other != "" {
		r.Para("See " + r.other + ".")
	}
	r.Title = r.title()
	return r.Document()
}

// joined splits a text into lines. It joins lines that end with a backslash.
func joined(text string) []string {
	var out []string
	var parts []string // of the open line
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimRight(l, "\r")
		before, continues := strings.CutSuffix(l, `\`)
		if continues && !strings.HasSuffix(before, `\`) { // not an escaped backslash
			parts = append(parts, before)
			continue
		}
		out = append(out, strings.Join(append(parts, l), ""))
		parts = parts[:0]
	}
	return append(out, strings.Join(parts, ""))
}

// reader is the state of reading a page.
type reader struct {
	*blocks.Writer
	lines []string
	at    int // the next line
	// strings are the strings that the page defines, and macros its macros.
	strings map[string]string
	macros  map[string]bool
	budget  int // bytes of strings that may still be inserted
	// otherwise are the values for .el of the open .ie, innermost last.
	otherwise []bool

	name, section string // of the page
	other         string // the page that this one refers to with .so
	// para is the text of the open paragraph.
	para strings.Builder
	// glued reports that the next text continues the word before it, and broken that
	// it begins a line.
	glued, broken bool
	// pages are read with lines of code while verbatim is set. code has a line break
	// before each line.
	verbatim bool
	code     strings.Builder
	// heading is the level of the heading whose text follows, or 0.
	heading int
	// tag reports that the next text is a term. terms is the term that the next
	// block opens.
	tag   bool
	terms string
	// extended reports that several lines form the term: from Xo to Xc of mdoc.
	// Until then, partial is its text.
	extended bool
	partial  string
	// tight reports that words follow without spaces, as after .Sm off of mdoc, and
	// tightened that there was a word since.
	tight, tightened bool
	// address is that of the open link of man, and linked reports that its text came.
	address string
	linked  bool
	// levels are the open indentations, innermost last.
	levels []level
}

// level is an indentation.
type level struct {
	open bool // a term is open
	// scoped reports that the term before this level ends with it.
	scoped bool
	list   string // the type of an mdoc list, see listType
	items  int    // of a numbered list
}

// line reads an input line. depth counts conditions on one line.
func (r *reader) line(line string, depth int) {
	line = uncomment(line)
	if !strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "'") {
		r.input(line)
		return
	}
	name, rest := request(line)
	if definitions[name] {
		r.skipDefinition(name, strings.Fields(rest))
		return
	}
	switch name {
	case "":
	case "if", "ie":
		value, then := r.condition(rest)
		if name == "ie" && len(r.otherwise) < blocks.MaxNesting {
			r.otherwise = append(r.otherwise, !value)
		}
		r.branch(value, then, depth)
	case "el":
		value := false
		if n := len(r.otherwise); n > 0 {
			value, r.otherwise = r.otherwise[n-1], r.otherwise[:n-1]
		}
		r.branch(value, rest, depth)
	case "ds":
		if key, value, _ := strings.Cut(rest, " "); len(r.strings) < maxStrings && key != "" && key != "--" {
			r.strings[key] = strings.TrimPrefix(strings.TrimLeft(value, " \t"), `"`)
		}
	case "so":
		r.other = rest
	default:
		r.macro(name, rest)
	}
}

// maxStrings limits the strings that a page defines.
const maxStrings = 2000

// uncomment removes the comment at the end of a line.
func uncomment(line string) string {
	for i := 0; i+1 < len(line); i++ {
		if line[i] != '\\' {
			continue
		}
		if line[i+1] == '"' || line[i+1] == '#' {
			if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
				return strings.TrimRight(line[:i], " \t")
			}
			return line[:i]
		}
		i++
	}
	return line
}

// request splits a control line into the name of the request or macro and the rest.
func request(line string) (name, rest string) {
	line = strings.TrimLeft(line[1:], " \t")
	if strings.HasPrefix(line, `\}`) {
		line = strings.TrimLeft(line[2:], " \t")
	}
	i := strings.IndexAny(line, " \t\\")
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimLeft(line[i:], " \t")
}

// branch reads or skips the part of a condition.
func (r *reader) branch(take bool, part string, depth int) {
	part = strings.TrimLeft(part, " \t")
	block := strings.HasPrefix(part, `\{`)
	switch {
	case take && depth < blocks.MaxNesting:
		if part = strings.TrimPrefix(part, `\{`); part != "" {
			r.line(strings.TrimLeft(part, " \t"), depth+1)
		}
	case block:
		open := braces(part)
		for open > 0 && r.at < len(r.lines) {
			open += braces(r.lines[r.at])
			r.at++
		}
	}
}

// braces counts the opened blocks of a line minus the closed ones.
func braces(line string) int { return strings.Count(line, `\{`) - strings.Count(line, `\}`) }

// condition evaluates the condition at the start of s as for a terminal. It takes
// conditions about registers as false, except that for GNU troff.
func (r *reader) condition(s string) (value bool, rest string) {
	s, not := strings.CutPrefix(s, "!")
	switch {
	case s == "":
	case strings.ContainsRune("note", rune(s[0])) && (len(s) == 1 || strings.ContainsRune(` \.'`, rune(s[1]))):
		value, s = s[0] == 'n' || s[0] == 'o', s[1:]
	case s[0] == '\'' || s[0] == '"':
		parts := strings.SplitN(s[1:], s[:1], 3)
		if len(parts) < 3 {
			return false, ""
		}
		value, s = r.inline(parts[0]) == r.inline(parts[1]), parts[2]
	default:
		end := strings.IndexAny(s, " \t")
		if end < 0 {
			return false, ""
		}
		expression := strings.Trim(s[:end], "()")
		value, s = expression == `\n(.g` || expression == `\n[.g]` || expression == `\n(.g)`, s[end:]
		if len(expression) == 1 && (expression == "d" || expression == "r") { // the name follows
			_, s, _ = strings.Cut(strings.TrimLeft(s, " "), " ")
		}
	}
	return value != not, s
}

// skipDefinition skips the body of a macro or an ignored block.
func (r *reader) skipDefinition(request string, args []string) {
	end := "."
	switch {
	case request == "ig" && len(args) > 0:
		end = args[0]
	case request != "ig" && len(args) > 0:
		if len(r.macros) < maxStrings {
			r.macros[args[0]] = true
		}
		if len(args) > 1 {
			end = args[1]
		}
	}
	for r.at < len(r.lines) {
		l := r.lines[r.at]
		r.at++
		if ends(l, end) {
			return
		}
	}
}

// definitions are the requests whose bodies are skipped.
var definitions = map[string]bool{"de": true, "de1": true, "dei": true, "am": true, "am1": true, "ami": true, "ig": true}

// ends reports whether a line ends the body of a definition.
func ends(line, end string) bool {
	return strings.HasPrefix(line, ".") && strings.Trim(line[1:], " \t\r") == end
}

// input reads a line of text. A line with tabs is a row of a table.
func (r *reader) input(line string) {
	if line = strings.ReplaceAll(line, `\}`, ""); r.verbatim {
		r.text(r.inline(line))
		return
	}
	if blocks.IsBlank(line) {
		r.flush()
		return
	}
	if line[0] == ' ' || line[0] == '\t' {
		r.broken = true
	}
	rest, glued := strings.CutSuffix(strings.TrimRight(line, " \t"), `\c`)
	cells := strings.FieldsFunc(strings.TrimSpace(rest), func(c rune) bool { return c == '\t' })
	if len(cells) > 1 && r.heading == 0 && !r.tag {
		for i, c := range cells {
			cells[i] = r.inline(c)
		}
		r.broken = true
		r.text(table.Line(cells))
		r.broken = true
	} else {
		r.text(blocks.OneLine(r.inline(rest)))
	}
	r.glued = glued && !strings.HasSuffix(rest, " ")
}

// text adds text to the open part: a heading, a term, code, or a paragraph.
func (r *reader) text(s string) {
	r.linked = r.linked || s != ""
	switch {
	case r.heading > 0:
		level := r.heading
		r.heading = 0
		r.openHeading(level, s)
	case r.extended:
		if r.partial != "" && !r.glued {
			s = " " + s
		}
		if len(r.partial) < maxTerms {
			r.partial += s
		}
	case r.tag:
		if s != "" {
			r.tag = false
			r.addTerm(s)
		}
	case r.verbatim:
		if !r.glued {
			r.code.WriteByte('\n')
		}
		r.code.WriteString(s)
	case s == "":
	default:
		if r.para.Len() > 0 && r.broken {
			r.para.WriteByte('\n')
		} else if r.para.Len() > 0 && !r.glued {
			r.para.WriteByte(' ')
		}
		r.para.WriteString(s)
		r.broken = false
	}
	r.glued = false
}

// flush adds the open paragraph and the open code.
func (r *reader) flush() {
	text := r.para.String()
	r.para.Reset()
	r.broken, r.glued = false, false
	if text != "" {
		r.openTerms()
		rest, bullet := cutBullet(text)
		if bullet {
			r.Items, r.Marker = 1, "- "
		}
		r.Lines(rest)
	}
	if code := r.code.String(); strings.TrimSpace(code) != "" {
		r.openTerms()
		r.Code(code)
	}
	r.code.Reset()
}

// cutBullet removes the bullet at the start of a paragraph.
func cutBullet(s string) (string, bool) {
	for _, bullet := range []string{"•", "·", "∙"} {
		if rest, ok := strings.CutPrefix(s, bullet); ok {
			return strings.TrimLeft(rest, " "), true
		}
	}
	return s, false
}

// endItem ends the open list item.
func (r *reader) endItem() {
	r.flush()
	r.Items, r.Marker = 0, ""
}

// addTerm adds a term to those that the next block opens.
func (r *reader) addTerm(s string) {
	switch {
	case r.terms == "":
		r.terms = s
	case len(r.terms) < maxTerms:
		r.terms += ", " + s
	default:
		r.openTerms()
		r.terms = s
	}
}

// maxTerms limits the terms of one description, in bytes.
const maxTerms = 2000

// openTerms opens the waiting terms.
func (r *reader) openTerms() {
	if r.terms == "" {
		return
	}
	r.Items, r.Marker = 0, ""
	r.OpenTerm(blocks.OneLine(r.terms))
	r.terms = ""
	r.levels[len(r.levels)-1].open = true
}

// endTerm ends the open term of the innermost level.
func (r *reader) endTerm() {
	r.endItem()
	r.openTerms()
	if l := &r.levels[len(r.levels)-1]; l.open {
		r.CloseTerm()
		l.open = false
	}
}

// indent opens a level. scoped terms end with it.
func (r *reader) indent(l level) {
	if len(r.levels) < 10*blocks.MaxNesting {
		r.levels = append(r.levels, l)
	}
}

// unindent closes the innermost level.
func (r *reader) unindent() {
	r.endTerm()
	n := len(r.levels) - 1
	if n == 0 {
		return
	}
	scoped := r.levels[n].scoped
	r.levels = r.levels[:n]
	if scoped {
		r.endTerm()
	}
}

// endSection ends all that is open.
func (r *reader) endSection() {
	r.endExtended()
	r.endLink("")
	r.verbatim, r.tag = false, false
	for range len(r.levels) {
		r.unindent()
	}
}

// openHeading begins a section. Capitals become a normal heading.
func (r *reader) openHeading(level int, s string) {
	if s = blocks.OneLine(s); s != "" {
		r.Heading(level, s)
	}
}

// title returns the title of the page, such as "ls(1)".
func (r *reader) title() string {
	if r.name == "" || r.section == "" {
		return r.name
	}
	return r.name + "(" + r.section + ")"
}
