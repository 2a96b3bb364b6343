// Package djvu reads scanned books in DjVu from the text that another program takes out of them.
package djvu

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"docent/ingest/extract/office"
	"docent/ingest/format"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// Media is the media type of DjVu.
const Media = "image/vnd.djvu"

// maxPages bounds the pages of a document.
const maxPages = 20000

// Format is DjVu.
var Format = format.Format{
	Info: format.Info{
		Name: "DjVu", Group: format.Books,
		Endings: []string{".djvu", ".djv"},
		Media:   Media,
		Reads:   "the text that the file has for each page, with `djvutxt`",
		Leaves:  "pictures of the pages; pages without recognized text",
		Limits:  "skipped without `djvutxt`",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(Is(f.Data), format.Sure)
	},
	Read: func(_ context.Context, f *format.File) (*outline.Document, error) { return Read(f.Recognized) },
}

// Is reports whether a file begins like DjVu.
func Is(data []byte) bool {
	return len(data) > 16 && bytes.HasPrefix(data, []byte("AT&TFORM")) && bytes.HasPrefix(data[12:], []byte("DJV"))
}

// Read returns a document with the text of each page. If pages is nil, the error wraps an
// *office.LegacyError: another program must first take out the text.
func Read(pages map[int]string) (*outline.Document, error) {
	if pages == nil {
		return nil, &fault.Fault{Kind: fault.Invalid, Err: &office.LegacyError{Media: Media}, Text: fault.NewText("djvu_unread",
			"no text: DjVu needs djvutxt on this machine (Debian: apt install djvulibre-bin)")}
	}
	b := outline.NewBuilder(0)
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		if page >= 0 && page < maxPages {
			b.Page = page
			b.AddParagraphs(pages[page])
		}
	}
	return b.Document(""), nil
}
