package office

import (
	"bytes"
	"context"

	"docent/ingest/format"
	"docent/internal/fault"
)

// AppleFormat is documents of Pages, Numbers, and Keynote with a preview in PDF. Their own
// content has no public description.
var AppleFormat = format.Format{
	Info: format.Info{
		Name: "Pages, Numbers, and Keynote", Short: "iWork",
		Group:   format.Office,
		Endings: []string{".pages", ".numbers", ".key"},
		Media:   "application/vnd.apple.iwork",
		Packed:  true,
		Reads:   "the preview in the document, as PDF",
		Leaves:  "all that the preview does not show",
		Limits:  "without a preview in PDF, which current versions rarely write, not read: export the document as PDF",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		if f.IsText() || !f.IsZip() || !f.HasEnding(".pages", ".numbers", ".key", "") {
			return format.Match{}
		}
		data, err := Preview(f)
		return format.If(err == nil && data != nil, format.Sure)
	},
}

// Preview returns the PDF in a document of Pages, Numbers, or Keynote.
func Preview(f *format.File) ([]byte, error) {
	a, err := f.Zip()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"QuickLook/Preview.pdf", "preview.pdf"} {
		if !a.Has(name) {
			continue
		}
		if data, err := a.Part(name); err == nil && bytes.HasPrefix(data, []byte("%PDF-")) {
			return data, nil
		}
	}
	return nil, errApple
}

var errApple = fault.New(fault.Invalid,
	"iwork_document", "binary: a document of Pages, Numbers or Keynote; export it as PDF or to an Office format")
