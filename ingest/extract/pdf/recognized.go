package pdf

import (
	"strings"

	"docent/internal/fault"
)

// Word is a word that OCR found on a page. Its position and size are fractions of
// the page, from the top left.
type Word struct {
	// Text is the word.
	Text string
	// X is the left side.
	X float64
	// Y is the upper side.
	Y float64
	// Width is a fraction of the page's width.
	Width float64
	// Height is a fraction of the page's height.
	Height float64
}

// NewScannedError returns the error for a document whose pages are pictures.
func NewScannedError(pages []int, reason fault.Text) *ScannedError {
	return &ScannedError{Pages: pages, err: &fault.Fault{Kind: fault.Invalid, Text: reason}}
}

// HasText reports whether the page has letters.
func (p *Page) HasText() bool { return len(p.letters) > 0 }

// AddWords adds the words that OCR found to the page, so that Marks can find
// passages. The letters of a word divide its width evenly.
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

// recognize adds the text that OCR found to its pages.
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
