package flavors

import (
	"bytes"
	"html"
	"path"
	"strings"

	"docent/internal/lazyregexp"
)

const (
	// maxInline bounds inline syntax, in bytes.
	maxInline = 4 << 10
	// maxBraces bounds an expression of MDX, in bytes.
	maxBraces = 1 << 10
	// maxField bounds a field in brackets, in bytes.
	maxField = 300
	// maxEnclosed bounds tables and other elements of HTML, in bytes.
	maxEnclosed = 1 << 20
)

// scanner replaces the syntax inside text by its meaning.
type scanner struct {
	*document
	s string
	b bytes.Buffer
	// ends are the next positions of texts that end something. They make the work linear.
	ends map[string]int
}

// document is the whole text, as far as its parts depend on it.
type document struct {
	text string
	// mdx reports that the text has components, and no indented code.
	mdx bool
	// closed tells which ends of components and shortcodes are in the text.
	closed map[string]bool
}

// inline returns a text without code blocks as plain Markdown.
func inline(s string, d *document) string {
	c := &scanner{document: d, s: s, ends: map[string]int{}}
	for i := 0; i < len(s); {
		j := i + strings.IndexAny(s[i:], "\\`<{[(!%=+:^&~")
		if j < i {
			c.b.WriteString(s[i:])
			break
		}
		c.b.WriteString(s[i:j])
		next := c.at(j)
		if next == j {
			c.b.WriteByte(s[j])
			next++
		}
		i = next
	}
	return c.b.String()
}

// find returns the position behind the next end after i, or -1 if it is farther than most bytes.
func (c *scanner) find(i int, end string, most int) int {
	at, ok := c.ends[end]
	if !ok || at < i {
		at = len(c.s)
		if k := strings.Index(c.s[i:], end); k >= 0 {
			at = i + k
		}
		c.ends[end] = at
	}
	if at == len(c.s) || at-i > most {
		return -1
	}
	return at + len(end)
}

// paragraph returns the text between i and the end, if the end is in the same paragraph.
func (c *scanner) paragraph(i int, end string) (text string, next int) {
	next = c.find(i, end, maxInline)
	if next < 0 {
		return "", -1
	}
	if text = c.s[i : next-len(end)]; strings.Contains(text, "\n\n") {
		return "", -1
	}
	return text, next
}

var (
	role = lazyregexp.New("^\\{([a-zA-Z][\\w:.+-]*)\\}(`+)")
	// attributes are those of Pandoc and Python-Markdown, such as {#id .class key="v"} and {: .class }, and the
	// names of such lists of kramdown.
	attributes = lazyregexp.New(`^\{:?\s*(?:(?:[#.][\w:.-]+|[\w:-]+\s*=\s*(?:"[^"\n]*"|'[^'\n]*'|[^\s{}"'>]+)|-|\.unnumbered)\s*)+:?\}|^\{:\s*[\w-]+\s*\}`)
	mdxString  = lazyregexp.New("^\\{\\s*(?:\"([^\"\n]*)\"|'([^'\n]*)'|`([^`\n]*)`)\\s*\\}")
	// expression is a value that a program puts into the text.
	expression = lazyregexp.New(`^\{\{-?\s*[\w.$\[\]'"()| :,/@=&!-]*?\s*-?\}\}`)
	liquid     = lazyregexp.New(`^\{%-?\s*([\w-]+)\s*([^%]*(?:%[^}][^%]*)*?)-?%\}`)
	icon       = lazyregexp.New(`^:(?:material|octicons|fontawesome|simple|lucide|fa|fas|fab|mdi|bi|heroicons|icon)-[\w-]+:`)
	keys       = lazyregexp.New(`^\+\+([\w-]+(?:\+(?:[\w-]+|"[^"\n]+"))*)\+\+`)
	blockID    = lazyregexp.New(`^\^[A-Za-z0-9-]+[ \t]*(?:\n|$)`)
	imageSize  = lazyregexp.New(`^!\[([^\]\n]*?)\|\s*\d+(?:x\d+)?\]\(`)
	entity     = lazyregexp.New(`^&(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});`)
	task       = lazyregexp.New(`^\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\}`)
	blockRef   = lazyregexp.New(`^\(\([A-Za-z0-9_-]{6,40}\)\) ?`)
	subscript  = lazyregexp.New(`^~([A-Za-z0-9+-]{1,12})~(?:[^~]|$)`)
	fieldIn    = lazyregexp.New(`^[\[(]([\pL][\pL\d _-]{0,40})::\s*([^\])\n]*)[\])]`)
	pictureEnd = lazyregexp.New(`(?i)\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|avif|mp4|webm|mov|mp3|wav|ogg|m4a|excalidraw|canvas|base)$`)
)

