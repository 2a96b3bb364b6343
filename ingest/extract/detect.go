package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/html"
	"docent/ingest/extract/markup"
	"docent/ingest/extract/office"
	"docent/ingest/extract/office/docx"
	"docent/ingest/extract/office/odf"
	"docent/ingest/extract/office/pptx"
	"docent/ingest/extract/office/rtf"
	"docent/ingest/extract/office/xlsx"
	"docent/ingest/extract/picture"
	"docent/ingest/extract/plain"
	"docent/ingest/intake"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// Format is a kind of document with its reader.
type Format struct {
	// Media is the media type.
	Media string
	// read returns the document. An error of kind fault.Invalid says why this
	// one cannot be read.
	read func(ctx context.Context, name string, data []byte) (*outline.Document, error)
}

// textual returns a reader for a format whose reader takes decoded text.
func textual(read func(name, text string) *outline.Document) func(context.Context, string, []byte) (*outline.Document, error) {
	return func(_ context.Context, name string, data []byte) (*outline.Document, error) {
		text, set, err := charset.Decode(data, "")
		if err != nil {
			return nil, err
		}
		doc := read(name, text)
		doc.Charset = set
		return doc, nil
	}
}

// page reads a web page.
func page(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, set, err := charset.DecodePage(data)
	if err != nil {
		return nil, err
	}
	doc, err := html.Read(ctx, text)
	if err != nil {
		return nil, err
	}
	doc.Charset = set
	return doc, nil
}

// The formats.
var (
	formatHTML     = Format{"text/html", page}
	formatMarkdown = Format{"text/markdown", textual(plain.Markdown)}
	formatText     = Format{"text/plain", textual(plain.Text)}
	formatCSV      = Format{"text/csv", textual(plain.CSV)}
	formatJSON     = Format{"application/json", textual(plain.JSON)}
	formatRTF      = Format{"application/rtf", rtf.Read}
	formatSVG      = Format{"image/svg+xml", markup.SVG}
)

// markdownEndings and htmlEndings are file name endings that distinguish kinds
// of text.
var (
	markdownEndings = map[string]bool{".md": true, ".markdown": true, ".mdown": true, ".mkd": true, ".mdx": true, ".qmd": true}
	htmlEndings     = map[string]bool{".html": true, ".htm": true, ".xhtml": true}
)

// sniffLen is the number of bytes from which the format is detected.
const sniffLen = 8 << 10

// detect returns the format of a source. Even with an error, it returns the media
// type if it is known.
func (e *Extractor) detect(ctx context.Context, src intake.Source) (Format, error) {
	head := src.Data[:min(len(src.Data), sniffLen)]
	if len(bytes.TrimSpace(head)) == 0 && len(bytes.TrimSpace(src.Data)) == 0 {
		return Format{Media: "text/plain"}, errEmpty
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf"), []byte(rtf.Signature)) {
		return formatRTF, nil
	}
	if f, ok, err := detectContainer(src, head); ok {
		return f, err
	}
	if charset.IsBinary(head) || isPDF(src.Data) {
		return e.detectBinary(ctx, src)
	}
	return detectText(src, head), nil
}

// pdfSignature begins a PDF. Other bytes may precede it within the first KiB.
var pdfSignature = []byte("%PDF-")

// isPDF reports whether data that looks like text is a PDF. Headers of a mail
// or a web server may precede the signature. In that case the end must be that
// of a PDF too, because a text may mention the signature.
func isPDF(data []byte) bool {
	i := bytes.Index(data[:min(len(data), 1<<10)], pdfSignature)
	if i < 0 {
		return false
	}
	if len(bytes.Trim(data[:i], " \t\r\n\xef\xbb\xbf")) == 0 {
		return true
	}
	tail := data[max(len(data)-1<<10, i):]
	return bytes.Contains(tail, []byte("startxref")) && bytes.Contains(tail, []byte("%%EOF"))
}

