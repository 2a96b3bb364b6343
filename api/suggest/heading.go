package suggest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
)

// Heading is a heading in a document.
type Heading struct {
	// Text is the heading.
	Text string `json:"text"`
	// Level counts from 1.
	Level int `json:"level" doc:"The level below the title, from 1."`
	// Start is the place of its first passage, or of the heading within a passage.
	Start int `json:"start" doc:"The byte offset of its first passage in the text of the document, or of the heading itself."`
	// End is exclusive.
	End int `json:"end" doc:"The exclusive end of that passage or heading."`
	// Page counts from 0; null in documents without pages.
	Page *int `json:"page"`
	// PageLabel is the printed page number.
	PageLabel string `json:"page_label,omitempty" doc:"The printed page number."`
}

// headings collects the headings of a document from its passages in order. A heading above several passages counts once. Small
// sections share a passage, and their headings are in its text.
type headings struct {
	doc  corpus.Document
	list []Heading
	path []string // of the last passage
}

// headingsOf returns the headings of passages.
func headingsOf(doc corpus.Document, chunks []corpus.Chunk) []Heading {
	h := headings{doc: doc, list: []Heading{}}
	for _, c := range chunks {
		h.add(c)
	}
	return h.list
}

func (h *headings) add(c corpus.Chunk) {
	same := 0
	for same < min(len(h.path), len(c.Headings)) && h.path[same] == c.Headings[same] {
		same++
	}
	for level := same; level < len(c.Headings); level++ {
		if text := strings.TrimSpace(c.Headings[level]); text != "" {
			h.list = append(h.list, Heading{Text: text, Level: level + 1, Start: c.Start, End: c.End, Page: c.Page, PageLabel: c.PageLabel})
		}
	}
	h.path = c.Headings
	if c.Kind == corpus.Prose && len(c.Text) == c.End-c.Start {
		h.inside(c)
	}
}

// inside adds the headings in the text of a passage. Their levels begin below the headings of the passage.
func (h *headings) inside(c corpus.Chunk) {
	var found []Heading
	if strings.Contains(h.doc.MediaType, "markdown") {
		found = marked(c.Text)
	} else if h.doc.Chunks == 1 {
		found = alone(c.Text)
	}
	var signs []int // the levels of the open headings, as the text has them
	for _, f := range found {
		if strings.EqualFold(f.Text, h.doc.Title) || len(c.Headings) > 0 && f.Text == c.Headings[len(c.Headings)-1] {
			continue
		}
		for len(signs) > 0 && signs[len(signs)-1] >= f.Level {
			signs = signs[:len(signs)-1]
		}
		signs = append(signs, f.Level)
		f.Level = len(c.Headings) + len(signs)
		f.Start, f.End, f.Page, f.PageLabel = c.Start+f.Start, c.Start+f.End, c.Page, c.PageLabel
		h.list = append(h.list, f)
	}
}

var (
	fence = lazyregexp.New("^ {0,3}(?:```|~~~)")
	atx   = lazyregexp.New(`^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$`)
	under = lazyregexp.New(`^ {0,3}(=+|-{2,})[ \t]*$`)
	// listed is the begin of an item.
	listed = lazyregexp.New(`^(?:[-*+•]|\d{1,9}[.)])\s`)
	// row is a line of a table.
	row = lazyregexp.New(` \| |\t`)
)

// longestAlone is the length of a line that can be a heading, in characters. The text view of the page has the same limit.
const longestAlone = 90

// marked returns the headings of Markdown, with the number of their signs as levels.
func marked(text string) []Heading {
	var out []Heading
	at, fenced, before := 0, false, Heading{}
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		here := Heading{Text: plain(strings.TrimSpace(bare)), Start: at, End: at + len(bare)}
		at += len(line)
		switch {
		case fence.MatchString(bare):
			fenced = !fenced
			here = Heading{}
		case fenced:
			here = Heading{}
		case atx.MatchString(bare):
			m := atx.FindStringSubmatch(bare)
			here.Text, here.Level = plain(m[2]), len(m[1])
			out, here = append(out, here), Heading{}
		case under.MatchString(bare) && before.Text != "" && !listed.MatchString(before.Text) && !strings.Contains(before.Text, "|"):
			before.Level = 2
			if strings.Contains(bare, "=") {
				before.Level = 1
			}
			out, here = append(out, before), Heading{}
		}
		before = here
	}
	return out
}

// plain returns Markdown without its signs.
func plain(s string) string { return signs.Replace(link.ReplaceAllString(s, "$1")) }

// alone returns the short lines of a text that stand alone above a paragraph, as the text view of the page shows headings.
func alone(text string) []Heading {
	var out []Heading
	lines := strings.SplitAfter(text, "\n")
	empty := func(i int) bool { return i < 0 || i >= len(lines) || strings.TrimSpace(lines[i]) == "" }
	at := 0
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		start := at + strings.Index(line, bare)
		at += len(line)
		first, _ := utf8.DecodeRuneInString(bare)
		switch {
		case bare == "" || utf8.RuneCountInString(bare) > longestAlone || !empty(i-1) || !empty(i+1),
			strings.TrimSpace(text[min(at, len(text)):]) == "",
			!unicode.IsUpper(first) && !unicode.IsNumber(first), strings.ContainsRune(".,;:!?…", lastRune(bare)),
			listed.MatchString(bare), row.MatchString(bare):
			continue
		}
		out = append(out, Heading{Text: bare, Level: 1, Start: start, End: start + len(bare)})
	}
	return out
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
