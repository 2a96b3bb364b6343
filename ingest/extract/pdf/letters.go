package pdf

import (
	"context"
	"math"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"docent/ingest/extract/pdf/pdfium"
)

// letter is a character of a page and where it is shown, in points from the top
// left.
type letter struct {
	char   rune
	role   role
	upward bool // its line runs up or down the page as shown
	box    box
}

// role is what a character is to the alignment.
type role uint8

const (
	space  role = iota // or nothing that is seen
	sign               // seen, but not aligned by
	spoken             // a letter or digit
)

// box is a rectangle from the top left.
type box struct{ left, top, right, bottom float32 }

func (b box) width() float32  { return b.right - b.left }
func (b box) height() float32 { return b.bottom - b.top }

// around is the rectangle of both.
func (b box) around(o box) box {
	return box{min(b.left, o.left), min(b.top, o.top), max(b.right, o.right), max(b.bottom, o.bottom)}
}

// dividing is a hyphen that divides a word.
const dividing = pdfium.Dividing

// roleOf tells what a character is to the alignment.
func roleOf(r rune) role {
	switch {
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		return spoken
	case r == utf8.RuneError || r == dividing || unicode.IsPunct(r) || unicode.IsSymbol(r):
		return sign
	default:
		return space
	}
}

// spell gives to add the letters and digits that a character stands for:
// ligatures are taken apart, accents and case do not count.
func spell(r rune, add func(rune)) {
	if r < utf8.RuneSelf {
		switch {
		case 'A' <= r && r <= 'Z':
			add(r + 'a' - 'A')
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			add(r)
		}
		return
	}
	for _, r := range norm.NFKD.String(string(r)) {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			add(unicode.ToLower(r))
		}
	}
}

// spelled is how a text is spelled, and the byte at which the character of each
// letter begins.
func spelled(text string) (letters []rune, at []int) {
	for i, r := range text {
		spell(r, func(r rune) { letters, at = append(letters, r), append(at, i) })
	}
	return letters, at
}

// readLetters reads the characters of a page in the order in which its text is
// extracted.
func readLetters(ctx context.Context, page *pdfium.Page, size *Page) ([]letter, error) {
	shown, err := readTurn(ctx, page, size)
	if err != nil {
		return nil, err
	}
	count, err := page.LoadText(ctx)
	if err != nil {
		return nil, brokenPage(err)
	}
	chars, err := page.Chars(ctx, min(count, maxPageLetters))
	if err != nil {
		return nil, brokenPage(err)
	}
	letters := make([]letter, 0, len(chars))
	for i, char := range chars {
		if char == pdfium.NoChar {
			continue
		}
		l := letter{char: char}
		if l.role = roleOf(l.char); l.role != space {
			loose, ok, err := page.Box(ctx, i)
			if err != nil {
				return nil, brokenPage(err)
			}
			if ok {
				l.box = shown.box(float64(loose[0]), float64(loose[3]), float64(loose[2]), float64(loose[1]))
			}
			angle, err := page.Angle(ctx, i)
			if err != nil {
				return nil, brokenPage(err)
			}
			l.upward = shown.upward(angle)
		}
		letters = append(letters, l)
	}
	return letters, nil
}

// turn maps points of a page to those of the page as shown.
type turn struct{ a, b, c, d, e, f float64 }

// turnGrid is how finely the library is asked where points are shown; it
// answers in whole numbers.
const turnGrid = 1 << 20

// readTurn asks the library where three points of a page are shown, which tells
// where all are.
func readTurn(ctx context.Context, page *pdfium.Page, size *Page) (turn, error) {
	at := func(x, y float64) (sx, sy float64, err error) {
		dx, dy, err := page.Shown(ctx, turnGrid, x, y)
		if err != nil {
			return 0, 0, brokenPage(err)
		}
		return float64(dx) / turnGrid * size.Width, float64(dy) / turnGrid * size.Height, nil
	}
	side := min(size.Width, size.Height)
	x0, y0, err0 := at(0, 0)
	x1, y1, err1 := at(side, 0)
	x2, y2, err2 := at(0, side)
	for _, err := range []error{err0, err1, err2} {
		if err != nil {
			return turn{}, err
		}
	}
	return turn{(x1 - x0) / side, (x2 - x0) / side, x0, (y1 - y0) / side, (y2 - y0) / side, y0}, nil
}

// box is where a rectangle of the page is shown.
func (t turn) box(left, bottom, right, top float64) box {
	x := func(x, y float64) float64 { return t.a*x + t.b*y + t.c }
	y := func(x, y float64) float64 { return t.d*x + t.e*y + t.f }
	x1, x2 := x(left, bottom), x(right, top)
	y1, y2 := y(left, bottom), y(right, top)
	return box{float32(min(x1, x2)), float32(min(y1, y2)), float32(max(x1, x2)), float32(max(y1, y2))}
}

// upward reports whether text at an angle runs up or down the page as shown.
func (t turn) upward(angle float64) bool {
	sin, cos := math.Sincos(angle)
	return math.Abs(t.d*cos+t.e*sin) > math.Abs(t.a*cos+t.b*sin)
}

// Bytes is about how much memory a page takes, for who keeps it.
func (p *Page) Bytes() int { return 256 + len(p.Label) + 32*len(p.letters) }
