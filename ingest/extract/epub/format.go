package epub

import (
	"context"

	"docent/ingest/format"
)

// Format is EPUB books.
var Format = format.Format{
	Info: format.Info{
		Name:    "EPUB",
		Group:   format.Books,
		Endings: []string{".epub"},
		Media:   "application/epub+zip",
		Version: 2,
		Packed:  true,
		Reads:   "authors, and the chapters in reading order, as HTML; headings of the table of contents",
		Leaves:  "the cover, the table of contents, pictures",
		Limits:  "10,000 chapters; protected books are not read",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		if !f.IsZip() {
			return format.Match{}
		}
		a, err := f.Zip()
		return format.If(err == nil && Is(a), format.Sure)
	},
	Read: format.Bytes(Read),
}