// at replaces the syntax at i, and returns the position after it. It returns i without syntax there.
func (c *scanner) at(i int) int {
	s := c.s
	switch s[i] {
	case '\\':
		if i+1 < len(s) && s[i+1] != '\n' {
			c.b.WriteString(s[i : i+2])
			return i + 2
		}
	case '`':
		return c.span(i)
	case '<':
		return c.angle(i)
	case '{':
		return c.brace(i)
	case '[':
		if strings.HasPrefix(s[i:], "[[") {
			return c.wiki(i, i+2, false)
		}
		return c.field(i)
	case '(':
		if m := blockRef.FindString(head(s, i)); strings.ContainsAny(m, "-_0123456789") {
			return i + len(m)
		}
		return c.field(i)
	case '!':
		if strings.HasPrefix(s[i:], "![[") {
			return c.wiki(i, i+3, true)
		}
		if m := imageSize.FindStringSubmatch(head(s, i)); m != nil {
			c.b.WriteString("![" + m[1] + "](")
			return i + len(m[0])
		}
	case '%':
		if strings.HasPrefix(s[i:], "%%") {
			if _, next := c.paragraph(i+2, "%%"); next > 0 {
				return next
			}
		}
	case '=':
		return c.marked(i, "==")
	case '+':
		if m := keys.FindStringSubmatch(head(s, i)); m != nil && !c.afterWord(i) {
			c.b.WriteString(keyNames(m[1]))
			return i + len(m[0])
		}
	case ':':
		if m := icon.FindString(head(s, i)); m != "" {
			return skipSpace(s, i+len(m))
		}
	case '&':
		if m := entity.FindString(head(s, i)); m != "" && m != "&lt;" && m != "&gt;" && m != "&amp;" {
			c.b.WriteString(strings.ReplaceAll(html.UnescapeString(m), "\u00a0", " "))
			return i + len(m)
		}
	case '~':
		return c.script(i)
	case '^':
		if strings.HasPrefix(s[i:], "^^") {
			return c.marked(i, "^^")
		}
		if m := blockID.FindString(head(s, i)); m != "" && i > 0 && (s[i-1] == ' ' || s[i-1] == '\n') {
			return i + len(strings.TrimRight(m, "\n"))
		}
	}
	return i
}

// head returns the text at i, without more bytes than inline syntax has.
func head(s string, i int) string { return s[i:min(len(s), i+maxInline)] }

// skipSpace returns the position after one space.
func skipSpace(s string, i int) int {
	if i < len(s) && s[i] == ' ' {
		return i + 1
	}
	return i
}

// afterWord reports whether a letter or a digit is before i.
func (c *scanner) afterWord(i int) bool {
	return i > 0 && (c.s[i-1] >= '0' && c.s[i-1] <= '9' || c.s[i-1] >= 'A' && c.s[i-1] <= 'Z' || c.s[i-1] >= 'a' && c.s[i-1] <= 'z')
}

// span copies code.
func (c *scanner) span(i int) int {
	n := i
	for n < len(c.s) && c.s[n] == '`' {
		n++
	}
	mark := c.s[i:n]
	for at := n; ; {
		text, next := c.paragraph(at, mark)
		if next < 0 || strings.Contains(text, "\n\n") {
			c.b.WriteString(mark)
			return n
		}
		end := next
		for end < len(c.s) && c.s[end] == '`' {
			end++
		}
		if end == next {
			c.b.WriteString(c.s[i:end])
			return end
		}
		at = end
		if at-i > maxInline {
			c.b.WriteString(mark)
			return n
		}
	}
}

// script removes the marks around a part of a formula below the line, such as in H~2~O.
func (c *scanner) script(i int) int {
	if !c.afterWord(i) {
		return i
	}
	m := subscript.FindStringSubmatch(head(c.s, i))
	if m == nil {
		return i
	}
	c.b.WriteString(m[1])
	return i + len(m[1]) + 2
}

// field replaces a field in brackets, as in Obsidian.
func (c *scanner) field(i int) int {
	m := fieldIn.FindStringSubmatch(c.s[i:min(len(c.s), i+maxField)])
	if m == nil {
		return i
	}
	c.b.WriteString(m[1] + ": " + m[2])
	return i + len(m[0])
}

// marked removes highlighting marks around a text.
func (c *scanner) marked(i int, mark string) int {
	if !strings.HasPrefix(c.s[i:], mark) || c.afterWord(i) {
		return i
	}
	text, next := c.paragraph(i+len(mark), mark)
	if next < 0 || text == "" || strings.TrimSpace(text) != text || strings.ContainsAny(text[:1], "=>") || strings.Contains(text, "\n") {
		return i
	}
	c.b.WriteString(inline(text, c.document))
	return next
}

// wiki replaces a link to a note, or the embedding of one, by its name.
func (c *scanner) wiki(i, from int, embedded bool) int {
	text, next := c.paragraph(from, "]]")
	if next < 0 || text == "" || strings.ContainsAny(text, "[\n") {
		return i
	}
	target, label, labeled := strings.Cut(strings.ReplaceAll(text, `\|`, "|"), "|")
	if embedded && (pictureEnd.MatchString(strings.TrimSpace(target)) || strings.HasPrefix(target, "http")) {
		return next
	}
	if labeled && strings.TrimSpace(label) != "" && !embedded {
		c.b.WriteString(strings.TrimSpace(label))
		return next
	}
	c.b.WriteString(noteName(target))
	return next
}

