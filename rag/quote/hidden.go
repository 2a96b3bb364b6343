package quote

import (
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Syntax in the source of Markdown that readers do not see.
var (
	// frontMatter matches a line of front matter in YAML or TOML.
	frontMatter = lazyregexp.New(`^(?:[\w.-]+\s*[:=].*|\s+\S.*|-\s.*|#.*|\[.*\]|\s*)$`)
	// endOfFrontMatter matches the line that ends front matter.
	endOfFrontMatter = lazyregexp.New(`^(?:---|\+\+\+|\.\.\.)\s*$`)
	// hiddenLine matches a line that only steers the page: imports of components, fences of admonitions, tables of contents, and targets
	// of links.
	hiddenLine = lazyregexp.New(`^\s*(?:(?:import\s.*\sfrom\s+['"][^'"]+['"];?|import\s+['"][^'"]+['"];?|export\s+(?:const|default|function)\s.*)|` +
		`:{3,}.*|!!!\s+\w+.*|\?\?\?\+?\s+\w+.*|>?\s*\[!\w+\]\s*|\[\[?_?(?i:toc)_?\]\]?|\{:[^}]*\}|\[[^\]]+\]:\s+\S+.*|===\s+"[^"]*")$`)
	// hiddenInline matches templates, comments, components, tags of blocks, and the ids of headings.
	hiddenInline = lazyregexp.New(`(?s)\{\{[<%].{0,300}?[%>]\}\}|\{%.{0,300}?%\}|\{/\*.{0,1000}?\*/\}|<!--.{0,1000}?-->|[ \t]\{#[\w-]+\}|` +
		`</?[A-Z][\w.]*(?:\s[^<>]{0,400})?/?>|` +
		`</?(?:div|section|article|aside|details|summary|figure|figcaption|center|picture|source|video|iframe|nav|header|footer|main|hr|dl|dt|dd|ul|ol|li)(?:\s[^<>]{0,400})?/?>`)
	// numberOfHeading matches the number of a heading, which would end a sentence.
	numberOfHeading = lazyregexp.New(`^\s*#{1,6}\s+(\d+(?:\.\d+)*\.\s)`)
	// tableRow matches a row of a table in HTML.
	tableRow = lazyregexp.New(`(?is)<tr(?:\s[^<>]*)?>(.{1,1000}?)</tr>`)
	// tableTag matches the other tags of such a table.
	tableTag = lazyregexp.New(`(?i)</?(?:table|thead|tbody|tfoot|caption|colgroup|col)(?:\s[^<>]*)?/?>`)
	// cellStart matches the start of a cell and cellTag any tag in a row.
	cellStart = lazyregexp.New(`(?i)<t[dh](?:\s[^<>]*)?>`)
	anyTag    = lazyregexp.New(`</?[a-zA-Z][^<>]*>`)
	// quoteMark matches the mark of a quotation at the start of a line.
	quoteMark = lazyregexp.New(`(?m)^[ \t]*>[ \t]?`)
)

// readable returns the text of a passage with spaces in place of the syntax that readers do not see, so that all offsets stay the
// same. Rows of HTML tables become rows with bars.
func readable(p corpus.Passage) string {
	if media, _, _ := strings.Cut(p.Document.MediaType, ";"); media != markdownType {
		return p.Text
	}
	out := []byte(p.Text)
	code := codeLines(p.Text)
	if p.Start < maxOpening {
		hide(out, 0, lengthOfFrontMatter(p.Text))
	}
	at := 0
	for line := range strings.Lines(p.Text) {
		if !code[at] && hiddenLine.MatchString(strings.TrimRight(line, "\r\n")) {
			hide(out, at, at+len(line))
		}
		if m := numberOfHeading.FindStringSubmatchIndex(line); m != nil && !code[at] {
			hide(out, at+m[2], at+m[3])
		}
		at += len(line)
	}
	outside := func(m []int) bool {
		start := strings.LastIndexByte(p.Text[:m[0]], '\n') + 1
		return !code[start] && strings.Count(p.Text[start:m[0]], "`")%2 == 0
	}
	for _, m := range tableRow.FindAllStringSubmatchIndex(string(out), -1) {
		if outside(m) {
			barRow(out, m[0], m[1])
		}
	}
	for _, tag := range []*lazyregexp.Regexp{tableTag, hiddenInline, quoteMark} {
		for _, m := range tag.FindAllIndex(out, -1) {
			if outside(m) {
				hide(out, m[0], m[1])
			}
		}
	}
	return string(out)
}

// maxOpening is the offset up to which a passage opens its document.
const maxOpening = 8

// hide replaces a part of a text by spaces. Line ends stay.
func hide(s []byte, start, end int) {
	for i := start; i < end; i++ {
		if s[i] != '\n' {
			s[i] = ' '
		}
	}
}

// lengthOfFrontMatter returns the length of the front matter at the start of a text, with the line that ends it, or 0.
func lengthOfFrontMatter(s string) int {
	at, fields := 0, 0
	for line := range strings.Lines(s) {
		bare := strings.TrimRight(line, "\r\n")
		if endOfFrontMatter.MatchString(bare) {
			if at += len(line); fields > 0 {
				return at
			}
			continue // the line that opens it
		}
		if !frontMatter.MatchString(bare) || bare == "" && fields == 0 {
			return 0
		}
		fields++
		at += len(line)
	}
	return 0
}

// codeLines reports which lines of a text are inside fences, by their start.
func codeLines(s string) map[int]bool {
	out, at, open := map[int]bool{}, 0, false
	for line := range strings.Lines(s) {
		fence := text.OpensFence(strings.TrimSpace(line))
		if open || fence {
			out[at] = true
		}
		if fence {
			open = !open
		}
		at += len(line)
	}
	return out
}

// barRow writes a row of an HTML table as one line of cells between bars.
func barRow(s []byte, start, end int) {
	row := string(s[start:end])
	first := true
	for _, m := range cellStart.FindAllStringIndex(row, -1) {
		hide(s, start+m[0], start+m[1])
		if !first || m[1]-m[0] < len("<td>") {
			s[start+m[0]+1] = '|'
		}
		first = false
	}
	for _, m := range anyTag.FindAllStringIndex(row, -1) {
		if s[start+m[0]] == '<' {
			hide(s, start+m[0], start+m[1])
		}
	}
	for i := start; i < end; i++ {
		if s[i] == '\n' {
			s[i] = ' '
		}
	}
	s[end-1] = '\n'
}
