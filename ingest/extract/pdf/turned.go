package pdf

import (
	"context"
	"math"
	"strings"

	"docent/ingest/extract/pdf/pdfium"
)

// direction tells how the letters of a line lie on the page.
type direction uint8

const (
	level   direction = iota // from left to right
	upright                  // up or down the page, as in the header of a narrow column
	oblique                  // at another angle, as in a watermark
)

const (
	// turnTolerance is the angle in radians up to which letters lie level or upright.
	turnTolerance = 0.06
	// maxTurned bounds the letters of a turned header.
	maxTurned = 2000
	// wordGap is the distance between two words of turned letters, in sizes of the letters.
	wordGap = 0.15
)

// turnOf returns how a line lies, by its first letter.
func turnOf(ctx context.Context, page *pdfium.Page, l *textLine) (direction, error) {
	if len(l.words) == 0 {
		return level, nil
	}
	angle, err := page.Angle(ctx, l.words[0].first)
	if err != nil {
		return level, err
	}
	switch quarter := math.Abs(math.Remainder(angle, math.Pi)); {
	case quarter <= turnTolerance:
		return level, nil
	case math.Abs(quarter-math.Pi/2) <= turnTolerance:
		return upright, nil
	}
	return oblique, nil
}

// turnedLetter is a letter of a turned text.
type turnedLetter struct {
	char rune
	box  [4]float32 // left, top, right, bottom
}

// levelHeaders replaces the lines of turned letters on an otherwise level page by one line
// with a word for each text. Such texts name the narrow columns of a table. The library
// breaks the line after each letter.
func levelHeaders(ctx context.Context, page *pdfium.Page, chars []rune, lines []textLine) ([]textLine, error) {
	turned, all := 0, 0
	for _, l := range lines {
		for _, w := range l.words {
			all += len(w.text)
			if l.turn == upright {
				turned += len(w.text)
			}
		}
	}
	if turned == 0 || turned*2 > all {
		return lines, nil
	}
	out := make([]textLine, 0, len(lines))
	for i := 0; i < len(lines); {
		end := i
		for end < len(lines) && (lines[end].turn == upright || end > i && len(lines[end].words) == 0) {
			end++
		}
		if end == i {
			out = append(out, lines[i])
			i++
			continue
		}
		letters, err := turnedLetters(ctx, page, chars, lines[i:end])
		if err != nil {
			return nil, err
		}
		header := levelHeader(letters)
		if n := len(out); n > 0 && header.besides(out[n-1]) { // the name of a wide column, which is not turned
			header.words = append(append([]word(nil), out[n-1].words...), header.words...)
			header.text = joinWords(header.words)
			header.fit(out[n-1].words)
			out = out[:n-1]
		}
		if end < len(lines) {
			header.snap(cellsOf(lines[end]))
		}
		out = append(out, header.textLine)
		i = end
	}
	return out, nil
}

// turnedLetters returns the letters of turned lines with their places.
func turnedLetters(ctx context.Context, page *pdfium.Page, chars []rune, lines []textLine) ([]turnedLetter, error) {
	var out []turnedLetter
	for _, l := range lines {
		for _, w := range l.words {
			for i := w.first; i <= w.last && i < len(chars) && len(out) < maxTurned; i++ {
				if chars[i] <= ' ' {
					continue
				}
				box, ok, err := page.Box(ctx, i)
				if err != nil {
					return nil, err
				}
				if ok {
					out = append(out, turnedLetter{chars[i], box})
				}
			}
		}
	}
	return out, nil
}

// turnedHeader is a header that was turned level.
type turnedHeader struct {
	textLine
	top, bottom float32 // of the turned letters
}

// levelHeader returns the texts of turned letters as the words of one line.
func levelHeader(letters []turnedLetter) turnedHeader {
	h := turnedHeader{bottom: math.MaxFloat32}
	var text strings.Builder
	var place [4]float32
	end := func() {
		if text.Len() > 0 {
			h.words = append(h.words, word{text: text.String(), box: place, placed: true})
		}
		text.Reset()
	}
	for i, l := range letters {
		size := l.box[2] - l.box[0]
		h.size = max(h.size, size)
		h.top, h.bottom = max(h.top, l.box[1]), min(h.bottom, l.box[3])
		if i > 0 {
			before := letters[i-1].box
			gap := max(l.box[3]-before[1], before[3]-l.box[1])
			if min(l.box[2], before[2])-max(l.box[0], before[0]) < size/2 || gap > 4*size {
				end() // the next text
			} else if gap > wordGap*size {
				text.WriteByte(' ')
			}
		}
		if text.Len() == 0 {
			place = l.box
		}
		place = [4]float32{min(place[0], l.box[0]), max(place[1], l.box[1]), max(place[2], l.box[2]), min(place[3], l.box[3])}
		text.WriteRune(l.char)
	}
	end()
	for i := range h.words { // all texts stand on one line
		h.words[i].box[3], h.words[i].box[1] = h.bottom, h.bottom+h.size
	}
	h.text = joinWords(h.words)
	return h
}

// besides reports whether a level line stands beside the header.
func (h *turnedHeader) besides(l textLine) bool {
	if len(l.words) == 0 || len(h.words) == 0 || len(l.words) > maxCellWords || !l.words[0].placed {
		return false
	}
	first, last := l.words[0].box, l.words[len(l.words)-1].box
	return first[1] <= h.top+h.size && first[3] >= h.bottom-h.size && last[2] < h.words[0].box[0]
}

// fit moves level words of the header to its line.
func (h *turnedHeader) fit(words []word) {
	for i := range words {
		h.words[i].box[3], h.words[i].box[1] = h.bottom, h.bottom+h.size
	}
}

// snap gives each text of the header the place of the cell below it.
func (h *turnedHeader) snap(below rowOf) {
	if len(below.cells) < len(h.words) {
		return
	}
	taken := map[int]bool{}
	places := make([]int, len(h.words))
	for i, w := range h.words {
		center := (w.box[0] + w.box[2]) / 2
		best := 0
		for k, c := range below.cells {
			if distance(center, c) < distance(center, below.cells[best]) {
				best = k
			}
		}
		if taken[best] {
			return
		}
		taken[best] = true
		places[i] = best
	}
	for i, k := range places {
		h.words[i].box[0], h.words[i].box[2] = below.cells[k].left, below.cells[k].right
	}
}

// distance returns how far a place is from a cell.
func distance(x float32, c cell) float32 { return max(c.left-x, x-c.right, 0) }
