package transcript

import (
	"fmt"
	"io"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// Sizes of a page, in millimeters, and of text, in points.
const (
	pageMargin = 20
	textSize   = 10.5
	lineHeight = 5.2
	indent     = 6
)

// fallback replaces characters that the fonts lack. They have Latin, Greek, and Cyrillic.
const fallback = '□'

// PDF writes a transcript as a PDF.
func PDF(w io.Writer, markdown []byte, title string, created time.Time) error {
	font, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		return fmt.Errorf("read the font: %w", err)
	}
	p := printer{Fpdf: fpdf.New("P", "mm", "A4", ""), font: font}
	for style, ttf := range map[string][]byte{"": goregular.TTF, "B": gobold.TTF, "I": goitalic.TTF, "BI": gobolditalic.TTF} {
		p.AddUTF8FontFromBytes("text", style, ttf)
		p.AddUTF8FontFromBytes("code", style, gomono.TTF)
	}
	p.SetTitle(p.known(title), true)
	p.SetCreationDate(created)
	p.SetModificationDate(created)
	p.SetMargins(pageMargin, pageMargin, pageMargin)
	p.SetAutoPageBreak(true, pageMargin)
	p.SetFooterFunc(func() {
		p.SetY(-pageMargin / 2)
		p.SetFont("text", "", 8)
		p.CellFormat(0, 4, fmt.Sprint(p.PageNo()), "", 0, "C", false, 0, "")
	})
	p.AddPage()
	for _, b := range blocks(markdown) {
		p.block(b)
	}
	if err := p.Output(w); err != nil {
		return fmt.Errorf("write the PDF: %w", err)
	}
	return nil
}

type printer struct {
	*fpdf.Fpdf

	font   *sfnt.Font
	buffer sfnt.Buffer
}

// known replaces the characters that the fonts lack.
func (p *printer) known(text string) string {
	return strings.Map(func(r rune) rune {
		switch glyph, err := p.font.GlyphIndex(&p.buffer, r); {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case r > 0xffff || err != nil || glyph == 0:
			return fallback
		}
		return r
	}, text)
}

func (p *printer) block(b block) {
	switch b.kind {
	case headingBlock:
		size := max(textSize, 20-2.5*float64(b.level))
		p.Ln(2)
		p.runs(b.runs, size, "B")
		p.Ln(size / 2)
	case tableBlock:
		p.table(b.rows)
	case itemBlock:
		p.indented(b.level, func() {
			p.SetFont("text", "", textSize)
			p.Write(lineHeight, p.known(b.mark)+" ")
			p.SetLeftMargin(p.GetX())
			p.runs(b.runs, textSize, "")
		})
	default:
		p.indented(b.level, func() { p.runs(b.runs, textSize, "") })
	}
}

// indented prints a paragraph.
func (p *printer) indented(level int, print func()) {
	p.SetLeftMargin(pageMargin + float64(min(level, 8))*indent)
	p.SetX(pageMargin + float64(min(level, 8))*indent)
	print()
	p.SetLeftMargin(pageMargin)
	p.Ln(lineHeight + 1.5)
}

// runs prints text from the current position on.
func (p *printer) runs(runs []run, size float64, style string) {
	for _, r := range runs {
		family := "text"
		if r.code {
			family = "code"
		}
		p.SetFont(family, styleOf(r, style), size)
		if r.raised {
			p.SubWrite(lineHeight, p.known(r.text), size*0.7, size*0.35, 0, "")
			continue
		}
		p.Write(max(lineHeight, size/2), p.known(r.text))
	}
}

func styleOf(r run, style string) string {
	if r.bold && style == "" {
		style = "B"
	}
	if r.italic {
		style += "I"
	}
	return style
}

// table prints a table with columns of the same width.
func (p *printer) table(rows [][][]run) {
	width, height := p.GetPageSize()
	width = (width - 2*pageMargin) / float64(max(1, len(rows[0])))
	for i, row := range rows {
		style := ""
		if i == 0 {
			style = "B"
		}
		p.SetFont("text", style, textSize-1)
		texts, most := make([]string, len(row)), 1
		for c, cell := range row {
			for _, r := range cell {
				texts[c] += p.known(strings.ReplaceAll(r.text, "\n", " "))
			}
			most = max(most, len(p.SplitText(texts[c], width-2)))
		}
		if p.GetY()+float64(most)*lineHeight > height-pageMargin {
			p.AddPage()
		}
		x, y := float64(pageMargin), p.GetY()
		for _, said := range texts {
			p.Rect(x, y, width, float64(most)*lineHeight, "D")
			p.SetXY(x, y)
			p.MultiCell(width, lineHeight, said, "", "L", false)
			x += width
		}
		p.SetXY(pageMargin, y+float64(most)*lineHeight)
	}
	p.Ln(lineHeight)
}
