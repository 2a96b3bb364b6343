package markup

import (
	"slices"
	"strings"
	"unicode/utf8"

	"docent/ingest/extract/blocks"
	"docent/internal/lazyregexp"
)

// The marks of a markup language. Ordinary text has no strong marks. Weak marks also
// occur in ordinary text.
var (
	rstStrong  = lazyregexp.New("^\\.\\. (?:[a-z][\\w:-]*::(?: .*)?|_[^:]{1,80}:(?: \\S+)?)$|(?:^|[\\s(]):[a-z][a-z:+-]{1,30}:`[^`]+`")
	rstWeak    = lazyregexp.New("(?:^|[\\s(])``[^`]+``(?:$|[\\s.,;:)])|`[^`]+`__?(?:$|[\\s.,;:)])|^\\S.*::$")
	adocStrong = lazyregexp.New(`^\[(?:source|verse|quote|listing|horizontal|NOTE|TIP|IMPORTANT|WARNING|CAUTION|cols=|options=|role=|id=)[^\]]*\]$|` +
		`^\[\[[A-Za-z_][\w:.-]*(?:,[^\]]*)?\]\]$|^(?:include|ifdef|ifndef|ifeval|endif|image)::\S*\[[^\]]*\]$`)
	adocInline = lazyregexp.New(`(?:^|[\s("'])(?:linkgit|link|xref|footnote|kbd|image):[^\s\[\]]*\[[^\]]*\]`)
	adocWeak   = lazyregexp.New(`^={1,5} \S.*[^=]$|^:[A-Za-z][\w-]*!?:(?: |$)|^(?:-{4,}|\.{4,}|={4,}|_{4,}|\*{4,}|/{4,}|\|===)$|^\S.*::$|^\+$|^\.[A-Z]\w`)
)

// IsRST reports whether a text is surely reStructuredText: it has directives, link
// targets, or roles, and other marks.
func IsRST(text string) bool {
	strong := count(text, func(line string) bool {
		return (strings.HasPrefix(line, "..") || strings.Contains(line, ":`")) && rstStrong.MatchString(line)
	})
	if strong == 0 {
		return false
	}
	titles := titles(text)
	return titles >= 1 && (strong >= 2 || titles+count(text, rstWeak.MatchString) >= 4)
}

// IsAdoc reports whether a text is surely AsciiDoc: it has block attributes, anchors,
// or macros, and other marks.
func IsAdoc(text string) bool {
	strong := count(text, func(line string) bool { return strings.HasSuffix(line, "]") && adocStrong.MatchString(line) })
	inline := count(text, func(line string) bool { return strings.Contains(line, "[") && adocInline.MatchString(line) })
	if strong += inline; strong == 0 {
		return false
	}
	weak := titles(text) + count(text, adocWeak.MatchString)
	return strong >= 4 || strong >= 2 && weak >= 3 || weak >= 6
}

// count counts the unindented lines that match.
func count(text string, match func(line string) bool) (n int) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" && len(line) <= maxSniffed && blocks.IndentOf(line) == 0 && match(line) {
			n++
		}
	}
	return n
}

// maxSniffed is the length of the longest line with marks, in bytes.
const maxSniffed = 2000

// titles counts the underlined titles.
func titles(text string) (n int) {
	before := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if isUnderline(before, line) {
			n++
		}
		before = line
	}
	return n
}

// isUnderline reports whether a line underlines the title before it.
func isUnderline(title, line string) bool {
	n := utf8.RuneCountInString(title)
	return len(line) >= 3 && slices.Contains([]byte("=-~^+\"`*#"), line[0]) && strings.Trim(line, line[:1]) == "" &&
		!blocks.IsBlank(title) && blocks.IndentOf(title) == 0 && blocks.IsWordAt(title, 0) && n-2 <= len(line) && len(line) <= n+2
}
