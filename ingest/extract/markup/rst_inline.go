package markup

import (
	"strings"

	"docent/ingest/extract/blocks"
)

// inline removes the markup of a paragraph and returns its text.
func (r *rst) inline(text string) string {
	if !strings.ContainsAny(text, "`*|_\\:[") {
		return text
	}
	s := newSpans(text)
	var b strings.Builder
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\\':
			i = rstEscape(text, i, &b)
			continue
		case c == '`' || c == ':' || c == '*' || c == '|':
			if next, out, ok := r.mark(s, i); ok {
				b.WriteString(out)
				i = next
				continue
			}
		case c == '_' && i > 0 && (blocks.IsWordBefore(text, i) || text[i-1] == ']' || text[i-1] == '`'):
			// a reference such as name_ or [1]_ or `name`__
			j := i + 1
			if j < len(text) && text[j] == '_' {
				j++
			}
			if !blocks.IsWordAt(text, j) && (j >= len(text) || text[j] != '_') {
				i = j
				continue
			}
		case c == '_' && i+1 < len(text) && text[i+1] == '`' && !blocks.IsWordBefore(text, i):
			i++ // an inline target
			continue
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

// rstEscape writes the character after a backslash. It drops an escaped space.
func rstEscape(text string, i int, b *strings.Builder) int {
	if i+1 >= len(text) {
		return i + 1
	}
	if n := text[i+1]; n != ' ' && n != '\n' {
		b.WriteByte(n)
	}
	return i + 2
}

// mark reads marked text at i. It returns the position after it and the text to
// show.
func (r *rst) mark(s *spans, i int) (next int, out string, ok bool) {
	text := s.text
	rest := text[i:]
	switch {
	case strings.HasPrefix(rest, "``"):
		if end := s.raw(i+2, "``"); end > i+2 {
			for end+2 < len(text) && text[end+2] == '`' {
				end++
			}
			return end + 2, text[i+2 : end], true
		}
	case rest[0] == '`':
		if end := s.raw(i+1, "`"); end > i+1 && !blocks.IsSpaceAt(text, i+1) {
			return rstSkipRole(text, end+1), rstTarget(text[i+1:end], ""), true
		}
	case rest[0] == ':':
		return r.role(s, i)
	case strings.HasPrefix(rest, "**"):
		if end := s.tight(i+2, "**"); end > 0 && !blocks.IsSpaceAt(text, i+2) && !blocks.IsWordBefore(text, i) {
			return end + 2, text[i+2 : end], true
		}
	case rest[0] == '*':
		if end := s.tight(i+1, "*"); end > 0 && !blocks.IsSpaceAt(text, i+1) && !blocks.IsWordBefore(text, i) {
			return end + 1, r.short(text[i+1 : end]), true
		}
	case rest[0] == '|':
		if end := s.raw(i+1, "|"); end > i+1 && end-i < 100 && !blocks.IsSpaceAt(text, i+1) && !blocks.IsSpaceBefore(text, end) {
			name := text[i+1 : end]
			if v, known := r.substitutions[name]; known {
				name = v
			}
			for end+1 < len(text) && text[end+1] == '_' {
				end++
			}
			return end + 1, name, true
		}
	}
	return 0, "", false
}

// short removes the escapes in emphasized text.
func (r *rst) short(text string) string { return strings.ReplaceAll(text, `\`, "") }

// maxRole is the maximum length of a role's name.
const maxRole = 60

// role reads a role such as :ref:`text <target>` at i.
func (r *rst) role(s *spans, i int) (next int, out string, ok bool) {
	text := s.text
	j := i + 1
	for j < len(text) && j-i < maxRole && (blocks.IsWordAt(text, j) || strings.IndexByte("-_.+:", text[j]) >= 0) {
		if text[j] >= 0x80 {
			return 0, "", false
		}
		j++
	}
	if j >= len(text) || text[j] != '`' || text[j-1] != ':' || j-i < 3 {
		return 0, "", false
	}
	end := s.raw(j+1, "`")
	if end < 0 {
		return 0, "", false
	}
	name := text[i+1 : j-1]
	if k := strings.LastIndexByte(name, ':'); k >= 0 {
		name = name[k+1:]
	}
	return end + 1, rstTarget(text[j+1:end], name), true
}

// rstSkipRole skips a role after its text, as in `text`:sub:.
func rstSkipRole(text string, i int) int {
	if i >= len(text) || text[i] != ':' {
		return i
	}
	for j := i + 1; j < len(text) && j-i < maxRole; j++ {
		switch c := text[j]; {
		case c == ':' && j > i+1:
			return j + 1
		case c >= 'a' && c <= 'z' || c == '-' || c == ':':
		default:
			return i
		}
	}
	return i
}

// rstTarget returns the text of a role: the part before a target in angle
// brackets, with the additions of the role.
func rstTarget(text, role string) string {
	text = strings.ReplaceAll(text, "\\", "")
	if k := strings.LastIndexByte(text, '<'); k >= 0 && strings.HasSuffix(text, ">") {
		if label := strings.TrimSpace(text[:k]); label != "" {
			return label
		}
		return strings.Trim(text, "<>")
	}
	switch role {
	case "pep":
		return "PEP " + text
	case "rfc":
		return "RFC " + text
	case "issue", "gh":
		return "#" + strings.TrimPrefix(text, "#")
	case "ref", "doc", "numref", "any", "math", "code", "samp", "file", "kbd", "command":
		return text
	}
	text = strings.TrimPrefix(text, "!")
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		return rest[strings.LastIndexByte(rest, '.')+1:]
	}
	return text
}
