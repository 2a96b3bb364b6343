package roff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/ingest/extract/blocks"
)

// maxTerm is the maximum length of a paragraph that is the term of an indented
// description, in bytes.
const maxTerm = 200

// macro reads a macro of man, or a request of troff. It ignores unknown ones.
func (r *reader) macro(name, rest string) {
	if isMdoc[name] {
		r.mdoc(name, rest)
		return
	}
	args := r.arguments(rest)
	switch name {
	case "TH":
		r.entitle(args)
	case "SH", "SS", "Sh", "Ss":
		r.endSection()
		r.heading = map[byte]int{'H': 1, 'S': 2, 'h': 1, 's': 2}[name[1]]
		if len(args) > 0 {
			r.text(strings.Join(args, " "))
		}
	case "PP", "LP", "P", "HP", "Pp":
		r.paragraph()
	case "sp", "Sp":
		if r.verbatim {
			r.code.WriteByte('\n')
		} else {
			r.flush()
		}
	case "br":
		r.broken = true
	case "TP":
		r.nextTerm()
		r.tag = true
	case "TQ":
		r.flush()
		r.tag = true
	case "IP":
		r.indented(args)
	case "RS":
		r.openIndent()
	case "INDENT": // of pages made from reStructuredText
		r.flush()
		r.indent(level{})
	case "RE", "UNINDENT":
		r.unindent()
	case "nf", "EX", "Vb", "CS":
		r.flush()
		r.verbatim = true
	case "fi", "EE", "Ve", "CE":
		r.flush()
		r.verbatim = false
	case "TS":
		r.table()
	case "EQ", "PS":
		r.skipTo(map[string]string{"EQ": "EN", "PS": "PE"}[name])
	default:
		r.inlineMacro(name, args)
	}
}

// entitle takes the name and the section of the page. Names in capitals are those of
// commands in small letters.
func (r *reader) entitle(args []string) {
	if r.name != "" || len(args) == 0 {
		return
	}
	if r.name = args[0]; r.name == strings.ToUpper(r.name) {
		r.name = strings.ToLower(r.name)
	}
	if len(args) > 1 {
		r.section = args[1]
	}
}

// inlineMacro reads a macro that adds text to a line.
func (r *reader) inlineMacro(name string, args []string) {
	switch name {
	case "B", "I", "R", "SM", "SB", "AP", "ft", "UL":
		if name != "ft" && len(args) > 0 {
			r.text(strings.Join(args, " "))
		}
	case "BR", "RB", "BI", "IB", "IR", "RI", "MR":
		if name == "MR" && len(args) > 1 { // a page and its section
			args[1] = "(" + args[1] + ")"
		}
		r.text(strings.Join(args, ""))
	case "OP":
		r.text("[" + strings.Join(args, " ") + "]")
	case "SY":
		r.flush()
		r.text(strings.Join(args, " "))
	case "YS":
		r.flush()
	case "UR", "MT":
		r.endLink("")
		r.address, r.linked = strings.Join(args, " "), false
	case "UE", "ME":
		r.endLink(strings.Join(args, ""))
	case "URL", "MTO":
		r.link(args)
	case "QW", "PQ":
		if len(args) > 0 {
			r.text(`"` + args[0] + `"` + strings.Join(args[1:], ""))
		}
	default:
		if r.macros[name] && name != "IX" && r.Builder.Len() > 0 {
			r.text(strings.Join(args, " "))
		}
	}
}

// endLink adds the address of the open link, after its text if it has one, and the
// punctuation after the link.
func (r *reader) endLink(end string) {
	switch {
	case r.address == "":
		r.glued = true
		r.text(end)
	case r.linked:
		r.text("(" + r.address + ")" + end)
	default:
		r.text(r.address + end)
	}
	r.address = ""
}

// link adds the text of a link and its address: .URL address text punctuation.
func (r *reader) link(args []string) {
	args = append(args, "", "", "")
	if args[1] == "" || args[1] == args[0] {
		r.text(args[0] + args[2])
		return
	}
	r.text(args[1] + " (" + args[0] + ")" + args[2])
}

// paragraph ends a paragraph, with the open term of the level.
func (r *reader) paragraph() {
	if r.verbatim {
		r.code.WriteByte('\n')
		return
	}
	r.endTerm()
}

// nextTerm ends the open term, unless it still waits for its description.
func (r *reader) nextTerm() {
	if r.flush(); r.terms == "" {
		r.endTerm()
	}
}

// indented reads .IP with its tag: a list item, a term, or the next paragraph of one.
func (r *reader) indented(args []string) {
	tag := ""
	if len(args) > 0 {
		tag = strings.TrimSpace(args[0])
	}
	switch marker, listed := itemMarker(tag); {
	case tag == "":
		r.flush()
		r.Marker = ""
	case listed:
		if r.flush(); r.Items == 0 {
			r.endTerm()
		}
		r.openTerms()
		r.Items, r.Marker = 1, marker
	default:
		r.nextTerm()
		r.addTerm(tag)
	}
}

