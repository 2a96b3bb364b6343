package main

import (
	"regexp"
	"strings"
)

// block is a paragraph, a list item, a heading, or a row of a table.
type block struct {
	kind  kind
	line  int
	lines []string
}

type kind int

const (
	paragraph kind = iota
	item
	heading
	row
)

// page is a Markdown page without its code blocks and comments.
type page struct {
	blocks []block
	// long are the lines over the limit that could be wrapped.
	long []int
}

const maxColumns = 100

// pageTextsBegin begins texts that a page repeats from the web page; the next
// comment ends them. They are checked where they are written.
const pageTextsBegin = "<!-- texts of the page -->"

var (
	itemStart = regexp.MustCompile(`^\s*([-*]|\d+\.)\s+`)
	quote     = regexp.MustCompile(`^\s*>\s?(\[!\w+\])?`)
	comment   = regexp.MustCompile(`<!--.*?-->`)
)

// parse divides a page into blocks.
func parse(text string) page {
	var p page
	fenced, open, skipped := false, false, false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced, open = !fenced, false
			continue
		}
		if strings.HasPrefix(line, "<!-- ") {
			skipped = line == pageTextsBegin
		}
		if fenced || skipped {
			continue
		}
		table := strings.HasPrefix(line, "|")
		if !table && !strings.HasPrefix(line, "#") && len([]rune(line)) > maxColumns && !strings.Contains(line, "](") &&
			!strings.Contains(line, "http") {
			p.long = append(p.long, i+1)
		}
		line = comment.ReplaceAllString(quote.ReplaceAllString(line, ""), "")
		content := strings.TrimSpace(line)
		b := block{line: i + 1, lines: []string{content}}
		switch {
		case content == "":
			open = false
			continue
		case table:
			b.kind = row
			open = false
		case strings.HasPrefix(content, "#"):
			b.kind = heading
			open = false
		case itemStart.MatchString(line):
			b.kind = item
			b.lines[0] = itemStart.ReplaceAllString(line, "")
			open = true
		case open:
			last := &p.blocks[len(p.blocks)-1]
			last.lines = append(last.lines, content)
			continue
		default:
			open = true
		}
		p.blocks = append(p.blocks, b)
	}
	return p
}

var (
	span  = regexp.MustCompile("`[^`]*`")
	image = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	link  = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]*)\)`)
	tag   = regexp.MustCompile(`<[^>]+>`)
	name  = regexp.MustCompile(`\B--?[a-z][\w-]*|\b[A-Za-z_]\w*\.[A-Za-z_]\w*`)
	list  = regexp.MustCompile(`code(, code)+`)
	label = regexp.MustCompile(`(^|[^*])\*([^* ][^*]*)\*`)
)

// plain is the text of Markdown, with code, flags, identifiers, and names of
// buttons replaced by a word.
func plain(s string) string {
	s = list.ReplaceAllString(name.ReplaceAllString(span.ReplaceAllString(s, "code"), "code"), "code")
	s = image.ReplaceAllString(s, "")
	s = link.ReplaceAllString(s, "$1")
	s = tag.ReplaceAllString(s, "")
	return strings.ReplaceAll(label.ReplaceAllString(s, "${1}Label"), "**", "")
}

var sentenceEnd = regexp.MustCompile(`[.!?:]["”)]*(\s+|$)`)

// sentences divides plain text. A colon ends a sentence too: the text behind it
// is a list or an example.
func sentences(text string) []string {
	var out []string
	for text != "" {
		end := sentenceEnd.FindStringIndex(text)
		if end == nil {
			return append(out, text)
		}
		out = append(out, strings.TrimSpace(text[:end[1]]))
		text = text[end[1]:]
	}
	return out
}
