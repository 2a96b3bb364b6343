package pdf

import (
	"context"
	"math"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"docent/ingest/extract/pdf/pdfium"
)

// letter is a character of a page with its box, in points from the top left.
type letter struct {
	char   rune
	role   role
	upward bool // its line runs up or down the displayed page
	box    box
}

// role is the role of a character in the alignment.
type role uint8

const (
	space  role = iota // a space or an invisible character
	sign               // visible, but not used for the alignment
	spoken             // a letter or digit
)

// box is a rectangle, measured from the top left.
type box struct{ left, top, right, bottom float32 }

func (b box) width() float32  { return b.right - b.left }
func (b box) height() float32 { return b.bottom - b.top }

// around returns the smallest box that contains both.
func (b box) around(o box) box {
	return box{min(b.left, o.left), min(b.top, o.top), max(b.right, o.right), max(b.bottom, o.bottom)}
}

// dividing is the hyphen that divides a word.
const dividing = pdfium.Dividing

// roleOf returns the role of a character in the alignment.
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

// spell calls add with the letters and digits of a character. It splits
// ligatures and ignores accents and case.
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

// spelled returns the letters of a text as spell gives them. It also returns,
// for each letter, the byte at which its character begins.
func spelled(text string) (letters []rune, at []int) {
	for i, r := range text {
		spell(r, func(r rune) { letters, at = append(letters, r), append(at, i) })
	}
	return letters, at
}

// readLetters reads the characters of a page in the order of its extracted
// text.
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

// turn maps points of a page to points of the displayed page.
type turn struct{ a, b, c, d, e, f float64 }

// turnGrid is the resolution of the points that the library returns, because it
// returns integers.
const turnGrid = 1 << 20

// readTurn asks the library where it displays three points of a page. They
// determine the positions of all points.
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

// box returns the box of a rectangle on the displayed page.
func (t turn) box(left, bottom, right, top float64) box {
	x := func(x, y float64) float64 { return t.a*x + t.b*y + t.c }
	y := func(x, y float64) float64 { return t.d*x + t.e*y + t.f }
	x1, x2 := x(left, bottom), x(right, top)
	y1, y2 := y(left, bottom), y(right, top)
	return box{float32(min(x1, x2)), float32(min(y1, y2)), float32(max(x1, x2)), float32(max(y1, y2))}
}

// upward reports whether text at an angle runs up or down the displayed page.
func (t turn) upward(angle float64) bool {
	sin, cos := math.Sincos(angle)
	return math.Abs(t.d*cos+t.e*sin) > math.Abs(t.a*cos+t.b*sin)
}

// Bytes returns the approximate size of a page in memory. Caches use it.
func (p *Page) Bytes() int { return 256 + len(p.Label) + 32*len(p.letters) }
