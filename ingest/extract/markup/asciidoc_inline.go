package markup

import (
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// adocBuiltin are the attributes that every AsciiDoc document has.
var adocBuiltin = map[string]string{
	"nbsp": " ", "sp": " ", "plus": "+", "asterisk": "*", "caret": "^", "tilde": "~", "backtick": "`", "lt": "<", "gt": ">", "amp": "&",
	"empty": "", "zwsp": "", "wj": "", "startsb": "[", "endsb": "]", "vbar": "|",
	"apos": "'", "quot": `"`, "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "deg": "°", "backslash": `\`, "two-colons": "::",
	"two-semicolons": ";;", "cpp": "C++", "pp": "++", "blank": "", "litdd": "--", "hyphen": "-",
}

// inline removes the markup of a paragraph and returns its text.
func (a *asciidoc) inline(text string) string {
	if !strings.ContainsAny(text, "*_`+#^~<:{[\\'|") {
		return text
	}
	s := newSpans(text)
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		next, out, ok := a.mark(s, i)
		if ok {
			if rest, macro := strings.CutPrefix(out, macroMark); macro {
				name := macroName(text, i)
				b, out = b[:len(b)-len(name)], rest
			}
			b = append(b, out...)
			i = next
			continue
		}
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("*_`+#{<[\\'-", text[i+1]) >= 0 {
			i++
		}
		b = append(b, text[i])
		i++
	}
	out := strings.ReplaceAll(string(b), " +\n", "\n")
	return strings.TrimSuffix(out, " +")
}

// mark reads marked text at i. It returns the position after it and the text to
// show.
func (a *asciidoc) mark(s *spans, i int) (next int, out string, ok bool) {
	text := s.text
	switch c := text[i]; c {
	case '*', '_', '`', '+', '#', '\'':
		if next, out, ok := a.quotation(s, i); ok {
			return next, out, true
		}
		return a.quoted(s, i, c)
	case '^', '~':
		if end := s.tight(i+1, text[i:i+1]); end > 0 && end-i < 30 && !strings.ContainsAny(text[i:end], " \n") {
			return end + 1, text[i+1 : end], true
		}
	case '{':
		if end := s.raw(i+1, "}"); end > 0 && end-i < 64 {
			name := strings.ToLower(text[i+1 : end])
			if v, known := a.attributes[name]; known {
				return end + 1, v, true
			}
			if v, known := adocBuiltin[name]; known {
				return end + 1, v, true
			}
		}
	case '<':
		if strings.HasPrefix(text[i:], "<<") {
			if end := s.raw(i+2, ">>"); end > 0 && end-i < 400 {
				id, label, found := strings.Cut(text[i+2:end], ",")
				if !found {
					label = id
				}
				return end + 2, strings.TrimSpace(label), true
			}
		}
	case '[':
		if strings.HasPrefix(text[i:], "[[") {
			if end := s.raw(i+2, "]]"); end > 0 && end-i < 200 {
				return end + 2, "", true
			}
		}
		return a.styled(s, i)
	case ':':
		return a.macro(s, i)
	}
	return 0, "", false
}

// styled reads a text with roles in front, such as [.line-through]#text#.
func (a *asciidoc) styled(s *spans, i int) (next int, out string, ok bool) {
	roles := adocRoles.FindString(s.text[i:min(len(s.text), i+maxRoles)])
	at := i + len(roles)
	if roles == "" || at+1 >= len(s.text) || strings.IndexByte("#*_`", s.text[at]) < 0 {
		return 0, "", false
	}
	if next, out, ok = a.quoted(s, at, s.text[at]); ok && strings.Contains(roles, "line-through") {
		out = outline.Struck(out)
	}
	return next, out, ok
}

// adocRoles matches the roles of marked text, and maxRoles bounds them, in bytes.
var adocRoles = lazyregexp.New(`^\[[.#%]?[A-Za-z][\w.#%-]*\]`)

const maxRoles = 200