// noteName returns the name of a note by its link, with the section.
func noteName(target string) string {
	note, section, _ := strings.Cut(strings.TrimSpace(target), "#")
	name := strings.TrimSpace(note)
	if name != "" {
		name = strings.TrimSuffix(path.Base(name), ".md")
	}
	var parts []string
	for _, p := range append([]string{name}, strings.Split(section, "#")...) {
		if p = strings.TrimSpace(p); p != "" && !strings.HasPrefix(p, "^") {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " › ")
}

// brace replaces shortcodes, templates, roles, attributes, and expressions.
func (c *scanner) brace(i int) int {
	s := head(c.s, i)
	switch {
	case strings.HasPrefix(s, "{{<"), strings.HasPrefix(s, "{{%"):
		return c.shortcode(i)
	case strings.HasPrefix(s, "{%"):
		m := liquid.FindStringSubmatch(s)
		if m == nil {
			return i
		}
		c.tag(m[1], m[2], strings.HasPrefix(m[1], "end"), c.has("end"+m[1]))
		return i + len(m[0])
	case strings.HasPrefix(s, "{/*"):
		if next := c.find(i, "*/}", maxEnclosed); next > 0 {
			return next
		}
	case strings.HasPrefix(s, "{{"):
		if m := task.FindStringSubmatch(s); m != nil {
			c.b.WriteString(map[string]string{"TODO": "[ ]", "DONE": "[x]"}[m[1]])
			return i + len(m[0])
		}
		if m := expression.FindString(s); m != "" {
			return i + len(m)
		}
	case strings.HasPrefix(s, "{++"):
		return c.critic(i, "++}", true)
	case strings.HasPrefix(s, "{~~"):
		if text, next := c.paragraph(i+3, "~~}"); next > 0 {
			_, text, _ = strings.Cut(text, "~>")
			c.b.WriteString(text)
			return next
		}
	case strings.HasPrefix(s, "{--"):
		return c.critic(i, "--}", false)
	case strings.HasPrefix(s, "{=="):
		return c.critic(i, "==}", true)
	case strings.HasPrefix(s, "{>>"):
		return c.critic(i, "<<}", false)
	}
	if m := role.FindStringSubmatch(s); m != nil {
		if text, next := c.paragraph(i+len(m[0]), m[2]); next > 0 {
			c.b.WriteString(roleText(strings.ToLower(m[1]), text))
			return next
		}
	}
	if m := attributes.FindString(s); m != "" {
		c.trim()
		return i + len(m)
	}
	if !c.mdx {
		return i
	}
	if m := mdxString.FindStringSubmatch(s); m != nil {
		c.b.WriteString(m[1] + m[2] + m[3])
		return i + len(m[0])
	}
	if c.find(i, "}", maxInline) > 0 {
		if end := balanced(c.s, i); end > 0 {
			return end
		}
	}
	return i
}

// trim removes the spaces at the end of the result.
func (c *scanner) trim() {
	n := c.b.Len()
	for n > 0 && c.b.Bytes()[n-1] == ' ' {
		n--
	}
	c.b.Truncate(n)
}

// critic replaces a change mark by its text, or drops it.
func (c *scanner) critic(i int, end string, keep bool) int {
	text, next := c.paragraph(i+3, end)
	if next < 0 {
		return i
	}
	if keep {
		c.b.WriteString(text)
	}
	return next
}

// balanced returns the position behind the braces that open at i, or -1.
func balanced(s string, i int) int {
	depth := 0
	for j := i; j < len(s) && j-i < maxBraces; j++ {
		switch s[j] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return -1
}

// roleText returns the text of a role of MyST.
func roleText(name, text string) string {
	name = name[strings.LastIndex(name, ":")+1:]
	if label, target, ok := strings.Cut(text, "<"); ok && strings.HasSuffix(target, ">") && strings.TrimSpace(label) != "" {
		text = strings.TrimSpace(label)
	}
	text = strings.TrimLeft(text, "~!")
	switch name {
	case "code", "command", "file", "program", "option", "envvar", "func", "meth", "class", "attr", "data", "exc", "mod", "obj", "py", "samp",
		"literal", "confval", "const", "type", "macro", "kbd-code":
		return "`" + strings.Trim(text, "`") + "`"
	case "index", "eval", "cite", "cite:p", "cite:t", "raw":
		if name == "index" {
			return text
		}
		return ""
	case "doc", "download":
		return strings.TrimPrefix(text, "/")
	}
	return text
}

// keyNames returns the names of keys, such as Ctrl+Alt+Del.
func keyNames(s string) string {
	parts := strings.Split(s, "+")
	for i, p := range parts {
		p = strings.Trim(p, `"`)
		if len(p) > 0 {
			p = strings.ToUpper(p[:1]) + p[1:]
		}
		parts[i] = p
	}
	return strings.Join(parts, "+")
}
