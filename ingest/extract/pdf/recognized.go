package pdf

import (
	"strings"

	"docent/internal/fault"
)

// Word is a word that OCR found on a page, with its box in shares of the page
// from the top left.
type Word struct {
	// Text is the word.
	Text string
	// X is that of the left side.
	X float64
	// Y is that of the upper side.
	Y float64
	// Width is a share of the page's.
	Width float64
	// Height is a share of the page's.
	Height float64
}

// NewScannedError returns the error of a document whose pages are pictures.
func NewScannedError(pages []int, reason fault.Text) *ScannedError {
	return &ScannedError{Pages: pages, err: &fault.Fault{Kind: fault.Invalid, Text: reason}}
}

// HasText reports whether letters of the page are known.
func (p *Page) HasText() bool { return len(p.letters) > 0 }

// AddWords adds words that OCR found to the page, so that passages are found on
// it. Letters share the width of their word.
func (p *Page) AddWords(words []Word) {
	for _, w := range words {
		letters := []rune(w.Text)
		left, top := w.X*p.Width, w.Y*p.Height
		wide, bottom := w.Width*p.Width/float64(max(len(letters), 1)), top+w.Height*p.Height
		for i, r := range letters {
			if len(p.letters) >= maxPageLetters {
				return
			}
			from := left + float64(i)*wide
			p.letters = append(p.letters, letter{
				char: r, role: roleOf(r),
				box: box{float32(from), float32(top), float32(from + wide), float32(bottom)},
			})
		}
	}
}

// recognize gives pages the text that OCR found on them.
func (f *pdfFile) recognize(text map[int]string) {
	for i, found := range text {
		if i < 0 || i >= len(f.pages) {
			continue
		}
		f.pages[i].lines, f.pages[i].pictures = nil, false
		for l := range strings.Lines(found) {
			f.pages[i].lines = append(f.pages[i].lines, line{text: strings.TrimRight(l, " \t\r\n")})
		}
		f.size += len(found)
	}
}