// quotation reads a quotation in the old syntax, between backquotes and apostrophes.
func (a *asciidoc) quotation(s *spans, i int) (next int, out string, ok bool) {
	for _, q := range [][4]string{{"``", "''", "“", "”"}, {"`", "'", "‘", "’"}} {
		if !strings.HasPrefix(s.text[i:], q[0]) {
			continue
		}
		end := s.raw(i+len(q[0]), q[1])
		if end < 0 || end-i > 400 {
			return 0, "", false
		}
		inner := s.text[i+len(q[0]) : end]
		if inner == "" || strings.Contains(inner, "`") || blocks.IsSpaceAt(inner, 0) || blocks.IsWordAt(s.text, end+len(q[1])) {
			return 0, "", false
		}
		return end + len(q[1]), q[2] + a.nested(inner) + q[3], true
	}
	return 0, "", false
}

// quoted reads text between marks.
func (a *asciidoc) quoted(s *spans, i int, c byte) (next int, out string, ok bool) {
	text := s.text
	for _, n := range []int{3, 2} {
		mark := strings.Repeat(string(rune(c)), n)
		if (n < 3 || c == '+') && c != '\'' && strings.HasPrefix(text[i:], mark) {
			if end := s.raw(i+n, mark); end > i+n {
				return end + n, text[i+n : end], true
			}
		}
	}
	if blocks.IsWordBefore(text, i) || blocks.IsSpaceAt(text, i+1) || text[i+1] == c {
		return 0, "", false
	}
	end := s.tight(i+1, text[i:i+1])
	if end < 0 {
		return 0, "", false
	}
	inner := text[i+1 : end]
	switch c {
	case '\'':
		if strings.Contains(inner, "\n") || len(inner) > 60 {
			return 0, "", false
		}
		return end + 1, inner, true
	case '`', '+':
		inner = strings.TrimSuffix(strings.TrimPrefix(inner, "+"), "+")
		return end + 1, a.replace(inner), true
	}
	return end + 1, a.nested(inner), true
}

// replace fills in the attributes in a text.
func (a *asciidoc) replace(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	s := newSpans(text)
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == '{' {
			if next, out, ok := a.mark(s, i); ok {
				b.WriteString(out)
				i = next
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// nested removes the marks inside emphasized text.
func (a *asciidoc) nested(text string) string {
	if len(text) > 2 && strings.IndexByte("*_`+", text[0]) >= 0 && text[len(text)-1] == text[0] {
		text = text[1 : len(text)-1]
	}
	return a.replace(strings.ReplaceAll(text, "`", ""))
}

// macroMark precedes the text of a macro. It says that the macro's name must be
// removed.
const macroMark = "\x00"

// macro reads a macro or an address whose colon is at i, such as
// link:address[text].
func (a *asciidoc) macro(s *spans, i int) (next int, out string, ok bool) {
	text := s.text
	end := i + 1
	for end < len(text) && end-i < 500 && strings.IndexByte(" \t\n[]<>\"", text[end]) < 0 {
		end++
	}
	if end >= len(text) || text[end] != '[' || macroName(text, i) == "" {
		return 0, "", false
	}
	closed := s.raw(end, "]")
	if closed < 0 || closed-end > 1000 {
		return 0, "", false
	}
	target, label := text[i+1:end], text[end+1:closed]
	switch name := macroName(text, i); {
	case strings.HasPrefix(target, "//"):
		label, _, _ = strings.Cut(label, ",window=")
		return closed + 1, ":" + target + parenthesis(label), true
	case name == "linkgit":
		return closed + 1, macroMark + target + "(" + label + ")", true
	case label == "":
		return closed + 1, macroMark + target, true
	case name == "footnote":
		return closed + 1, macroMark + " (" + label + ")", true
	default:
		return closed + 1, macroMark + strings.Trim(label, `"`), true
	}
}

// parenthesis returns the label of an address.
func parenthesis(label string) string {
	if label = strings.Trim(label, `"^ `); label == "" {
		return ""
	}
	return " (" + label + ")"
}

// macroName returns the name before a colon.
func macroName(text string, i int) string {
	from := i
	for from > 0 && i-from < 20 && (text[from-1] >= 'a' && text[from-1] <= 'z' || text[from-1] == '-') {
		from--
	}
	return text[from:i]
}
