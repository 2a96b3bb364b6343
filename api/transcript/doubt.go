package transcript

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/payload"
)

// maxDoubt bounds a sentence that is repeated below an answer, in characters.
const maxDoubt = 300

var (
	// marked matches the start of a line with a quote, an item, or a task.
	marked = regexp.MustCompile(`^(?:\s|>|[-*+]\s|\d{1,9}[.)]\s|\[[ xX]\]\s)*`)
	// heading matches a heading.
	heading = regexp.MustCompile(`^#{1,6}(?:\s|$)`)
	// ruled matches the line below a heading or below the head of a table.
	ruled = regexp.MustCompile(`^[\s>|:=-]*[-=][\s>|:=-]*$`)
	// introduces matches the end of a sentence that only introduces the next
	// one.
	introduces = regexp.MustCompile(`[:：](?:\s|\[\d[\d,\s]*\]|[*_])*$`)
	strong     = regexp.MustCompile(`\*\*([^*\n]+)\*\*`)
	coded      = regexp.MustCompile("`+([^`\n]+)`+")
)

// doubts lists the sentences that the passages support only partly or not at
// all. The page marks such sentences; the text lists them.
func doubts(a payload.RAGMessage) string {
	if a.Abstained {
		return ""
	}
	var b strings.Builder
	lines := stating(a.Answer)
	for _, kind := range []struct {
		support payload.Support
		title   string
	}{
		{payload.SupportWeak, "Carried only in part by the passages"},
		{payload.SupportNone, "Not carried by the passages"},
	} {
		first := true
		for _, s := range a.Sentences {
			if s.Support != kind.support {
				continue
			}
			text := statement(a.Answer, lines, s)
			if text == "" {
				continue
			}
			if first {
				b.WriteString("\n\n**" + kind.title + "**\n")
			}
			first = false
			b.WriteString("\n- " + inline(text))
		}
	}
	return b.String()
}

// stated returns the position of the statement in a line, after its marks.
type stated struct{ start, end int }

// stating returns the lines that state something: not headings, code, or heads
// of tables.
func stating(text string) []stated {
	var out []stated
	open, at := "", 0
	for line := range strings.SplitSeq(text, "\n") {
		start := at
		at += len(line) + 1
		if m := fence.FindStringSubmatch(line); m != nil {
			switch {
			case open == "":
				open = m[2]
			case closes(open, m):
				open = ""
			}
			continue
		}
		body := marked.FindString(line)
		switch said := line[len(body):]; {
		case open != "" || said == "" || heading.MatchString(said):
		case ruled.MatchString(line):
			// The line above is a heading or a head. it is a head.
			if last := len(out) - 1; last >= 0 && out[last].end == start-1 {
				out = out[:last]
			}
		default:
			out = append(out, stated{start + len(body), start + len(line)})
		}
	}
	return out
}

// statement returns a sentence as plain text; empty if it states nothing.
func statement(answer string, lines []stated, s payload.RAGSentence) string {
	var parts []string
	for _, l := range lines {
		if from, to := max(l.start, s.Start), min(l.end, s.End); from < to {
			parts = append(parts, answer[from:to])
		}
	}
	text := strings.Join(strings.Fields(strings.ToValidUTF8(strings.Join(parts, " "), "")), " ")
	worded := strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if !worded || introduces.MatchString(text) {
		return ""
	}
	text = coded.ReplaceAllString(strong.ReplaceAllString(text, "$1"), "$1")
	if utf8.RuneCountInString(text) > maxDoubt {
		text = string([]rune(text)[:maxDoubt]) + "…"
	}
	return text
}
