package markup

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"docent/ingest/extract/blocks"
	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// Adoc reads AsciiDoc: sections, lists, tables, listings, and admonitions. It
// omits included files and comments.
func Adoc(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, err := textual(data)
	if err != nil {
		return nil, err
	}
	a := &asciidoc{Writer: blocks.NewWriter(ctx, len(text)), lines: unconditional(text), attributes: map[string]string{}}
	a.header()
	for a.at < len(a.lines) {
		if a.Done() {
			break
		}
		a.block()
	}
	return a.Document()
}

// asciidoc is the state of reading AsciiDoc.
type asciidoc struct {
	*blocks.Writer
	lines      []string
	at         int
	attributes map[string]string
	style      string   // from the attribute line above the block
	caption    string   // the title above the block
	open       []string // the marks of the open terms
	joined     bool     // a + joins the next block to the list item
	listed     bool     // the last block was part of a list
	lists      []adocList
}

var (
	adocAttribute = lazyregexp.New(`^:(!?[A-Za-z0-9_][\w-]{0,60}!?):(?:\s+(.*))?$`)
	adocHeading   = lazyregexp.New(`^(={1,6}|#{1,6})\s+(\S.*)$`)
	adocBullet    = lazyregexp.New(`^\s*(\*{1,6}|-|•|<\d{1,3}>|<\.>|\.{1,5}|\d{1,4}[.)]|[a-zA-Z][.)])\s+(\S.*)$`)
	adocTerm      = lazyregexp.New(`^\s*(\S.{0,400}?)(:{2,4}|;;)(?:\s+(.*))?$`)
	adocMacro     = lazyregexp.New(`^([a-z][\w-]*)::(\S*?)\[(.*)\]$`)
	adocNote      = lazyregexp.New(`^(NOTE|TIP|WARNING|IMPORTANT|CAUTION): (.*)$`)
)

// findBullet matches an item of a list.
func findBullet(l string) []string {
	if t := strings.TrimLeft(l[:min(len(l), blocks.MaxIndent)], " "); t == "" || !strings.Contains(t[:min(len(t), 8)], " ") {
		return nil
	}
	return adocBullet.FindStringSubmatch(l)
}

// findTerm matches a term of a definition list.
func findTerm(l string) []string {
	head := l[:min(len(l), 1000)]
	if !strings.Contains(head, "::") && !strings.Contains(head, ";;") {
		return nil
	}
	return adocTerm.FindStringSubmatch(l)
}

// header reads the title, the author lines, and the attributes.
func (a *asciidoc) header() {
	for a.at < len(a.lines) {
		l := a.lines[a.at]
		switch {
		case blocks.IsBlank(l), strings.HasPrefix(l, "//") && l != "////", adocAttribute.MatchString(l):
			a.attribute(l)
			a.at++
			continue
		case strings.HasPrefix(l, "= "):
			a.titled(l[2:], 1)
		case a.underlined() == 1:
			a.titled(l, 2)
		}
		return
	}
}

// titled reads the document's title and the author lines below it.
func (a *asciidoc) titled(name string, lines int) {
	a.Title = a.inline(name)
	a.Heading(1, a.Title)
	a.at += lines
	for n := 0; a.at < len(a.lines) && !blocks.IsBlank(a.lines[a.at]); n++ {
		l := a.lines[a.at]
		if !a.attribute(l) {
			if n > 1 || strings.ContainsAny(l, "=[:") && !strings.Contains(l, "@") && !strings.HasPrefix(l, "//") {
				return
			}
			a.Para(l)
		}
		a.at++
	}
}

// attribute stores an attribute of the document.
func (a *asciidoc) attribute(l string) bool {
	m := adocAttribute.FindStringSubmatch(l)
	if m == nil {
		return strings.HasPrefix(l, "//")
	}
	if len(a.attributes) < maxSubstitutions && len(m[2]) <= maxSubstitution {
		a.attributes[strings.ToLower(m[1])] = m[2]
	}
	return true
}

// underlined returns the level of a title with a line below it at the position,
// or 0.
func (a *asciidoc) underlined() int {
	if a.at+1 >= len(a.lines) {
		return 0
	}
	name, line := a.lines[a.at], a.lines[a.at+1]
	if len(line) < 3 || len(name) > 200 || blocks.IsBlank(name) || name[0] == ' ' || !blocks.IsWordAt(line, 0) &&
		strings.Trim(line, line[:1]) != "" || blocks.IsWordAt(line, 0) {
		return 0
	}
	n := utf8.RuneCountInString(name)
	if len(line) < n-2 || len(line) > n+2 || strings.HasPrefix(name, "[") || strings.HasPrefix(name, ".") || isAdornment(name) {
		return 0
	}
	return strings.IndexByte("=-~^+", line[0]) + 1
}

