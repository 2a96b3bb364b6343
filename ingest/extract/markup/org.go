package markup

import (
	"context"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// Org reads Org documents: headings with their TODO keywords, lists, tables,
// and source blocks. It omits drawers and comments.
func Org(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, err := textual(data)
	if err != nil {
		return nil, err
	}
	o := &org{Writer: blocks.NewWriter(ctx, len(text)), lines: blocks.SplitLines(text), endless: map[string]int{}}
	for o.at < len(o.lines) {
		if o.Done() {
			break
		}
		o.block()
	}
	return o.Document()
}

// org is the state of reading Org.
type org struct {
	*blocks.Writer
	lines   []string
	at      int
	caption string
	// hidden is the level of the heading whose section is a comment, or 0.
	hidden int
	// endless is, by block kind, the line up to which no end was found.
	endless map[string]int
}

var (
	orgHeading  = lazyregexp.New(`^(\*{1,12})\s+(.*)$`)
	orgTags     = lazyregexp.New(`\s+:[\w@#%:]+:$`)
	orgKeyword  = lazyregexp.New(`^\s*#\+([A-Za-z][\w-]*)(?:\[[^\]]*\])?:\s*(.*)$`)
	orgBegin    = lazyregexp.New(`(?i)^\s*#\+begin_(\w+)(?:\s+(.*))?$`)
	orgDrawer   = lazyregexp.New(`^\s*:([\w-]+):\s*$`)
	orgItem     = lazyregexp.New(`^\s*([-+]|\d{1,5}[.)]|[a-zA-Z][.)])(?:\s+(.*))?$`)
	orgStarItem = lazyregexp.New(`^\s+(\*)\s+(.*)$`)
	orgFootnote = lazyregexp.New(`^\[fn:([\w-]+)\]\s*(.*)$`)
	orgHorizon  = lazyregexp.New(`^\s*-{5,}\s*$`)
)

// block reads the block at the position.
func (o *org) block() {
	l := o.lines[o.at]
	if m := orgHeading.FindStringSubmatch(l); m != nil {
		o.at++
		o.section(len(m[1]), m[2])
		return
	}
	if o.hidden > 0 {
		o.at++
		return
	}
	trimmed := strings.TrimSpace(l)
	switch {
	case trimmed == "":
		o.at++
		if o.at < len(o.lines) && (blocks.IsBlank(o.lines[o.at]) || !strings.HasPrefix(o.lines[o.at], " ")) {
			o.Items = 0
		}
	case strings.HasPrefix(trimmed, "#+"):
		o.keyword(l)
	case trimmed == "#" || strings.HasPrefix(trimmed, "# "):
		o.at++
	case trimmed == ":" || strings.HasPrefix(trimmed, ": "):
		o.example()
	case orgDrawer.MatchString(l) && o.drawer():
	case trimmed[0] == '|':
		o.tableBlock()
	case orgHorizon.MatchString(l):
		o.at++
	default:
		o.text(l)
	}
}

// section adds a heading. The section of a comment is hidden.
func (o *org) section(level int, name string) {
	o.Items = 0
	if o.hidden > 0 && level > o.hidden {
		return
	}
	o.hidden = 0
	if strings.HasPrefix(name, "COMMENT ") || name == "COMMENT" {
		o.hidden = level
		return
	}
	o.Heading(level, o.inline(orgTags.ReplaceAllString(name, "")))
}

// keyword reads a line such as #+TITLE, or a block between #+BEGIN and #+END.
func (o *org) keyword(l string) {
	if m := orgBegin.FindStringSubmatch(l); m != nil {
		o.begin(strings.ToLower(m[1]))
		return
	}
	o.at++
	m := orgKeyword.FindStringSubmatch(l)
	if m == nil {
		return
	}
	switch text := o.inline(m[2]); strings.ToLower(m[1]) {
	case "title":
		if o.Title == "" {
			o.Title = text
			o.Heading(1, text)
		} else {
			o.Para(text)
		}
	case "subtitle", "author", "date", "description":
		o.Para(text)
	case "caption":
		o.caption = text
	}
}

// begin reads a block.
func (o *org) begin(kind string) {
	o.at++
	switch kind {
	case "quote", "center", "abstract", "note", "warning", "tip", "important":
		return // the content is read as if this line did not exist
	}
	from := o.at
	if from < o.endless[kind] {
		return
	}
	end := "#+end_" + kind
	for o.at < len(o.lines) && !strings.EqualFold(strings.TrimSpace(o.lines[o.at]), end) {
		if orgHeading.MatchString(o.lines[o.at]) || o.at == len(o.lines)-1 {
			o.endless[kind] = o.at // the block has no end
			o.at = from
			return
		}
		o.at++
	}
	body := o.lines[from:o.at]
	o.at = min(o.at+1, len(o.lines))
	switch kind {
	case "src", "example":
		o.label()
		out := make([]string, len(body))
		for i, b := range body {
			out[i] = b
			if t := strings.TrimLeft(b, " "); strings.HasPrefix(t, ",*") || strings.HasPrefix(t, ",#+") {
				out[i] = b[:len(b)-len(t)] + t[1:]
			}
		}
		o.Code(strings.Join(out, "\n"))
	case "verse":
		out := make([]string, len(body))
		for i, b := range body {
			out[i] = strings.TrimSpace(o.inline(b))
		}
		o.Writer.Lines(strings.Join(out, "\n"))
	case "comment", "export", "html", "latex", "ascii":
	default:
		o.at = from // the content is read as if this line did not exist
	}
}

// label adds the caption above a block.
func (o *org) label() {
	if o.caption != "" {
		o.Para(o.caption)
		o.caption = ""
	}
}

// example reads lines that begin with a colon.
func (o *org) example() {
	var out []string
	for o.at < len(o.lines) {
		t := strings.TrimLeft(o.lines[o.at], " ")
		if t != ":" && !strings.HasPrefix(t, ": ") {
			break
		}
		out = append(out, strings.TrimPrefix(t[1:], " "))
		o.at++
	}
	o.label()
	o.Code(strings.Join(out, "\n"))
}

// maxDrawer bounds the lines of a drawer.
const maxDrawer = 300

// drawer skips a drawer and reports whether it ends.
func (o *org) drawer() bool {
	for i := o.at + 1; i < len(o.lines) && i < o.at+maxDrawer; i++ {
		l := strings.TrimSpace(o.lines[i])
		if strings.EqualFold(l, ":end:") {
			o.at = i + 1
			return true
		}
		if orgHeading.MatchString(o.lines[i]) {
			break
		}
	}
	return false
}

// tableBlock reads a table.
func (o *org) tableBlock() {
	g := blocks.Grid{Caption: o.caption}
	o.caption = ""
	for o.at < len(o.lines) {
		l := strings.TrimSpace(o.lines[o.at])
		if !strings.HasPrefix(l, "|") {
			break
		}
		o.at++
		if strings.HasPrefix(l, "|-") {
			if g.Headers == 0 && len(g.Rows) <= 3 {
				g.Headers = len(g.Rows)
			}
			continue
		}
		cells := strings.Split(strings.TrimSuffix(l[1:], "|"), "|")
		for i, c := range cells {
			cells[i] = o.inline(strings.TrimSpace(c))
		}
		g.Rows = append(g.Rows, cells[:min(len(cells), blocks.MaxColumns)])
	}
	o.Table(g)
}

// text reads items, footnotes and paragraphs.
func (o *org) text(l string) {
	m := orgItem.FindStringSubmatch(l)
	if m == nil {
		m = orgStarItem.FindStringSubmatch(l)
	}
	if m != nil {
		o.Items = 1
		o.Marker = "- "
		if c := m[1]; c[0] >= '0' && c[0] <= '9' {
			o.Marker = c + " "
		}
		o.at++
		term, rest, found := strings.Cut(m[2], " :: ")
		if found {
			m[2] = term + ": " + rest
		}
		m[2] = strings.TrimSuffix(m[2], " ::")
		for _, box := range []struct{ mark, sign string }{{"[X] ", "☑ "}, {"[x] ", "☑ "}, {"[ ] ", "☐ "}, {"[-] ", "☐ "}} {
			if rest, ok := strings.CutPrefix(m[2], box.mark); ok {
				m[2] = box.sign + rest
			}
		}
		o.Para(o.inline(strings.Join(append([]string{m[2]}, o.collect()...), "\n")))
		o.Marker = ""
		return
	}
	if l[0] != ' ' {
		o.Items = 0
	}
	o.label()
	if m := orgFootnote.FindStringSubmatch(l); m != nil {
		o.Prefix = "[" + m[1] + "] "
		o.at++
		o.Para(o.inline(strings.Join(append([]string{m[2]}, o.collect()...), "\n")))
		o.Prefix = ""
		return
	}
	o.at++
	o.Para(o.inline(strings.Join(append([]string{l}, o.collect()...), "\n")))
}

// collect returns the lines that continue a paragraph.
func (o *org) collect() []string {
	from := o.at
	for ; o.at < len(o.lines); o.at++ {
		l := o.lines[o.at]
		t := strings.TrimSpace(l)
		if t == "" || t[0] == '|' || strings.HasPrefix(t, "#+") || strings.HasPrefix(t, ": ") || strings.HasPrefix(t, "# ") ||
			orgHeading.MatchString(l) || orgItem.MatchString(l) ||
			orgStarItem.MatchString(l) || orgDrawer.MatchString(l) || orgFootnote.MatchString(l) {
			break
		}
	}
	return o.lines[from:o.at]
}

// inline removes the markup of a paragraph and returns its text.
func (o *org) inline(text string) string {
	if !strings.ContainsAny(text, "*/_=~+[\\{@") {
		return text
	}
	s := newSpans(text)
	var b strings.Builder
	for i := 0; i < len(text); {
		if next, out, ok := o.mark(s, i); ok {
			b.WriteString(out)
			i = next
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// mark reads marked text at i. It returns the position after it and the text to
// show.
func (o *org) mark(s *spans, i int) (next int, out string, ok bool) {
	text := s.text
	switch c := text[i]; c {
	case '*', '/', '_', '=', '~', '+':
		if blocks.IsWordBefore(text, i) || blocks.IsSpaceAt(text, i+1) || i > 0 && strings.IndexByte(`*/_=~+\<`, text[i-1]) >= 0 {
			return 0, "", false
		}
		end := s.tight(i+1, text[i:i+1])
		if end < 0 {
			return 0, "", false
		}
		inner := text[i+1 : end]
		if c == '=' || c == '~' {
			return end + 1, inner, true
		}
		inner = strings.Trim(inner, "*/_=~+")
		if c == '+' {
			inner = outline.Struck(inner)
		}
		return end + 1, inner, true
	case '[':
		return orgLink(s, i)
	case '\\':
		if strings.HasPrefix(text[i:], `\\`) && (i+2 == len(text) || text[i+2] == '\n') {
			return i + 2, "", true
		}
	case '{':
		if strings.HasPrefix(text[i:], "{{{") {
			if end := s.raw(i, "}}}"); end > 0 {
				return end + 3, "", true
			}
		}
	case '@':
		if strings.HasPrefix(text[i:], "@@") {
			if end := s.raw(i+2, "@@"); end > 0 {
				return end + 2, "", true
			}
		}
	}
	return 0, "", false
}

// orgLink reads a link or a footnote.
func orgLink(s *spans, i int) (next int, out string, ok bool) {
	text := s.text
	if strings.HasPrefix(text[i:], "[[") {
		end := s.raw(i+2, "]]")
		if end < 0 {
			return 0, "", false
		}
		target, label, found := strings.Cut(text[i+2:end], "][")
		if !found {
			label = strings.TrimPrefix(strings.TrimPrefix(target, "file:"), "*")
		}
		return end + 2, strings.Trim(label, "=~"), true
	}
	if strings.HasPrefix(text[i:], "[fn:") {
		if end := s.raw(i, "]"); end > 0 {
			name, note, _ := strings.Cut(text[i+4:end], ":")
			if note != "" {
				return end + 1, " (" + strings.TrimSpace(note) + ")", true
			}
			return end + 1, "[" + name + "]", true
		}
	}
	return 0, "", false
}
