package pdfium

import (
	"context"
	"math"
	"unicode/utf16"
)

// Page is a loaded page of a document. Close it when done.
type Page struct {
	*Document
	// Handle is the library's handle of the page.
	Handle uint64
	// Text is the library's handle of the page's text; 0 until LoadText.
	Text uint64
}

// Load loads a page.
func (d *Document) Load(ctx context.Context, index int) (*Page, error) {
	at, err := d.Call(ctx, "FPDF_LoadPage", d.handle, uint64(index))
	if err == nil && at == 0 {
		err = errPage
	}
	return &Page{Document: d, Handle: at}, err
}

// Close frees the page.
func (p *Page) Close(ctx context.Context) error {
	if p.Text != 0 {
		if _, err := p.Call(ctx, "FPDFText_ClosePage", p.Text); err != nil {
			return err
		}
	}
	_, err := p.Call(ctx, "FPDF_ClosePage", p.Handle)
	return err
}

// LoadText loads the page's text and returns the number of its characters.
func (p *Page) LoadText(ctx context.Context) (int, error) {
	var err error
	if p.Text, err = p.Call(ctx, "FPDFText_LoadPage", p.Handle); err != nil {
		return 0, err
	}
	if p.Text == 0 {
		return 0, errPage
	}
	n, err := p.Call(ctx, "FPDFText_CountChars", p.Text)
	return max(int(int32(n)), 0), err
}

// NoChar fills the second index of a character that uses two indexes.
const NoChar rune = -1

// Dividing is the hyphen that divides a word at the end of a line.
const Dividing rune = 2

// dividedAs is the character that the library writes for such a hyphen.
const dividedAs = 0xFFFE

// Chars returns the first n characters of the loaded text, or fewer if the text
// is shorter. A character's position in the result is its index in the library.
func (p *Page) Chars(ctx context.Context, n int) ([]rune, error) {
	at, err := p.buffer(ctx, 2*n+2)
	if err != nil {
		return nil, err
	}
	got, err := p.Call(ctx, "FPDFText_GetText", p.Text, 0, uint64(n), uint64(at))
	if err != nil {
		return nil, err
	}
	if int(got) != n+1 {
		return p.eachChar(ctx, n)
	}
	units, err := p.units(at, n)
	if err != nil {
		return nil, err
	}
	out := make([]rune, n)
	for i, u := range units {
		if out[i] = rune(u); u == dividedAs {
			out[i] = Dividing
		}
	}
	joinPairs(out)
	return out, nil
}

// eachChar reads the characters one by one, because the library omits some from
// the whole text.
func (p *Page) eachChar(ctx context.Context, n int) ([]rune, error) {
	out := make([]rune, n)
	for i := range out {
		u, err := p.Call(ctx, "FPDFText_GetUnicode", p.Text, uint64(i))
		if err != nil {
			return nil, err
		}
		out[i] = rune(min(u, 0x10FFFF+1))
	}
	joinPairs(out)
	return out, nil
}

// joinPairs joins the halves of surrogate pairs.
func joinPairs(chars []rune) {
	for i := 0; i+1 < len(chars); i++ {
		if r := utf16.DecodeRune(chars[i], chars[i+1]); r != '\uFFFD' {
			chars[i], chars[i+1] = r, NoChar
		}
	}
}

// Box returns the position of a character on the page: left, top, right, and
// bottom, in points. y grows upward. ok is false if the character has no
// position.
func (p *Page) Box(ctx context.Context, char int) (box [4]float32, ok bool, err error) {
	done, err := p.Call(ctx, "FPDFText_GetLooseCharBox", p.Text, uint64(char), p.Scratch())
	if err != nil || uint32(done) == 0 {
		return box, false, err
	}
	box, err = p.Floats(4)
	return box, true, err
}

// Font returns the font name of a character.
func (p *Page) Font(ctx context.Context, char int) (string, error) {
	const size = 128
	at, err := p.buffer(ctx, size)
	if err != nil {
		return "", err
	}
	n, err := p.Call(ctx, "FPDFText_GetFontInfo", p.Text, uint64(char), uint64(at), size, 0)
	if err != nil || n <= 1 || n > size {
		return "", err
	}
	b, err := p.Sandbox.Bytes(at, int(n)-1)
	return string(b), err
}

// Angle returns the angle of a character in radians.
func (p *Page) Angle(ctx context.Context, char int) (float64, error) {
	bits, err := p.Call(ctx, "FPDFText_GetCharAngle", p.Text, uint64(char))
	return float64(math.Float32frombits(uint32(bits))), err
}

// Size returns the width and height of the displayed page, in points.
func (p *Page) Size(ctx context.Context) (width, height float64, err error) {
	w, err := p.Call(ctx, "FPDF_GetPageWidth", p.Handle)
	if err != nil {
		return 0, 0, err
	}
	h, err := p.Call(ctx, "FPDF_GetPageHeight", p.Handle)
	return math.Float64frombits(w), math.Float64frombits(h), err
}

// Shown converts a point to its position on the displayed page. The position is
// on a grid with the given number of steps in each direction.
func (p *Page) Shown(ctx context.Context, grid int, x, y float64) (sx, sy int32, err error) {
	side := uint64(grid)
	_, err = p.Call(ctx, "FPDF_PageToDevice", p.Handle, 0, 0, side, side, 0, math.Float64bits(x), math.Float64bits(y), p.Scratch(),
		p.Scratch()+4)
	if err != nil {
		return 0, 0, err
	}
	at, err := p.Ints(2)
	return at[0], at[1], err
}

// The flags of FPDF_RenderPageBitmap.
const (
	drawAnnotations = 0x01
	reverseBytes    = 0x10
	white           = 0xFFFFFFFF
)

// Draw draws the page with its annotations on white. The pixels have four bytes
// each, red first. They are valid until the next call.
func (p *Page) Draw(ctx context.Context, width, height int) (pixels []byte, stride int, err error) {
	w, h := uint64(width), uint64(height)
	bitmap, err := p.Call(ctx, "FPDFBitmap_Create", w, h, 0) // without an alpha channel
	if err != nil {
		return nil, 0, err
	}
	if bitmap == 0 {
		return nil, 0, ErrMemory
	}
	if _, err := p.Call(ctx, "FPDFBitmap_FillRect", bitmap, 0, 0, w, h, white); err != nil {
		return nil, 0, err
	}
	if _, err := p.Call(ctx, "FPDF_RenderPageBitmap", bitmap, p.Handle, 0, 0, w, h, 0, drawAnnotations|reverseBytes); err != nil {
		return nil, 0, err
	}
	n, err := p.Call(ctx, "FPDFBitmap_GetStride", bitmap)
	if err != nil {
		return nil, 0, err
	}
	at, err := p.Call(ctx, "FPDFBitmap_GetBuffer", bitmap)
	if err != nil {
		return nil, 0, err
	}
	stride = int(int32(n))
	pixels, err = p.Sandbox.Bytes(uint32(at), stride*height)
	return pixels, stride, err
}