// detectBinary detects binary formats by their signatures.
func (e *Extractor) detectBinary(ctx context.Context, src intake.Source) (Format, error) {
	if bytes.Contains(src.Data[:min(len(src.Data), 1<<10)], pdfSignature) {
		return Format{"application/pdf", func(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
			return e.pdf.ReadRecognized(ctx, data, src.Recognized)
		}}, nil
	}
	if media := picture.Media(src.Data); media != "" {
		return Format{media, func(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
			return picture.Read(ctx, data, src.Recognized)
		}}, nil
	}
	if bytes.HasPrefix(src.Data, []byte("PK\x03\x04")) {
		if f, ok, err := detectArchive(ctx, src.Data); ok || err != nil {
			return f, err
		}
	}
	if bytes.HasPrefix(src.Data, []byte(office.OLESignature)) {
		media, err := office.DetectOLE(src.Data)
		return Format{Media: media}, err
	}
	media, _, _ := strings.Cut(mimetype.Detect(src.Data).String(), ";")
	if ending := strings.ToLower(path.Ext(src.Name)); media == "application/octet-stream" && (ending == ".pdf" || ending == ".docx") {
		return Format{Media: media}, fault.New(fault.Invalid,
			"wrong_file_type", "damaged: it is not a %s, although its name says so", strings.ToUpper(ending[1:]))
	}
	return Format{Media: media}, fault.New(fault.Invalid,
		"file_type_unsupported", "binary: docent cannot read documents of type %s", media)
}

// officeReaders are the readers of packed office documents.
var officeReaders = map[office.Family]func(ctx context.Context, name string, data []byte) (*outline.Document, error){
	office.Word:         docx.Read,
	office.Workbook:     xlsx.Read,
	office.Presentation: pptx.Read,
	office.OpenDocument: odf.Read,
}

// detectArchive detects packed documents by the parts they contain.
func detectArchive(ctx context.Context, data []byte) (f Format, ok bool, err error) {
	kind, err := office.DetectArchive(ctx, data)
	return Format{kind.Media, officeReaders[kind.Family]}, kind.Media != "", err
}

// detectText detects the kind of a text by marks in its content, and otherwise
// by its name.
func detectText(src intake.Source, head []byte) Format {
	ending := strings.ToLower(path.Ext(src.Name))
	if f, ok := detectMarkup(src, head); ok {
		return f
	}
	if code := plain.CodeType(src.Name, head); code != "" && code != "text/xml" {
		return Format{code, textual(plain.Code)}
	}
	switch {
	case isHTML(head) || htmlEndings[ending]:
		return formatHTML
	case markdownEndings[ending]:
		return formatMarkdown
	case ending == ".csv" || ending == ".tsv":
		return formatCSV
	case ending == ".svg" || bytes.Contains(head, []byte("<svg")) && startsXML(head):
		return formatSVG
	case ending == ".xml" || startsXML(head):
		return Format{"text/xml", textual(plain.Code)}
	case ending == ".json" || isJSON(src.Data):
		return formatJSON
	case ending == "" || src.Name == "":
		return sniffText(head)
	default:
		return formatText
	}
}

// startsXML reports whether a text begins like XML.
func startsXML(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<?xml")) || bytes.HasPrefix(head, []byte("<svg"))
}

// isJSON reports whether a text is a single object or array.
func isJSON(data []byte) bool {
	data = bytes.TrimSpace(data)
	if len(data) < 2 || data[0] != '{' && data[0] != '[' {
		return false
	}
	return json.Valid(data)
}

// sniffText detects the kind of a text without a file name, such as standard
// input.
func sniffText(head []byte) Format {
	var headings, marks int
	for line := range bytes.Lines(head) {
		switch {
		case bytes.HasPrefix(line, []byte("# ")), bytes.HasPrefix(line, []byte("## ")), bytes.HasPrefix(line, []byte("### ")):
			headings++
		case bytes.HasPrefix(line, []byte("```")), bytes.Contains(line, []byte("](")), bytes.HasPrefix(line, []byte("|-")),
			bytes.HasPrefix(line, []byte("| -")):
			marks++
		}
	}
	if headings > 1 || headings+marks > 2 || headings == 1 && bytes.HasPrefix(head, []byte("# ")) {
		return formatMarkdown
	}
	if media, _, _ := strings.Cut(mimetype.Detect(head).String(), ";"); media == "text/csv" || media == "text/tab-separated-values" {
		return formatCSV
	}
	return formatText
}

// isHTML reports whether a text begins like an HTML page.
func isHTML(head []byte) bool {
	s := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	for range 8 { // skips comments and declarations at the front
		switch {
		case bytes.HasPrefix(s, []byte("<!doctype html")), bytes.HasPrefix(s, []byte("<html")), bytes.HasPrefix(s, []byte("<head")),
			bytes.HasPrefix(s, []byte("<body")):
			return true
		case bytes.HasPrefix(s, []byte("<!--")):
			_, rest, ok := bytes.Cut(s, []byte("-->"))
			if !ok {
				return false
			}
			s = rest
		case bytes.HasPrefix(s, []byte("<?xml")):
			_, rest, ok := bytes.Cut(s, []byte("?>"))
			if !ok {
				return false
			}
			s = rest
		default:
			return false
		}
		s = bytes.TrimLeft(s, " \t\r\n")
	}
	return false
}
