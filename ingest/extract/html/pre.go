package html

import (
	"strings"
	"unicode"

	"docent/internal/lazyregexp"
)

// fenced returns preformatted text as a block of code between fences, as in
// Markdown. It returns prose and tables of contents unchanged.
func fenced(text string) string {
	code := strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\r\n")
	if strings.TrimSpace(code) == "" || isProse(code) {
		return text
	}
	for first, rest, ok := strings.Cut(code, "\n"); ok && strings.TrimSpace(first) == ""; first, rest, ok = strings.Cut(code, "\n") {
		code = rest
	}
	fence := "```"
	for strings.Contains(code, fence) && len(fence) < maxFence {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRightFunc(code, unicode.IsSpace) + "\n" + fence
}

const (
	// maxFence is the maximum length of a fence.
	maxFence = 16
	// longLine is the length above which a line without signs of code is prose.
	longLine = 60
)

// contentsLine matches a line of a table of contents: a number and a title, or a
// title and dots.
var contentsLine = lazyregexp.New(`^(?:\d+(?:\.\d+)*\.?\s+\p{Lu}\pL.*|.*(?:\.\s?){4,}\s*\w+)$`)

// isProse reports whether preformatted text is prose, as in the archive of a mailing
// list, or a table of contents. Most of its lines are.
func isProse(text string) bool {
	prose, contents, all, ends := 0, 0, 0, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		all++
		switch {
		case contentsLine.MatchString(line):
			contents++
		case len(line) > longLine && isPlain(line):
			prose++
			ends = ends || strings.ContainsAny(line[len(line)-1:], ".?!") || strings.Contains(line, ". ")
		}
	}
	return ends && prose*2 > all || contents > 2 && contents*2 > all
}

// isPlain reports whether a line has hardly any signs that sentences do not have.
func isPlain(line string) bool {
	const share = 20 // one sign in so many bytes
	if strings.Contains(line, "   ") || strings.ContainsAny(line[len(line)-1:], ";{}\\") {
		return false
	}
	signs := 0
	for _, r := range line {
		if strings.ContainsRune("{}[]<>=;$&|\\%_#*/+@~^", r) {
			signs++
		}
	}
	return signs*share <= len(line)
}