// block reads the block at the position.
func (a *asciidoc) block() {
	l := a.lines[a.at]
	switch {
	case blocks.IsBlank(l):
		a.at++
		a.blank()
	case l == "+":
		a.joined = true
		a.at++
	case strings.HasPrefix(l, "//"):
		if strings.HasPrefix(l, "////") {
			a.delimited(l)
			return
		}
		a.at++
	case strings.HasPrefix(l, "|==="), strings.HasPrefix(l, ",==="), strings.HasPrefix(l, "!==="):
		a.tableBlock(l)
	case isFence(l):
		a.fenced(l)
	case a.underlined() > 0:
		a.section(a.underlined(), l)
		a.at += 2
	case adocHeading.MatchString(l):
		m := adocHeading.FindStringSubmatch(l)
		a.section(len(m[1]), m[2])
		a.at++
	case l == "'''" || l == "<<<" || l == "---" || l == "***":
		a.at++
	case l[0] == '[' && strings.HasSuffix(l, "]") && !strings.Contains(l, "]["):
		a.style += l
		a.at++
	case l[0] == '.' && len(l) > 1 && l[1] != '.' && l[1] != ' ':
		a.caption = a.inline(l[1:])
		a.at++
	case a.attribute(l):
		a.at++
	default:
		a.text(l)
	}
}

// blank handles a blank line.
func (a *asciidoc) blank() {
	a.style = ""
	if a.at < len(a.lines) {
		next := a.lines[a.at]
		if blocks.IsBlank(next) || next[0] == ' ' || next == "+" || findBullet(next) != nil || findTerm(next) != nil || next == "--" {
			return
		}
	}
	if a.at > 1 && a.lines[a.at-2] == "+" {
		return
	}
	a.endLists()
}

// endLists ends the open lists and terms.
func (a *asciidoc) endLists() {
	for range a.open {
		a.CloseTerm()
	}
	a.open, a.Items, a.Marker, a.listed, a.lists, a.Indent = nil, 0, "", false, nil, 0
}

// section adds a heading.
func (a *asciidoc) section(level int, name string) {
	a.endLists()
	a.style, a.caption = "", ""
	if a.Title == "" && level == 1 {
		a.Title = a.inline(name)
	}
	a.Heading(level, strings.TrimRight(a.inline(name), " ="))
}

// isFence reports whether a line begins or ends a delimited block.
func isFence(l string) bool {
	if l == "--" || strings.HasPrefix(l, "```") {
		return true
	}
	return len(l) >= 4 && strings.IndexByte("-.=*_+", l[0]) >= 0 && strings.Trim(l, l[:1]) == ""
}

// fenced reads a delimited block. It reads the content of examples, quotes, and
// sidebars as if the delimiters did not exist.
func (a *asciidoc) fenced(l string) {
	switch {
	case l == "--" || l[0] == '=' || l[0] == '*' || l[0] == '_':
		a.at++
		a.admonish()
		a.label()
		a.style = ""
	case l[0] == '+':
		body := a.delimited(l)
		if strings.Contains(a.style, "math") {
			a.lines2(body)
		}
	default:
		a.label()
		body := a.delimited(l)
		if !strings.Contains(a.style, "comment") {
			a.Code(strings.Join(body, "\n"))
		}
		a.style = ""
	}
}

// lines2 adds several lines as one paragraph.
func (a *asciidoc) lines2(body []string) { a.Writer.Lines(strings.Join(body, "\n")) }

// delimited returns the lines up to the end of the block and moves behind it.
func (a *asciidoc) delimited(fence string) []string {
	if strings.HasPrefix(fence, "```") {
		fence = "```"
	}
	from := a.at + 1
	for a.at = from; a.at < len(a.lines); a.at++ {
		if a.lines[a.at] == fence {
			a.at++
			return a.lines[from : a.at-1]
		}
	}
	return a.lines[from:]
}

// admonish sets the prefix for an attribute line such as [NOTE].
func (a *asciidoc) admonish() {
	for _, name := range []string{"NOTE", "TIP", "WARNING", "IMPORTANT", "CAUTION"} {
		if strings.Contains(a.style, "["+name) {
			a.Prefix = name[:1] + strings.ToLower(name[1:]) + ": "
		}
	}
}

// label adds the title above a block.
func (a *asciidoc) label() {
	if a.caption != "" {
		prefix := a.Prefix
		a.Prefix = ""
		a.Para(a.caption)
		a.Prefix, a.caption = prefix, ""
	}
}

