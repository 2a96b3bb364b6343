package chunk

import (
	"strings"

	"docent/ingest/outline"
)

const (
	// maxHeadingWords bounds the length of a heading. A longer one is treated
	// as text.
	maxHeadingWords = 40
	// maxDepth bounds a heading path.
	maxDepth = 12
)

// section is a heading with the blocks below it up to the next heading.
type section struct {
	path     []int // indexes of its heading block and of those above it
	from, to int   // range of its blocks, including the heading
	words    int   // number of words without the heading
	heading  int   // number of words in the heading
	headed   bool  // the first block is the heading
	term     bool  // an entry of a definition list
}

// group is one section, or several small ones that share a passage.
type group struct {
	path      []int
	names     []string
	from, to  int
	words     int
	term      bool
	skipFirst bool // the first block is a heading that the path shows
}

// sections divides the blocks at the headings. It omits a heading that has
// subsections but no text of its own, because the paths of the subsections
// contain it.
func (w *work) sections() []section {
	var out []section
	var cur section
	var stack []int
	flush := func(end int) {
		cur.to = end
		if cur.to > cur.from && (cur.words > 0 || cur.heading > 0) {
			out = append(out, cur)
		}
	}
	for i, b := range w.doc.Blocks {
		if b.Kind == outline.Heading && w.counts[i] <= maxHeadingWords {
			if !cur.headed || i > cur.from+1 || b.Level <= w.doc.Blocks[cur.from].Level || len(stack) >= maxDepth {
				flush(i)
			}
			for len(stack) > 0 && (w.doc.Blocks[stack[len(stack)-1]].Level >= b.Level || len(stack) >= maxDepth) {
				stack = stack[:len(stack)-1]
			}
			stack = append(stack, i)
			cur = section{
				path: append([]int(nil), stack...), from: i, heading: w.counts[i],
				headed: true, term: b.Level >= outline.TermLevel,
			}
			continue
		}
		cur.words += w.counts[i]
	}
	flush(len(w.doc.Blocks))
	return out
}

// gather joins small neighboring sections.
func (w *work) gather(sections []section) []group {
	var out []group
	for _, s := range sections {
		if n := len(out); n > 0 {
			taken := 0
			if n > 1 {
				taken = out[n-2].to
			}
			if g, ok := w.join(out[n-1], s, taken); ok {
				out[n-1] = g
				continue
			}
		}
		out = append(out, group{
			path: s.path, from: s.from, to: s.to, words: s.words, term: s.term,
			skipFirst: s.headed && s.to > s.from+1,
		})
	}
	for i := range out {
		out[i].names = w.headings(out[i].path)
	}
	return out
}

// join adds a section to a group. Headings that are no longer common to all
// sections become part of the text. ok is false if the section does not fit. One
// of the two must be small, they must be close in the outline, and together they
// must still be short. Other groups contain the blocks before taken.
func (w *work) join(g group, s section, taken int) (joined group, ok bool) {
	small, limit := w.MinWords, w.MaxWords*6/10
	switch {
	case w.source:
		small, limit = w.MinCodeWords, w.MaxCodeWords
	case s.term:
		small, limit = w.TermWords, w.MaxWords
	}
	near := common(g.path, s.path)
	if g.words >= small || near < len(s.path)-1 || near < len(g.path)-1 || near < len(s.path) && w.nameOnly(s.path[near]) {
		return g, false
	}
	if near < len(g.path) {
		heading := g.path[near]
		if heading < taken || w.nameOnly(heading) {
			return g, false
		}
		for i := heading; i < g.from; i++ { // headings without text of their own
			g.words += w.counts[i]
		}
		if heading == g.from && g.skipFirst {
			g.words += w.counts[heading]
		}
		g.from, g.skipFirst = heading, false
	}
	g.words += s.heading + s.words
	if g.words > limit || !w.onePage(g.from, s.to) {
		return g, false
	}
	g.path, g.to, g.term = g.path[:near], s.to, g.term || s.term
	return g, true
}

// nameOnly reports whether a heading of prose has a name that is not in the text.
// In source code, the declaration contains the name.
func (w *work) nameOnly(i int) bool {
	b := w.doc.Blocks[i]
	return !w.source && b.Start == b.End && b.Name != ""
}

// onePage reports whether the blocks are all on one page.
func (w *work) onePage(from, to int) bool {
	return w.doc.Blocks[from].Page == w.doc.Blocks[to-1].Page
}

// headings returns the headings of a path for display. It omits a heading that
// repeats the title or the heading above it.
func (w *work) headings(path []int) []string {
	var out []string
	above := w.doc.Title
	for _, i := range path {
		name, ok := w.names[i]
		if !ok {
			name = w.doc.HeadingName(w.doc.Blocks[i])
			w.names[i] = name
		}
		if name == "" || strings.EqualFold(name, above) {
			continue
		}
		out = append(out, name)
		above = name
	}
	return out
}

// common returns the length of the common prefix of two paths.
func common(a, b []int) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
