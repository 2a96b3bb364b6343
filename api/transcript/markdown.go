package transcript

import (
	"regexp"
	"strings"
)

// What is said in a conversation becomes part of a larger Markdown text here. It
// must not reach beyond its place there: no block that it opens may stay open,
// no HTML may run, no definition may change what [1] means elsewhere, and its
// headings are below those of the conversation.

var (
	// fence is a line that opens or closes a block of code, or may.
	fence = regexp.MustCompile("^([ \t]*)(`{3,}|~{3,})(.*)$")
	// atx is a heading.
	atx = regexp.MustCompile(`^( {0,3})(#{1,6})([ \t].*)?$`)
	// underline makes a heading of the line before it.
	underline = regexp.MustCompile(`^[ \t>]*(=+|-+)[ \t]*$`)
	// ticks are what code within a line is between.
	ticks = regexp.MustCompile("`+")
)

// lowestHeading is how many #s a heading of what was said has at least.
const lowestHeading = 4

// contained is Markdown as it may stand between other Markdown. Fenced blocks at
// the begin of lines stay as they are; where code is anywhere else, or does not
// end, all of the text is quoted, as a quote ends whatever is open in it.
func contained(text string) string {
	lines := strings.Split(strings.TrimSpace(lineBreaks(text)), "\n")
	quoted := !tidy(lines)
	open := "" // the fence of the block at hand
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

// tidy reports whether all fences are at the begins of lines, and all that open
// are closed.
func tidy(lines []string) bool {
	open := ""
	for _, line := range lines {
		m := fence.FindStringSubmatch(line)
		switch {
		case m == nil:
		case open != "" && closes(open, m):
			open = ""
		case open != "":
			if m[1] != "" && strings.HasPrefix(m[2], open) { // it would close it as well
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

// closes reports whether a fence, without indentation, ends the block that open
// began.
func closes(open string, m []string) bool {
	return m[1] == "" && strings.HasPrefix(m[2], open) && strings.TrimSpace(m[3]) == ""
}

// lowered is a line whose heading, if it is one, is below those around the text.
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

// containedLine is a line outside of a block of code. clean tells that no code
// within the paragraph may reach over from the lines before.
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

// matching is where a run of backticks ends that closes code; -1 if there is none.
func matching(text, run string) int {
	for _, at := range ticks.FindAllStringIndex(text, -1) {
		if at[1]-at[0] == len(run) {
			return at[1]
		}
	}
	return -1
}

// inert takes from text what would be HTML, a definition or an image, which is
// loaded from elsewhere when the file is read. What has a backslash before it
// already is left alone.
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

// special are the characters that mean something in Markdown.
var special = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `>`, `\>`, `#`, `\#`, `|`, `\|`, `~`, `\~`, `$`, `\$`)

var (
	// opens matches what begins a list, or underlines, at the begin of a line,
	// with the character that says so.
	opens = regexp.MustCompile(`^\s*(?:([-+])(?:[\s-]|$)|(=)|\d{1,9}([.)])(?:\s|$))`)
	// entity is what may stand for another character.
	entity = regexp.MustCompile(`&([#A-Za-z])`)
)

// inline is plain text as one line of Markdown that shows it as it is.
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

// plainLines is plain text as Markdown that shows it as it is, with its lines.
func plainLines(text string) []string {
	lines := strings.Split(strings.TrimSpace(lineBreaks(text)), "\n")
	for i, line := range lines {
		line = plainLine(strings.TrimSpace(line))
		if i+1 < len(lines) && line != "" && strings.TrimSpace(lines[i+1]) != "" {
			line += `\` // ends the line where it ends
		}
		lines[i] = line
	}
	return lines
}

// quote are lines as a quotation.
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

// code is text as a block of code that it cannot end.
func code(language, text string) string {
	mark := "```"
	for _, run := range ticks.FindAllString(text, -1) {
		if len(run) >= len(mark) {
			mark = run + "`"
		}
	}
	return mark + language + "\n" + strings.TrimRight(lineBreaks(text), "\n") + "\n" + mark
}

// lineBreaks makes all ends of lines \n, and drops NUL.
func lineBreaks(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "", "\u2028", "\n", "\u2029", "\n").Replace(text)
}