// itemMarker returns the marker of a list item, if the tag is a bullet or a number.
func itemMarker(tag string) (string, bool) {
	if utf8.RuneCountInString(tag) == 1 {
		if c, _ := utf8.DecodeRuneInString(tag); c == 'o' || !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return "- ", true
		}
	}
	number := strings.Trim(tag, "().[]:")
	if number != "" && len(number) <= 3 && strings.Trim(number, "0123456789") == "" {
		return tag + " ", true
	}
	return "", false
}

// openIndent reads .RS. A short paragraph right before it is the term that the
// indented text describes, as in pages made from DocBook and AsciiDoc.
func (r *reader) openIndent() {
	text := r.para.String()
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(text, "..."))
	if text == "" || r.verbatim || len(text) > maxTerm || strings.ContainsRune(".:,;!?", last) || r.Items > 0 {
		if !r.verbatim {
			r.flush()
		}
		r.indent(level{})
		return
	}
	r.para.Reset()
	if r.terms == "" {
		r.endTerm()
	}
	r.addTerm(text)
	r.openTerms()
	r.indent(level{scoped: true})
}

// skipTo skips the lines up to a macro.
func (r *reader) skipTo(end string) {
	for r.at < len(r.lines) {
		name := ""
		if l := r.lines[r.at]; strings.HasPrefix(l, ".") {
			name, _ = request(l)
		}
		r.at++
		if name == end {
			return
		}
	}
}

// arguments returns the arguments of a macro without their escapes.
func (r *reader) arguments(s string) []string {
	out := split(s)
	for i, a := range out {
		out[i] = r.inline(strings.ReplaceAll(a, `\}`, ""))
	}
	return out
}

// split splits the arguments of a macro. Quotes enclose arguments with spaces.
func split(s string) []string {
	var out []string
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		var arg strings.Builder
		quoted := s[0] == '"'
		i := 0
		if quoted {
			i = 1
		}
		for ; i < len(s); i++ {
			c := s[i]
			if quoted && c == '"' {
				if i+1 >= len(s) || s[i+1] != '"' {
					i++
					break
				}
				i++
			} else if !quoted && (c == ' ' || c == '\t') {
				break
			}
			arg.WriteByte(c)
			if c == '\\' && i+1 < len(s) {
				i++
				arg.WriteByte(s[i])
			}
		}
		out = append(out, arg.String())
		s = s[min(i, len(s)):]
	}
	return out
}

// table reads a table of the preprocessor tbl.
func (r *reader) table() {
	r.flush()
	tab, formats, bold := "\t", true, false
	first := true
	var g blocks.Grid
	for r.at < len(r.lines) && !r.Done() {
		line := uncomment(r.lines[r.at])
		r.at++
		switch {
		case strings.HasPrefix(line, ".TE"):
			if bold && len(g.Rows) > 1 {
				g.Headers = 1
			}
			r.openTerms()
			r.Table(g)
			return
		case formats && first && strings.HasSuffix(strings.TrimSpace(line), ";"):
			if _, after, ok := strings.Cut(line, "tab"); ok {
				if after = strings.TrimLeft(after, " ("); after != "" {
					tab = after[:1]
				}
			}
		case formats:
			if first {
				bold = strings.ContainsAny(line, "bB")
			}
			first = false
			formats = !strings.HasSuffix(strings.TrimSpace(line), ".")
		case strings.HasPrefix(line, ".T&"):
			formats = true
		case strings.HasPrefix(line, "."), strings.Trim(line, "_= \t") == "":
		default:
			g.Rows = append(g.Rows, r.row(line, tab))
		}
	}
}

// row reads a row. A cell between T{ and T} takes several lines.
func (r *reader) row(line, tab string) []string {
	cells := strings.Split(line, tab)
	for last := len(cells) - 1; len(cells) < blocks.MaxColumns && strings.HasPrefix(cells[last], "T{"); last = len(cells) - 1 {
		text, rest, more := r.block(tab)
		cells[last] = text
		if !more {
			break
		}
		cells = append(cells, strings.Split(rest, tab)...)
	}
	for i, c := range cells {
		cells[i] = blocks.OneLine(r.inline(c))
	}
	return cells
}

// block reads the lines of a cell up to T}. It returns its text and the following
// cells.
func (r *reader) block(tab string) (text, rest string, more bool) {
	var words []string
	for r.at < len(r.lines) && !strings.HasPrefix(r.lines[r.at], ".TE") {
		l := uncomment(r.lines[r.at])
		r.at++
		if after, ok := strings.CutPrefix(l, "T}"); ok {
			_, rest, more = strings.Cut(after, tab)
			break
		}
		if strings.HasPrefix(l, ".") {
			_, l = request(l)
			l = strings.Join(r.arguments(l), " ")
		}
		words = append(words, l)
	}
	return strings.Join(words, " "), rest, more
}
