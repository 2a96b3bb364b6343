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

// Limits of showing a page.
const (
	// MinPageWidth is the smallest width a page is drawn in, in pixels.
	MinPageWidth = 200
	// MaxPageWidth is the largest.
	MaxPageWidth = 2400
	// maxPagePixels bounds a drawn page: one that would have more, as it is
	// very long, is drawn smaller. A4 in the largest width has 8.1 million.
	maxPagePixels = 8 << 20
	// maxPageSide bounds each side of a drawn page: browsers show none longer.
	maxPageSide = 16 << 10
	// maxPageLetters bounds the characters of a page that are looked at for a
	// passage.
	maxPageLetters = 50_000
	// PageDrawers is how many pages are drawn or read at once, beside what is
	// being ingested.
	PageDrawers = 2
)

// Page is a page of a PDF as it is shown: turned and cropped.
type Page struct {
	// Index counts from 0.
	Index int
	// Pages is how many the PDF has.
	Pages int
	// Label is the page as printed, "" if it has no label.
	Label string
	// Width is in points, as is Height.
	Width float64
	// Height is that of the page as shown.
	Height float64

	letters []letter
}

// ReadPage reads where the letters of a PDF's page are. A page that does not
// exist is fault.NotFound, a PDF that cannot be read is fault.Invalid.
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

// DrawPage draws a PDF's page in a width as PNG, on white, and tells how many
// pages there are. Widths beyond MinPageWidth and MaxPageWidth become those.
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

// onPage works on a page of a PDF.
func (r *Reader) onPage(ctx context.Context, data []byte, index int,
	do func(context.Context, *pdfium.Document, *pdfium.Page) error,
) error {
	return r.drawing.inside(ctx, r.pageTimeout, func(ctx context.Context) error {
		return r.drawing.open(ctx, data, func(ctx context.Context, doc *pdfium.Document) error {
			if index < 0 || index >= doc.Pages {
				return fault.New(fault.NotFound, "no_page", "there is no page %d: it has %d, counted from 0", index, doc.Pages)
			}
			page, err := doc.Load(ctx, index)
			if err != nil {
				return brokenPage(err)
			}
			return do(ctx, doc, page)
		})
	})
}

// sizedPage is a page with its size as shown.
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

// pixels is how large a page is drawn that is to have a width: smaller, if it
// had too many pixels or too long a side.
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

// render draws a page with what is annotated on it; a page without colours
// becomes an image without them.
func render(ctx context.Context, page *pdfium.Page, w, h int) (image.Image, error) {
	pixels, stride, err := page.Draw(ctx, w, h)
	if err != nil {
		return nil, brokenPage(err)
	}
	return copyPixels(pixels, stride, w, h), nil
}

// copyPixels takes the pixels out of the sandbox's memory, which ends with it.
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

// grey reports whether pixels have no colour.
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
