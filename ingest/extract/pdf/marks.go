package pdf

import "unicode/utf8"

// Passage is a part of a PDF's text, with the text around it, which tells which
// of several equal places is meant.
type Passage struct {
	// Before is the text before it, or the end of that.
	Before string
	// Text is the passage's.
	Text string
	// After is the text after it, or the beginning of that.
	After string
}

// PassageAround is how many bytes before and after a passage are worth giving.
const PassageAround = 12 << 10

// PassageIn is the passage text[start:end] with the text around it.
func PassageIn(text string, start, end int) Passage {
	from, to := max(0, start-PassageAround), min(len(text), end+PassageAround)
	for from < start && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && to > end && !utf8.RuneStart(text[to]) {
		to--
	}
	return Passage{text[from:start], text[start:end], text[end:to]}
}

// Mark is a rectangle over a part of a passage, in shares of the page as shown
// from its top left.
type Mark struct {
	// X is that of the left side.
	X float64 `json:"x" doc:"Of the left side, as a share of the page's width."`
	// Y is that of the upper side.
	Y float64 `json:"y" doc:"Of the upper side, as a share of the page's height."`
	// Width is a share of the page's.
	Width float64 `json:"width" doc:"A share of the page's width."`
	// Height is a share of the page's.
	Height float64 `json:"height" doc:"A share of the page's height."`
}

// Marks are where a passage is on the page, a rectangle for each piece of a
// line: of one that begins before the page or goes on after it, its part on the
// page. There are none if it is not found.
func (p *Page) Marks(passage Passage) []Mark {
	whole := passage.Before + passage.Text + passage.After
	words, at := spelled(whole)
	var page []rune
	var of []int // the index in p.letters of each of page
	for i, l := range p.letters {
		if l.role == spoken {
			spell(l.char, func(r rune) { page, of = append(page, r), append(of, i) })
		}
	}
	start, end := len(passage.Before), len(passage.Before)+len(passage.Text)
	first, last := lowerBound(at, start), lowerBound(at, end)
	var boxes lines
	for _, run := range align(words, page, first, last) {
		from, to := max(run.a, first), min(run.a+run.n, last)
		if from >= to {
			continue
		}
		begin, stop := of[from-run.a+run.b], of[to-1-run.a+run.b]
		stop += p.closing(stop+1, whole[:end], at[to-1])
		for i := begin; i <= stop; i++ {
			if p.letters[i].role != space {
				boxes.add(p.letters[i])
			}
		}
	}
	return boxes.marks(p.Width, p.Height)
}

// closing is how many signs, such as a full stop, follow on the page from i on
// as they follow in a text after the character at a byte.
func (p *Page) closing(i int, text string, at int) (n int) {
	_, size := utf8.DecodeRuneInString(text[at:])
	for _, r := range text[at+size:] {
		if i+n >= len(p.letters) || roleOf(r) != sign || p.letters[i+n].char != r {
			break
		}
		n++
	}
	return n
}

// lowerBound is the index of the first of ascending numbers that is not below n.
func lowerBound(ascending []int, n int) int {
	low, high := 0, len(ascending)
	for low < high {
		if mid := (low + high) / 2; ascending[mid] < n {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

const (
	// maxMarks bounds the rectangles of a page.
	maxMarks = 2000
	// sameLine is the least part of the lower of two boxes' height that they
	// share on a line.
	sameLine = 0.5
	// farApart is how far apart, in heights of the line, characters of one line
	// are two pieces of it, as in columns and tables.
	farApart = 4
)

// lines puts the boxes of characters together to those of lines.
type lines struct {
	boxes  []box
	upward bool
}

// add adds the next character.
func (l *lines) add(c letter) {
	if !(c.box.width() > 0 && c.box.height() > 0) {
		return
	}
	if n := len(l.boxes); n > 0 && l.upward == c.upward && follows(l.boxes[n-1], c.box, c.upward) {
		l.boxes[n-1] = l.boxes[n-1].around(c.box)
		return
	}
	if len(l.boxes) < maxMarks {
		l.boxes, l.upward = append(l.boxes, c.box), c.upward
	}
}

// follows reports whether a character goes on a line.
func follows(line, c box, upward bool) bool {
	if upward { // look at it turned
		line, c = box{line.top, line.left, line.bottom, line.right}, box{c.top, c.left, c.bottom, c.right}
	}
	shared := min(line.bottom, c.bottom) - max(line.top, c.top)
	high := max(line.height(), c.height())
	apart := max(c.left-line.right, line.left-c.right)
	return shared >= sameLine*min(line.height(), c.height()) && apart <= farApart*high
}

// marks are the boxes as shares of a page, without what lies outside of it.
func (l *lines) marks(width, height float64) []Mark {
	marks := []Mark{}
	share := func(v float32, of float64) float64 { return min(max(float64(v)/of, 0), 1) }
	for _, b := range l.boxes {
		x, y := share(b.left, width), share(b.top, height)
		m := Mark{X: x, Y: y, Width: share(b.right, width) - x, Height: share(b.bottom, height) - y}
		if m.Width > 0 && m.Height > 0 {
			marks = append(marks, m)
		}
	}
	return marks
}
