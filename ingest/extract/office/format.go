// Package office recognizes the office documents that docent does not read, or only
// after a conversion. The packages below this one read the others.
package office

import (
	"context"
	"strings"

	"docent/ingest/extract/office/ooxml"
	"docent/ingest/format"
	"docent/internal/fault"
)

// PackedFormat is packed office documents that docent cannot read.
var PackedFormat = format.Format{
	Info:  format.Info{Media: "application/zip"},
	Match: matchPacked,
}

func matchPacked(ctx context.Context, f *format.File) format.Match {
	if f.IsText() || !f.IsZip() {
		return format.Match{}
	}
	a, err := f.Zip()
	if err != nil {
		return format.Match{Score: format.Sure, Err: err}
	}
	if a.Has("index.apxl") || a.Has("index.xml") || a.Has("index.xml.gz") || a.Has("Index/Document.iwa") || a.Has("Index.zip") {
		return format.Match{Score: format.Likely, Media: "application/vnd.apple.iwork", Err: errApple}
	}
	_, kind, err := ooxml.MainType(ctx, f)
	switch {
	case err != nil:
		return format.Match{Score: format.Sure, Err: err}
	case strings.Contains(kind, "ms-excel.sheet.binary"):
		return format.Match{Score: format.Sure, Media: "application/vnd.ms-excel.sheet.binary.macroenabled.12", Err: fault.New(fault.Invalid,
			"excel_binary", "binary: a binary workbook of Excel; save it as .xlsx")}
	}
	return format.Match{}
}

// WordFormat is Word 97–2003. It also matches the other files of Office 2003 and
// earlier. LibreOffice converts them.
var WordFormat = format.Format{
	Info: format.Info{
		Name: "Word 97–2003", Short: "DOC",
		Group:   format.Office,
		Endings: []string{".doc"},
		Media:   "application/msword",
		Convert: "docx",
		Reads:   "as Word, converted by LibreOffice",
		Leaves:  "as Word",
		Limits:  "not read without LibreOffice",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		if f.IsText() || !strings.HasPrefix(string(f.Head()), OLESignature) {
			return format.Match{}
		}
		media, err := DetectOLE(f.Data)
		return format.Match{Score: format.Sure, Media: media, Err: err}
	},
}

// The other converted formats.
var (
	ExcelFormat = format.Format{Info: format.Info{
		Name: "Excel 97–2003", Short: "XLS",
		Group:   format.Office,
		Endings: []string{".xls"},
		Media:   "application/vnd.ms-excel",
		Unit:    format.Sheet,
		Convert: "xlsx",
		Reads:   "as Excel, converted by LibreOffice",
		Leaves:  "as Excel",
		Limits:  "not read without LibreOffice",
	}}
	PowerPointFormat = format.Format{Info: format.Info{
		Name: "PowerPoint 97–2003", Short: "PPT",
		Group:   format.Office,
		Endings: []string{".ppt"},
		Media:   "application/vnd.ms-powerpoint",
		Unit:    format.Slide,
		Convert: "pptx",
		Reads:   "as PowerPoint, converted by LibreOffice",
		Leaves:  "as PowerPoint",
		Limits:  "not read without LibreOffice",
	}}
)
