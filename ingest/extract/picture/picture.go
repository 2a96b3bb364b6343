// Package picture treats pictures as documents whose pages OCR in another package reads.
// Only a TIFF has several pages.
package picture

import (
	"bytes"
	"context"
	"image"
	_ "image/gif"  // decodes
	_ "image/jpeg" // decodes
	"image/png"

	_ "golang.org/x/image/bmp" // decodes
	"golang.org/x/image/draw"
	"golang.org/x/image/tiff"
	_ "golang.org/x/image/webp" // decodes

	"docent/ingest/extract/pdf"
	"docent/ingest/outline"
	"docent/internal/fault"
)

const (
	// maxPixels bounds the pixels of a picture. 40 megapixels take 160 MB of
	// memory.
	maxPixels = 40 << 20
	// minSide is the minimum width and height of a picture with text.
	minSide = 16
)

// signatures are the first bytes of the supported formats, by media type.
var signatures = []struct{ begins, media string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"BM", "image/bmp"},
	{"II*\x00", "image/tiff"},
	{"MM\x00*", "image/tiff"},
}

// Media returns the media type of a picture. It returns "" for data in an
// unsupported format.
func Media(data []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.begins)) {
			if s.media == "image/bmp" && !isBitmap(data) {
				continue
			}
			return s.media
		}
	}
	if len(data) > 12 && bytes.HasPrefix(data, []byte("RIFF")) && string(data[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}

// isBitmap checks more than the signature of bitmaps, which has only two
// letters.
func isBitmap(data []byte) bool {
	_, format, err := image.DecodeConfig(bytes.NewReader(data))
	return err == nil && format == "bmp"
}

// Read returns a document with the text of a picture. If recognized is nil, the
// error is a *pdf.ScannedError.
func Read(_ context.Context, data []byte, recognized map[int]string) (*outline.Document, error) {
	if _, err := size(data); err != nil {
		return nil, err
	}
	all := make([]int, pages(data))
	total := 0
	for i := range all {
		all[i] = i
		total += len(recognized[i])
	}
	if recognized == nil {
		return nil, pdf.NewScannedError(all, fault.NewText("picture_unread",
			"no text: it is a picture; install tesseract on this machine to read the text in it"))
	}
	b := outline.NewBuilder(total)
	for i := range all {
		b.Page = i
		b.AddParagraphs(recognized[i])
	}
	return b.Document(""), nil
}

// smallPixels is the number of pixels below which a picture is no scan: a page of A4 has more even at 72
// dots per inch.
const smallPixels = 500 * 700

// IsSmall reports whether a file is a picture that is too small for a page of text, such as an icon or a figure.
func IsSmall(data []byte) bool {
	if Media(data) == "" {
		return false
	}
	cfg, err := decodeConfig(data)
	return err == nil && cfg.Width*cfg.Height < smallPixels
}

// decodeConfig returns the size of a picture.
func decodeConfig(data []byte) (image.Config, error) {
	if Media(data) == "image/tiff" {
		// The package image hides from the decoder that it can read at any place. The
		// decoder would then allocate as many bytes as an offset in the file says.
		return tiff.DecodeConfig(bytes.NewReader(data))
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	return cfg, err
}

// decode returns the pixels of a picture.
func decode(data []byte) (image.Image, error) {
	if Media(data) == "image/tiff" {
		return tiff.Decode(bytes.NewReader(data))
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	return img, err
}

// size returns the size of a picture. It fails if the picture is too large.
func size(data []byte) (image.Config, error) {
	cfg, err := decodeConfig(data)
	switch {
	case err != nil:
		return cfg, fault.Wrap(fault.Invalid, err, "picture_damaged", "damaged: the picture cannot be decoded")
	case cfg.Width < minSide || cfg.Height < minSide:
		return cfg, fault.New(fault.Invalid,
			"picture_too_small", "empty: a picture of %d × %d pixels shows no text", cfg.Width, cfg.Height)
	case cfg.Width > maxPixels/cfg.Height:
		return cfg, fault.New(fault.Invalid,
			"picture_too_large", "too large: it has %d × %d pixels; make it smaller and add it again", cfg.Width, cfg.Height)
	}
	return cfg, nil
}

// Page returns a page of a picture. Only a TIFF has several. The size is in pixels, of the
// upright picture.
func Page(data []byte, index int) (*pdf.Page, error) {
	one, ok := frame(data, index)
	if !ok {
		return nil, noPage(data, index)
	}
	cfg, err := size(one)
	if err != nil {
		return nil, err
	}
	if orientation(one) >= 5 {
		cfg.Width, cfg.Height = cfg.Height, cfg.Width
	}
	return &pdf.Page{Index: index, Pages: pages(data), Width: float64(cfg.Width), Height: float64(cfg.Height)}, nil
}

func noPage(data []byte, index int) error {
	return fault.New(fault.NotFound, "no_page_of_picture", "there is no page %d; the picture has %d, counted from 0", index, pages(data))
}

// Draw returns a page of a picture as PNG, upright and at most width pixels wide. It also
// returns the number of pages.
func Draw(data []byte, index, width int) (drawn []byte, n int, err error) {
	one, ok := frame(data, index)
	if !ok {
		return nil, 0, noPage(data, index)
	}
	if _, err := size(one); err != nil {
		return nil, 0, err
	}
	img, err := decode(one)
	if err != nil {
		return nil, 0, fault.Wrap(fault.Invalid, err, "picture_damaged", "damaged: the picture cannot be decoded")
	}
	bounds, turned := img.Bounds(), orientation(one)
	wide, high := bounds.Dx(), bounds.Dy()
	if turned >= 5 {
		wide, high = high, wide
	}
	width = min(max(width, pdf.MinPageWidth), pdf.MaxPageWidth, wide)
	height := max(1, high*width/wide)
	target := image.Rect(0, 0, width, height)
	if turned >= 5 {
		target = image.Rect(0, 0, height, width)
	}
	to := image.NewRGBA(target)
	draw.Draw(to, to.Bounds(), image.White, image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(to, to.Bounds(), img, bounds, draw.Over, nil)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, upright(to, turned)); err != nil {
		return nil, 0, fault.Wrap(fault.Internal, err, "picture_not_drawn", "the picture cannot be drawn")
	}
	return b.Bytes(), pages(data), nil
}
