package plain

import (
	"strings"

	"docent/internal/lazyregexp"
)

const (
	// minPages is the minimum number of pages of a printed text, such as an RFC.
	minPages = 3
	// maxRunning bounds a line at the edge of a page, in bytes.
	maxRunning = 200
)

var (
	// pageEnd matches the last line of a printed page.
	pageEnd = lazyregexp.New(`(?i)\[page\s+[0-9ivxlc]+\]\s*$`)
	digits  = lazyregexp.New(`[0-9]+|\b[ivxlc]+\b`)
	// runningGap separates the parts of a running line.
	runningGap = lazyregexp.New(`\s{2,}`)
)

// withoutRunning returns a text without the headers and footers of its printed pages. They are the first and
// the last lines between form feeds that most pages share, apart from numbers. Other texts are
// returned as they are.
func withoutRunning(text string) string {
	if strings.Count(text, "\f") < minPages-1 && strings.Count(text, "[Page ") < minPages-1 {
		return text
	}
	pages := printedPages(text)
	if len(pages) < minPages {
		return text
	}
	heads, feet := map[string]int{}, map[string]int{}
	for _, p := range pages {
		heads[runningKey(p.first())]++
		feet[runningKey(p.last())]++
	}
	most := max(minPages-1, len(pages)/2)
	var b strings.Builder
	b.Grow(len(text))
	for i, p := range pages {
		if key := runningKey(p.first()); i > 0 && key != "" && heads[key] >= most {
			p.dropFirst()
		}
		if last := p.last(); pageEnd.MatchString(last) || runningKey(last) != "" && feet[runningKey(last)] >= most {
			p.dropLast()
		}
		p.trim()
		if len(p.lines) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if !continues(b.String()[max(0, b.Len()-maxRunning):], p.first()) {
				b.WriteByte('\n')
			}
		}
		b.WriteString(strings.Join(p.lines, "\n"))
	}
	b.WriteByte('\n')
	return b.String()
}

// printedPage is a page of a printed text.
type printedPage struct{ lines []string }

// printedPages divides a text at form feeds. Without them, it divides it behind the last lines of pages.
func printedPages(text string) []*printedPage {
	feeds := strings.Contains(text, "\f")
	var pages []*printedPage
	page := &printedPage{}
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimRight(l, " \r")
		for feeds {
			before, after, found := strings.Cut(l, "\f")
			if !found {
				break
			}
			page.lines = append(page.lines, before)
			pages = append(pages, page)
			page, l = &printedPage{}, after
		}
		page.lines = append(page.lines, l)
		if !feeds && pageEnd.MatchString(l) {
			pages = append(pages, page)
			page = &printedPage{}
		}
	}
	pages = append(pages, page)
	for _, p := range pages {
		p.trim()
	}
	return pages
}

// trim removes the empty lines at both ends.
func (p *printedPage) trim() {
	for len(p.lines) > 0 && strings.TrimSpace(p.lines[0]) == "" {
		p.lines = p.lines[1:]
	}
	for len(p.lines) > 0 && strings.TrimSpace(p.lines[len(p.lines)-1]) == "" {
		p.lines = p.lines[:len(p.lines)-1]
	}
}

func (p *printedPage) first() string {
	if len(p.lines) == 0 {
		return ""
	}
	return p.lines[0]
}

func (p *printedPage) last() string {
	if len(p.lines) < 2 {
		return ""
	}
	return p.lines[len(p.lines)-1]
}

func (p *printedPage) dropFirst() {
	p.lines = p.lines[1:]
	p.trim()
}

func (p *printedPage) dropLast() {
	p.lines = p.lines[:max(0, len(p.lines)-1)]
	p.trim()
}

// runningKey returns a line as far as it is the same on all pages, or "" for other lines.
func runningKey(l string) string {
	l = strings.TrimSpace(l)
	if l == "" || len(l) > maxRunning {
		return ""
	}
	return runningGap.ReplaceAllString(digits.ReplaceAllString(strings.ToLower(l), "0"), "  ")
}

// continues reports whether a page continues the paragraph at the end of the page before it.
func continues(before, next string) bool {
	last := strings.TrimSpace(before[strings.LastIndexByte(strings.TrimRight(before, "\n"), '\n')+1:])
	next = strings.TrimSpace(next)
	return last != "" && !strings.ContainsAny(last[len(last)-1:], ".:!?;|") && next != "" && next[0] >= 'a' && next[0] <= 'z'
}
