package pdf

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"math"

	"docent/ingest/extract/pdf/pdfium"
	"docent/internal/fault"
)

// The limits of drawing a page.
const (
	// MinPageWidth is the minimum width of a drawn page, in pixels.
	MinPageWidth = 200
	// MaxPageWidth is the maximum width of a drawn page, in pixels.
	MaxPageWidth = 2400
	// maxPagePixels bounds a drawn page. A very long page that would exceed it
	// is drawn smaller. A4 has 8.1 million pixels at the maximum width.
	maxPagePixels = 8 << 20
	// maxPageSide bounds each side of a drawn page, because browsers do not
	// display longer ones.
	maxPageSide = 16 << 10
	// maxPageLetters bounds the characters of a page that are searched for a
	// passage.
	maxPageLetters = 50_000
	// PageDrawers is the number of pages that are drawn or read at the same time.
	// It does not include ingestion.
	PageDrawers = 2
)

// Page is a PDF page as displayed: rotated and cropped.
type Page struct {
	// Index counts from 0.
	Index int
	// Pages is the number of pages of the PDF.
	Pages int
	// Label is the printed page number, or "".
	Label string
	// Width is the width of the displayed page, in points.
	Width float64
	// Height is the height of the displayed page, in points.
	Height float64

	letters []letter
}

// ReadPage returns the positions of the letters on a page of a PDF. It fails
// with fault.NotFound if the page does not exist, and with fault.Invalid if the
// PDF cannot be read.
func (r *Reader) ReadPage(ctx context.Context, data []byte, index int) (*Page, error) {
	var page *Page
	err := r.onPage(ctx, data, index, func(ctx context.Context, doc *pdfium.Document, at *pdfium.Page) (err error) {
		if page, err = sizedPage(ctx, at, index); err != nil {
			return err
		}
		page.Pages = doc.Pages
		if page.Label, err = doc.Label(ctx, index); err != nil {
			return brokenPage(err)
		}
		page.letters, err = readLetters(ctx, at, page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// DrawPage draws a page of a PDF as PNG on white, width pixels wide. It also
// returns the number of pages. Widths are limited to the range from
// MinPageWidth to MaxPageWidth.
func (r *Reader) DrawPage(ctx context.Context, data []byte, index, width int) (drawn []byte, pages int, err error) {
	width = min(max(width, MinPageWidth), MaxPageWidth)
	var img image.Image
	err = r.onPage(ctx, data, index, func(ctx context.Context, doc *pdfium.Document, at *pdfium.Page) error {
		pages = doc.Pages
		page, err := sizedPage(ctx, at, index)
		if err != nil {
			return err
		}
		w, h := pixels(page.Width, page.Height, width)
		img, err = render(ctx, at, w, h)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		return nil, 0, fault.Wrap(fault.Internal, err, "page_not_drawn", "the page cannot be drawn")
	}
	return b.Bytes(), pages, nil
}

// onPage calls do with a page of a PDF.
func (r *Reader) onPage(ctx context.Context, data []byte, index int,
	do func(context.Context, *pdfium.Document, *pdfium.Page) error,
) error {
	return r.drawing.inside(ctx, r.pageTimeout, func(ctx context.Context) error {
		return r.drawing.open(ctx, data, func(ctx context.Context, doc *pdfium.Document) error {
			if index < 0 || index >= doc.Pages {
				return fault.New(fault.NotFound, "no_page", "there is no page %d; the document has %d, counted from 0", index, doc.Pages)
			}
			page, err := doc.Load(ctx, index)
			if err != nil {
				return brokenPage(err)
			}
			return do(ctx, doc, page)
		})
	})
}

// sizedPage is a page with its size as displayed.
func sizedPage(ctx context.Context, at *pdfium.Page, index int) (*Page, error) {
	w, h, err := at.Size(ctx)
	if err != nil {
		return nil, brokenPage(err)
	}
	if !(w > 0 && h > 0) || math.IsInf(w+h, 0) {
		return nil, fault.New(fault.Invalid, "page_without_size", "damaged: the page has no size")
	}
	return &Page{Index: index, Width: w, Height: h}, nil
}

func brokenPage(err error) error {
	return fault.Wrap(fault.Invalid, err, "page_damaged", "damaged: the page cannot be read")
}

// pixels returns the size of a page drawn with a width. It is smaller if the
// page would have too many pixels or too long a side.
func pixels(width, height float64, wanted int) (w, h int) {
	x, y := float64(wanted), height/width*float64(wanted)
	shrink := min(1, math.Sqrt(maxPagePixels/(x*y)), maxPageSide/x, maxPageSide/y)
	side := func(v float64) int { return int(min(max(math.Round(v*shrink), 1), maxPageSide)) }
	w, h = side(x), side(y)
	if w*h > maxPagePixels { // rounded up
		w, h = min(w, maxPagePixels/h), min(h, maxPagePixels/w)
	}
	return w, h
}

// render draws a page with its annotations. A page without colors becomes a
// grayscale image.
func render(ctx context.Context, page *pdfium.Page, w, h int) (image.Image, error) {
	pixels, stride, err := page.Draw(ctx, w, h)
	if err != nil {
		return nil, brokenPage(err)
	}
	return copyPixels(pixels, stride, w, h), nil
}

// copyPixels copies the pixels out of the sandbox's memory, which is freed with
// the sandbox.
func copyPixels(from []byte, stride, w, h int) image.Image {
	if grey(from, stride, w, h) {
		img := image.NewGray(image.Rect(0, 0, w, h))
		for y := range h {
			row, to := from[y*stride:], img.Pix[y*img.Stride:]
			for x := range w {
				to[x] = row[4*x]
			}
		}
		return img
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		to := img.Pix[y*img.Stride : y*img.Stride+4*w]
		copy(to, from[y*stride:])
		for x := 3; x < len(to); x += 4 {
			to[x] = 0xFF
		}
	}
	return img
}

// grey reports whether the pixels have no color.
func grey(pix []byte, stride, w, h int) bool {
	for y := range h {
		for row := pix[y*stride : y*stride+4*w]; len(row) > 0; row = row[4:] {
			if row[0] != row[1] || row[1] != row[2] {
				return false
			}
		}
	}
	return true
}