// text reads items, terms, macros and paragraphs.
func (a *asciidoc) text(l string) {
	if m := adocMacro.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
		a.at++
		if m[1] == "image" || m[1] == "video" {
			a.label()
			alt, _, _ := strings.Cut(m[3], ",")
			a.Para(a.inline(strings.Trim(alt, `"`)))
		}
		return
	}
	if m := findBullet(l); m != nil && !strings.Contains(a.style, "source") {
		a.label()
		a.bullet(m)
		return
	}
	if m := findTerm(l); m != nil && !strings.Contains(a.style, "source") {
		a.label()
		a.term(m)
		return
	}
	a.paragraph(l)
}

// term reads terms with a common definition and the first paragraph of that
// definition.
func (a *asciidoc) term(m []string) {
	for i, mark := range a.open {
		if mark == m[2] {
			for range a.open[i:] {
				a.CloseTerm()
			}
			a.open = a.open[:i]
			break
		}
	}
	a.Items = 0
	a.item(m[2])
	names := []string{blocks.OneLine(a.inline(m[1]))}
	a.at++
	for m[3] == "" {
		next := a.at
		for next < len(a.lines) && blocks.IsBlank(a.lines[next]) {
			next++
		}
		if next == len(a.lines) || a.lines[next][0] == ' ' {
			break
		}
		more := findTerm(a.lines[next])
		if more == nil || more[2] != m[2] || len(names) > 20 {
			break
		}
		names, m[3] = append(names, blocks.OneLine(a.inline(more[1]))), more[3]
		a.at = next + 1
	}
	if len(a.open) < blocks.MaxNesting {
		a.open = append(a.open, m[2])
		a.OpenTerm(strings.Join(names, "\n"))
	}
	for a.at < len(a.lines) && blocks.IsBlank(a.lines[a.at]) && m[3] == "" && a.at+1 < len(a.lines) &&
		strings.HasPrefix(a.lines[a.at+1], " ") {
		a.at++
	}
	a.Para(a.inline(strings.Join(append([]string{m[3]}, a.collect()...), "\n")))
	a.listed, a.joined, a.style = true, false, ""
}

// collect returns the lines that continue a paragraph.
func (a *asciidoc) collect() []string {
	from := a.at
	for ; a.at < len(a.lines); a.at++ {
		l := a.lines[a.at]
		if blocks.IsBlank(l) || l == "+" || isFence(l) || strings.HasPrefix(l, "|===") || strings.HasPrefix(l, "[") &&
			strings.HasSuffix(l, "]") && !strings.Contains(l, "][") && a.at > from ||
			a.at > from && a.underlined() > 0 && !a.listed {
			break
		}
		if findBullet(l) != nil || findTerm(l) != nil {
			break
		}
	}
	return a.lines[from:a.at]
}

// unconditional splits a text into lines. It leaves out the preprocessor directives
// and keeps the lines between them.
func unconditional(text string) []string {
	return slices.DeleteFunc(blocks.SplitLines(text), func(l string) bool {
		for _, p := range []string{"include::", "ifdef::", "ifndef::", "ifeval::", "endif::"} {
			if strings.HasPrefix(l, p) && strings.HasSuffix(l, "]") {
				return true
			}
		}
		return false
	})
}

// paragraph reads a paragraph. An indented paragraph is a listing, except below
// a term.
func (a *asciidoc) paragraph(l string) {
	if !a.joined && !a.listed && l[0] != ' ' {
		a.endLists()
	}
	a.joined = false
	if l[0] == ' ' || strings.Contains(a.style, "source") || strings.Contains(a.style, "listing") || strings.Contains(a.style, "literal") {
		n := untilBlank(a.lines[a.at:])
		for i, l := range a.lines[a.at : a.at+n] {
			if l == "+" {
				n = i
			}
		}
		a.label()
		a.Code(strings.Join(a.lines[a.at:a.at+n], "\n"))
		a.at += max(n, 1)
		a.style = ""
		return
	}
	body := a.collect()
	if len(body) == 0 {
		body = a.lines[a.at : a.at+1]
		a.at++
	}
	a.admonish()
	a.label()
	if strings.Contains(a.style, "verse") {
		a.lines2(strings.Split(a.inline(strings.Join(body, "\n")), "\n"))
	} else {
		if m := adocNote.FindStringSubmatch(body[0]); m != nil {
			a.Prefix = m[1][:1] + strings.ToLower(m[1][1:]) + ": "
			body = append([]string{m[2]}, body[1:]...)
		}
		a.Para(a.inline(strings.Join(body, "\n")))
	}
	a.style, a.Prefix = "", ""
}
