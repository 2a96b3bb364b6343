package plain

import (
	"strings"

	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// pageLine matches the first line of a printed manual page, which has its name and section at both ends.
var pageLine = lazyregexp.New(`^(\S+\([0-9][0-9a-z]*\))\s+(?:\S.*\s)?(\S+)\s*$`)

// manualName returns the name of a manual page that was printed as text, such as "tar(1)", or "".
func manualName(text string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(text, " \t\n"), "\n")
	m := pageLine.FindStringSubmatch(strings.TrimSpace(first))
	if m == nil || m[1] != m[2] {
		return ""
	}
	return strings.ToLower(m[1])
}

const (
	// textIndent is the least indentation of the text of a manual page. Headings have less.
	textIndent = 5
	// tabWidth is the width of tabs.
	tabWidth = 8
	// minDeeper is how much deeper the description of a term is than the term.
	minDeeper = 2
)

// printed is a line of a manual page.
type printed struct {
	text   string
	indent int
}

// manual reads a printed manual page. It joins the lines of paragraphs again, which the printer filled with spaces.
func manual(name, text string) *outline.Document {
	b := outline.NewBuilder(len(text))
	var part []printed
	deep := -1 // the indentation of the term above, or -1
	flush := func() {
		for len(part) > 0 {
			n := 1
			if part[0].indent+minDeeper <= deep || part[0].indent <= deep {
				b.Close(outline.TermLevel)
				deep = -1
			}
			if len(part) > 1 && part[1].indent >= part[0].indent+minDeeper && isManualTerm(part[0].text) {
				b.Add(outline.Heading, outline.TermLevel, "\n\n", strings.Join(strings.Fields(part[0].text), " "))
				deep = part[0].indent
			} else {
				addPrinted(b, part)
				n = len(part)
			}
			part = part[n:]
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range lines[1:] {
		l := expanded(line)
		switch {
		case l.text == "":
			flush()
		case l.indent == 0 && isAligned(l.text): // the head or foot of a page
		case l.indent < textIndent && len(part) == 0:
			b.Close(outline.TermLevel)
			deep = -1
			b.Add(outline.Heading, 1+min(l.indent, 1), "\n\n", l.text)
		default:
			part = append(part, l)
		}
	}
	flush()
	return b.Document(name)
}

// expanded returns a line without its indentation.
func expanded(line string) printed {
	indent := 0
	for i, r := range line {
		switch r {
		case ' ':
			indent++
		case '\t':
			indent += tabWidth - indent%tabWidth
		default:
			return printed{strings.TrimRight(line[i:], " \t\r"), indent}
		}
	}
	return printed{}
}

// isAligned reports whether a line has parts at both ends of the page.
func isAligned(s string) bool { return strings.Contains(s, "   ") || strings.Contains(s, "\t") }

// isManualTerm reports whether a line is the term of a description: an option, a name, or a few words without a stop.
func isManualTerm(s string) bool {
	return strings.HasPrefix(s, "-") || len(strings.Fields(s)) <= 4 && !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, ":")
}

// addPrinted adds the lines of a paragraph. Lines that are not filled are code.
func addPrinted(b *outline.Builder, lines []printed) {
	if !isPrintedProse(lines) {
		var code strings.Builder
		for _, l := range lines {
			code.WriteString(strings.Repeat(" ", max(0, l.indent-lines[0].indent)) + l.text + "\n")
		}
		b.Add(outline.Code, 0, "\n\n", code.String())
		return
	}
	var out strings.Builder
	for i, l := range lines {
		s := strings.Join(strings.Fields(l.text), " ")
		cut, hyphenated := strings.CutSuffix(s, "‐")
		switch {
		case hyphenated && i+1 < len(lines):
			out.WriteString(cut)
		default:
			out.WriteString(s + " ")
		}
	}
	b.Add(outline.Paragraph, 0, "\n\n", out.String())
}

// isPrintedProse reports whether lines are a filled paragraph: words of letters make up most of it, and it has a stop or several
// words.
func isPrintedProse(lines []printed) bool {
	words, plain := 0, 0
	for _, l := range lines {
		if strings.HasPrefix(l.text, "$ ") { // a command of a shell
			return false
		}
		for w := range strings.FieldsSeq(l.text) {
			words++
			if strings.Trim(w, wordLetters+`.,:;!?()'"’“”‘‐-`) == "" && strings.Trim(w, "-.") != "" && !strings.HasPrefix(w, "-") {
				plain++
			}
		}
	}
	last := lines[len(lines)-1].text
	ends := strings.HasSuffix(last, ".") || strings.HasSuffix(last, ":") || strings.HasSuffix(last, ")")
	names := len(lines) == 1 && strings.Contains(last, " - ") // "pump - moves water"
	return names || words >= 4 && plain*10 >= words*7 && (ends || words >= 8)
}

const wordLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZäöüÄÖÜß"
