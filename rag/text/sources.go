package text

import (
	"strings"

	"docent/internal/lazyregexp"
)

var (
	// sourcesTitle matches a line that is the title of a list of sources.
	sourcesTitle = lazyregexp.New(`(?i)^[\s#*_>-]*(?:sources?|references?|citations?|bibliography|works cited|quellen|quellenangaben|fuentes|fonti)[\s*_:]*$`)
	// sourcesLine matches a title with the list in the same line.
	sourcesLine = lazyregexp.New(`(?i)^[\s#*_>-]*(?:sources?|references?|citations?|quellen?|fuentes|fonti)[*_]*\s*:[*_]*\s*\S`)
	// sourceItem matches an entry of the list.
	sourceItem = lazyregexp.New(`^\s*(?:[-*+•]\s+)?(?:\[\^?\d{1,4}\]:?|【\d{1,4}[^】]*】|\d{1,4}[.):])\s*\S?`)
	// footnote matches the text of a footnote.
	footnote = lazyregexp.New(`^\s*\[\^\w{1,16}\]:`)
)

// DropSources removes a list of sources at the end of a model's text, and the texts of footnotes. The numbers and names of
// such a list are the model's own, and need not belong together. Entries are numbers, or names of documents. A text that is only a
// list stays.
func DropSources(s string, names Names) string {
	lines := strings.Split(strings.TrimRight(s, " \t\n"), "\n")
	end := len(lines)
	for end > 0 && (footnote.MatchString(lines[end-1]) || end < len(lines) && strings.TrimSpace(lines[end-1]) == "") {
		end--
	}
	at := end
	for at > 0 && (sourceItem.MatchString(lines[at-1]) || names.listed(lines[at-1]) || strings.TrimSpace(lines[at-1]) == "") {
		at--
	}
	switch {
	case at > 0 && sourcesTitle.MatchString(lines[at-1]):
		end = at - 1
	case end > 0 && sourcesLine.MatchString(lines[end-1]) && (len(Marked(lines[end-1], maxMarkerDocs)) > 0 || names.titled(lines[end-1])):
		end--
	}
	rest := strings.TrimRight(strings.Join(lines[:end], "\n"), " \t\n")
	if end == len(lines) || rest == "" || openFence(rest) != "" {
		return s
	}
	return rest
}

// titled reports whether the text after the title of a list in the same line is a list of names.
func (n Names) titled(line string) bool {
	_, list, _ := strings.Cut(line, ":")
	return n.listed(strings.TrimLeft(list, "*_ "))
}
