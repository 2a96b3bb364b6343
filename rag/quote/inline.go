package quote

import (
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Markdown syntax that quotes omit. Headings keep their words, links their text, and emphasis its words. Code spans stay.
var (
	headingMark  = lazyregexp.New(`^#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
	inlineLink   = lazyregexp.New(`!?\[([^\[\]]+)\](?:\([^()\s]+(?:[ \t]+(?:"[^"]*"|'[^']*'))?\)(?:\{[^{}]*\})?)`)
	inlineRef    = lazyregexp.New(`(^|[\s(])\[(\pL[^\[\]]*)\]\[[\w .-]*\]`)
	inlineStrong = lazyregexp.New(`(^|[\s(])\*\*([^*\s](?:[^*]*[^*\s])?)\*\*`)
	inlineStar   = lazyregexp.New(`(^|[\s(])\*([\pL\pN](?:[^*]*[^*\s])?)\*([\s.,;:!?)]|$)`)
	inlineLine   = lazyregexp.New(`(^|[\s(])_([\pL\pN](?:[^_]*[^_\s])?)_([\s.,;:!?)]|$)`)
	inlineCode   = lazyregexp.New("(?i)<code>([^<>`]+)</code>")
	inlineTag    = lazyregexp.New(`(?i)</?(?:a|abbr|b|br|code|del|div|em|i|img|ins|kbd|mark|p|small|span|strong|sub|sup)(?:\s[^<>]*)?/?>`)
)

// markdownType is the media type of documents whose text is Markdown source.
const markdownType = "text/markdown"

// unmarked returns a line of a document as its readers see it.
func unmarked(text string, d corpus.Document) string {
	if media, _, _ := strings.Cut(d.MediaType, ";"); media != markdownType {
		return text
	}
	text = headingMark.ReplaceAllString(text, "$1")
	text = inlineRef.ReplaceAllString(inlineLink.ReplaceAllString(text, "$1"), "$1$2")
	text = inlineStrong.ReplaceAllString(text, "$1$2")
	text = outsideSpans(text, func(s string) string {
		s = inlineTag.ReplaceAllString(inlineCode.ReplaceAllString(s, "`$1`"), "")
		return inlineLine.ReplaceAllString(inlineStar.ReplaceAllString(s, "$1$2$3"), "$1$2$3")
	})
	return strings.TrimSpace(text)
}

// outsideSpans replaces the parts of a line outside its code spans. It changes nothing if the backticks are ambiguous.
func outsideSpans(line string, replace func(string) string) string {
	if strings.Contains(line, "``") || strings.Count(line, "`")%2 != 0 {
		return line
	}
	parts := strings.Split(line, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// plain writes text of a document as one line of Markdown that shows it
// unchanged: without links, images, HTML, and emphasis. Words with a meaning
// in Markdown become code spans. Existing code spans stay.
func plain(body string) string {
	line := strings.Join(strings.Fields(text.Visible(body)), " ")
	if s, ok := plainAroundCode(line); ok {
		return s
	}
	return plainWords(line, true)
}

// plainAroundCode writes a line that contains code spans in single backticks.
// It is not ok without code spans, and if the backticks are ambiguous.
func plainAroundCode(line string) (string, bool) {
	if strings.Contains(line, "``") || strings.Count(line, "`")%2 != 0 {
		return "", false
	}
	parts := strings.Split(line, "`") // outside, code, outside, …
	if len(parts) == 1 {
		return "", false
	}
	for i, part := range parts {
		if i%2 == 1 {
			if strings.TrimSpace(part) == "" {
				return "", false
			}
			parts[i] = "`" + part + "`"
			continue
		}
		// A word that touches a span must not need backticks of its own.
		words := strings.Split(part, " ")
		if i > 0 && risky(words[0]) || i < len(parts)-1 && risky(words[len(words)-1]) {
			return "", false
		}
		parts[i] = plainWords(part, i == 0)
	}
	return strings.Join(parts, ""), true
}

// plainWords writes words without code spans. first reports that they begin a
// line.
func plainWords(line string, first bool) string {
	fields := joinedCalls(strings.Split(line, " "))
	for i, f := range fields {
		core, before, after := trimPunctuation(f)
		switch {
		case core != "" && risky(core):
			fields[i] = before + text.CodeSpan(core) + after
		case f != "" && first && i == 0 && opensBlock(f):
			fields[i] = escapeStart(f)
		}
	}
	return strings.Join(fields, " ")
}

// maxCall limits the words of a call.
const maxCall = 12

// callStart matches the first word of a call with several words, such as "spawn(command[,".
var callStart = lazyregexp.New(`^[\w.$]+[(\[][^\s]*$`)

// joinedCalls joins the words of calls with brackets, such as "spawn(command[, args])", so that they become one code span.
func joinedCalls(fields []string) []string {
	out := make([]string, 0, len(fields))
	for i := 0; i < len(fields); i++ {
		n := 1
		if callStart.MatchString(fields[i]) {
			n = callWords(fields[i:min(len(fields), i+maxCall)])
		}
		if call := strings.Join(fields[i:i+n], " "); n > 1 && risky(call) {
			out = append(out, call)
			i += n - 1
			continue
		}
		out = append(out, fields[i])
	}
	return out
}

// callWords returns the number of words until all brackets are closed, or 1 if they stay open.
func callWords(fields []string) int {
	open := 0
	for i, f := range fields {
		open += strings.Count(f, "(") + strings.Count(f, "[") - strings.Count(f, ")") - strings.Count(f, "]")
		if open <= 0 {
			return i + 1
		}
	}
	return 1
}

// isComment reports whether text is an HTML comment, which Markdown hides from
// readers.
func isComment(text string) bool {
	return strings.HasPrefix(text, "<!--") && strings.HasSuffix(text, "-->")
}
