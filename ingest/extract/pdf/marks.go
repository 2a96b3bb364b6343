package pdf

import "unicode/utf8"

// Passage is a part of a PDF's text. The text before and after it distinguishes
// it from other parts with the same text.
type Passage struct {
	// Before is the end of the text before the passage, or all of it.
	Before string
	// Text is the text of the passage.
	Text string
	// After is the beginning of the text after the passage, or all of it.
	After string
}

// PassageAround is the recommended length of Before and After, in bytes.
const PassageAround = 12 << 10

// PassageIn returns the passage text[start:end] with its surroundings.
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

// Mark is a rectangle over a part of a passage. Its values are fractions of the
// displayed page, from the top left.
type Mark struct {
	// X is the left side.
	X float64 `json:"x" doc:"Of the left side, as a share of the page's width."`
	// Y is the upper side.
	Y float64 `json:"y" doc:"Of the upper side, as a share of the page's height."`
	// Width is a fraction of the page's width.
	Width float64 `json:"width" doc:"A share of the page's width."`
	// Height is a fraction of the page's height.
	Height float64 `json:"height" doc:"A share of the page's height."`
}

// Marks returns rectangles over a passage on the page, one for each piece of a
// line. If the passage spans several pages, the rectangles cover only its part on
// this page. Marks returns nil if the page does not contain the passage.
func (p *Page) Marks(passage Passage) []Mark {
	whole := passage.Before + passage.Text + passage.After
	words, at := spelled(whole)
	var page []rune
	var of []int // for each letter of page, its index in p.letters
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

// closing counts the signs, such as a period, that follow index i on the page
// and follow the given byte in the text.
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

// lowerBound returns the index of the first of ascending numbers that is at
// least n.
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
	// maxMarks bounds the rectangles on a page.
	maxMarks = 2000
	// sameLine is the fraction of the smaller height that two boxes on one line
	// have in common.
	sameLine = 0.5
	// farApart is the distance, in heights of the line, at which a line is
	// split into two pieces, as in columns and tables.
	farApart = 4
)

// lines joins the boxes of characters to the boxes of lines.
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

// follows reports whether a character continues a line.
func follows(line, c box, upward bool) bool {
	if upward { // compare it rotated
		line, c = box{line.top, line.left, line.bottom, line.right}, box{c.top, c.left, c.bottom, c.right}
	}
	shared := min(line.bottom, c.bottom) - max(line.top, c.top)
	high := max(line.height(), c.height())
	apart := max(c.left-line.right, line.left-c.right)
	return shared >= sameLine*min(line.height(), c.height()) && apart <= farApart*high
}

// marks returns the boxes as fractions of the page. It removes the parts
// outside of the page.
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
