package picture

import (
	"context"

	"docent/ingest/format"
	"docent/ingest/outline"
)

// Format is pictures with text.
var Format = format.Format{
	Info: format.Info{
		Name: "Picture", Short: "PNG, JPEG, TIFF, GIF, BMP, WebP",
		Group:   format.Pictures,
		Endings: []string{".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp", ".webp"},
		Media:   "image/…",
		Unit:    format.Image,
		Version: 2,
		Reads:   "the recognized text, also of turned pictures and of all pages of a TIFF, with `tesseract` or a vision model",
		Leaves:  "objects in the picture; frames of a GIF after the first",
		Limits:  "40 megapixels; not read without either",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		if f.IsText() {
			return format.Match{}
		}
		media := Media(f.Data)
		m := format.If(media != "", format.Sure)
		m.Media = media
		return m
	},
	Read: func(ctx context.Context, f *format.File) (*outline.Document, error) {
		return Read(ctx, f.Data, f.Recognized)
	},
}
