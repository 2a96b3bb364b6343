package markup

import (
	"slices"
	"strconv"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/internal/lazyregexp"
)

// adocList is an open list.
type adocList struct {
	mark string // the mark of its items, or of its terms
	last int    // the number of its last item
}

// adocStart matches the attribute that numbers the first item of a list.
var adocStart = lazyregexp.New(`\bstart="?(\d{1,6})`)

// bullet reads an item.
func (a *asciidoc) bullet(m []string) {
	a.Items = 1
	mark, number := m[1], ""
	switch c := mark[0]; {
	case c == '<':
		mark = "<"
	case c >= '0' && c <= '9':
		mark, number = "1", mark+" "
	case blocks.IsWordAt(mark, 0):
		mark, number = "a", mark+" "
	}
	l := a.item(mark)
	a.Marker = "- "
	switch {
	case number != "":
		a.Marker = number
	case mark[0] == '.':
		a.Marker = strconv.Itoa(l.last) + ". "
	}
	a.at++
	rest := a.collect()
	a.Para(a.inline(strings.Join(append([]string{m[2]}, rest...), "\n")))
	a.listed, a.joined, a.style = true, false, ""
}

// item counts an item in its list. As in AsciiDoc, a mark that no open list has
// opens a list inside the last one. Any other mark ends the lists inside its own.
func (a *asciidoc) item(mark string) adocList {
	i := slices.IndexFunc(a.lists, func(l adocList) bool { return l.mark == mark })
	if i < 0 {
		l := adocList{mark: mark}
		if m := adocStart.FindStringSubmatch(a.style); m != nil {
			l.last, _ = strconv.Atoi(m[1])
			l.last--
		}
		i = len(a.lists)
		if i == blocks.MaxNesting {
			i--
			a.lists = a.lists[:i]
		}
		a.lists = append(a.lists, l)
	}
	a.lists = a.lists[:i+1]
	a.lists[i].last++
	a.Indent = 0
	for _, l := range a.lists[:i] {
		if a.Indent++; isTermMark(l.mark) {
			a.Indent = 0
		}
	}
	return a.lists[i]
}

// isTermMark reports whether a mark ends terms.
func isTermMark(mark string) bool { return strings.HasPrefix(mark, ":") || mark == ";;" }
