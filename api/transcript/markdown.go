package transcript

import (
	"regexp"
	"strings"
)

// The functions in this file embed the messages of a conversation in a larger
// Markdown text. A message must not affect the text around it: it leaves no
// block open, contains no active HTML and no link definitions, and its headings
// are below those of the conversation.

var (
	// fence matches a line that may open or close a code block.
	fence = regexp.MustCompile("^([ \t]*)(`{3,}|~{3,})(.*)$")
	// atx matches a heading with # characters.
	atx = regexp.MustCompile(`^( {0,3})(#{1,6})([ \t].*)?$`)
	// underline matches a line that makes the line before it a heading.
	underline = regexp.MustCompile(`^[ \t>]*(=+|-+)[ \t]*$`)
	// ticks matches the delimiters of code within a line.
	ticks = regexp.MustCompile("`+")
)

// lowestHeading is the minimum number of # characters of a heading in a message.
const lowestHeading = 4

// contained returns Markdown that is safe between other Markdown. Fenced blocks
// at the start of lines stay as they are. If code stands anywhere else, or does
// not end, the whole text becomes a quotation, which closes everything that it
// opens.
func contained(text string) string {
	lines := strings.Split(strings.TrimSpace(lineBreaks(text)), "\n")
	quoted := !tidy(lines)
	open := "" // the fence of the current block
	clean := true
	for i, line := range lines {
		m := fence.FindStringSubmatch(line)
		switch {
		case quoted:
		case open != "" && m != nil && closes(open, m):
			open = ""
			continue
		case open != "":
			continue
		case m != nil:
			open, clean = m[2], true
			continue
		}
		if !quoted {
			line = lowered(line)
		}
		lines[i], clean = containedLine(line, clean)
	}
	if quoted {
		return quote(lines)
	}
	return strings.Join(lines, "\n")
}

// tidy reports whether all fences are at the start of lines and all blocks are
// closed.
func tidy(lines []string) bool {
	open := ""
	for _, line := range lines {
		m := fence.FindStringSubmatch(line)
		switch {
		case m == nil:
		case open != "" && closes(open, m):
			open = ""
		case open != "":
			if m[1] != "" && strings.HasPrefix(m[2], open) { // it would also close the block
				return false
			}
		case m[1] != "" || m[2][0] == '`' && strings.Contains(m[3], "`"):
			return false
		default:
			open = m[2]
		}
	}
	return open == ""
}

// closes reports whether a fence, without its indentation, closes the block of
// another.
func closes(open string, m []string) bool {
	return m[1] == "" && strings.HasPrefix(m[2], open) && strings.TrimSpace(m[3]) == ""
}

// lowered returns a line with its heading, if any, below those of the
// conversation.
func lowered(line string) string {
	if m := atx.FindStringSubmatch(line); m != nil {
		return strings.Repeat("#", max(lowestHeading, min(len(m[2])+2, 6))) + m[3]
	}
	if underline.MatchString(line) {
		at := strings.IndexAny(line, "=-")
		return line[:at] + `\` + line[at:]
	}
	return line
}

// containedLine returns a safe line outside of a code block. clean means that no
// code span of the paragraph continues from the lines before.
func containedLine(line string, clean bool) (string, bool) {
	if strings.TrimSpace(line) == "" {
		return "", true
	}
	var b strings.Builder
	for line != "" {
		at := ticks.FindStringIndex(line)
		if at == nil || !clean {
			break
		}
		end := matching(line[at[1]:], line[at[0]:at[1]])
		if end < 0 || at[0] > 0 && line[at[0]-1] == '\\' || strings.Contains(line[at[0]:at[1]+end], "|") {
			clean = false
			break
		}
		b.WriteString(inert(line[:at[0]]))
		b.WriteString(line[at[0] : at[1]+end])
		line = line[at[1]+end:]
	}
	b.WriteString(inert(line))
	return b.String(), clean
}

// matching returns the end of the run of backticks that closes a code span; -1
// without one.
func matching(text, run string) int {
	for _, at := range ticks.FindAllStringIndex(text, -1) {
		if at[1]-at[0] == len(run) {
			return at[1]
		}
	}
	return -1
}

// inert escapes HTML, link definitions, and images, which readers would load
// from elsewhere. It leaves escaped text alone.
func inert(text string) string {
	var b strings.Builder
	escaped := false
	for i := range len(text) {
		c, next := text[i], byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch {
		case escaped:
		case c == '<' && (next|0x20 >= 'a' && next|0x20 <= 'z' || strings.IndexByte("/!?", next) >= 0), c == '!' && next == '[':
			b.WriteByte('\\')
		}
		escaped = c == '\\' && !escaped
		b.WriteByte(c)
		if c == ']' && next == ':' {
			b.WriteByte('\\')
		}
	}
	return b.String()
}

// special are the characters with a meaning in Markdown.
var special = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `>`, `\>`, `#`, `\#`, `|`, `\|`, `~`, `\~`, `$`, `\$`)

var (
	// opens matches the start of a list or an underline, and captures its
	// significant character.
	opens = regexp.MustCompile(`^\s*(?:([-+])(?:[\s-]|$)|(=)|\d{1,9}([.)])(?:\s|$))`)
	// entity matches the entity of a character.
	entity = regexp.MustCompile(`&([#A-Za-z])`)
)

// inline returns plain text as one line of Markdown that shows it literally.
func inline(text string) string {
	return plainLine(strings.Join(strings.Fields(text), " "))
}

func plainLine(line string) string {
	line = entity.ReplaceAllString(special.Replace(line), `\&$1`)
	for i, at := range opens.FindStringSubmatchIndex(line) {
		if i > 1 && i%2 == 0 && at >= 0 {
			return line[:at] + `\` + line[at:]
		}
	}
	return line
}

// plainLines returns plain text as Markdown that shows it literally, line by
// line.
func plainLines(text string) []string {
	lines := strings.Split(strings.TrimSpace(lineBreaks(text)), "\n")
	for i, line := range lines {
		line = plainLine(strings.TrimSpace(line))
		if i+1 < len(lines) && line != "" && strings.TrimSpace(lines[i+1]) != "" {
			line += `\` // a hard line break
		}
		lines[i] = line
	}
	return lines
}

// quote returns lines as a quotation.
func quote(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight("> "+line, " "))
	}
	return b.String()
}

// code returns text as a code block that the text cannot close.
func code(language, text string) string {
	mark := "```"
	for _, run := range ticks.FindAllString(text, -1) {
		if len(run) >= len(mark) {
			mark = run + "`"
		}
	}
	return mark + language + "\n" + strings.TrimRight(lineBreaks(text), "\n") + "\n" + mark
}

// lineBreaks converts all line breaks to \n and removes NUL.
func lineBreaks(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "", "\u2028", "\n", "\u2029", "\n").Replace(text)
}
