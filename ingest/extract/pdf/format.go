package pdf

import (
	"bytes"
	"context"

	"docent/ingest/format"
)

// Format is PDF. A Reader reads it.
var Format = format.Format{
	Info: format.Info{
		Name:    "PDF",
		Group:   format.Office,
		Endings: []string{".pdf"},
		Media:   "application/pdf",
		Version: 4,
		Reads:   "text in reading order, headings from the outline or the letter sizes, tables also with turned headers, page labels, values of form fields, notes; attachments as documents, also those of portfolios; of scanned pages the recognized text, with `tesseract` or a vision model",
		Leaves:  "running headers and footers, also those of chapters and of left and right pages; watermarks; pictures beside text",
		Limits:  "20,000 pages; 200 scanned pages; PDFs that need a password are not read",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(isPDF(f.Data) || !f.IsText() && bytes.Contains(front(f.Data), signature), format.Sure)
	},
}

// signature begins a PDF. Other bytes may precede it within the front.
var signature = []byte("%PDF-")

// front returns the first KiB.
func front(data []byte) []byte { return data[:min(len(data), 1<<10)] }

// isPDF reports whether data that looks like text is a PDF. Headers of a mail
// or a web server may precede the signature. In that case the end must be that
// of a PDF too, because a text may mention the signature.
func isPDF(data []byte) bool {
	i := bytes.Index(front(data), signature)
	if i < 0 {
		return false
	}
	if len(bytes.Trim(data[:i], " \t\r\n\xef\xbb\xbf")) == 0 {
		return true
	}
	tail := data[max(len(data)-1<<10, i):]
	return bytes.Contains(tail, []byte("startxref")) && bytes.Contains(tail, []byte("%%EOF"))
}
