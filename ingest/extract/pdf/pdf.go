// Package pdf reads PDFs, draws their pages, and finds passages on them.
package pdf

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// ScannedError reports a PDF whose pages are pictures without text. It is a
// fault.Invalid. OCR can read the pages that DrawPage draws.
type ScannedError struct {
	// Pages are the indexes of the pages with pictures, counted from 0.
	Pages []int
	err   error
}

// Error returns the message of the fault.
func (e *ScannedError) Error() string { return e.err.Error() }

// Unwrap returns the fault.
func (e *ScannedError) Unwrap() error { return e.err }

// Read reads a PDF page by page. The headings come from the outline of the PDF.
// Without an outline, Read derives them from the sizes and weights of the
// letters. If the PDF is unreadable, the error is fault.Invalid and gives the
// reason. If the pages are pictures, it is a ScannedError.
func (r *Reader) Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	return r.ReadRecognized(ctx, data, nil)
}

// ReadRecognized reads a PDF like Read, and adds the text that OCR found.
// recognized maps page indexes to that text.
func (r *Reader) ReadRecognized(ctx context.Context, data []byte, recognized map[int]string) (*outline.Document, error) {
	f, err := r.read(ctx, data)
	if err != nil {
		return nil, err
	}
	f.recognize(recognized)
	if len(f.pages) > 0 && f.broken == len(f.pages) {
		return nil, fault.New(fault.Invalid, "pdf_pages_damaged", "damaged: none of its %d pages can be read", len(f.pages))
	}
	scanned := f.scanned()
	if n := len(f.nonsense); n > 0 && n*2 > len(f.pages) {
		return nil, NewScannedError(scanned, fault.NewText("fonts_misleading",
			"unreadable: on %d of its %d pages, the fonts show other letters than the text contains; save it again or use OCR", n, len(f.pages)))
	}
	doc := f.document()
	doc.Scanned = scanned
	switch empty := strings.TrimSpace(doc.Text) == ""; {
	case empty && len(scanned) == 0:
		return nil, fault.New(fault.Invalid, "pages_blank", "empty: its pages show nothing")
	case empty:
		return nil, NewScannedError(scanned, fault.NewText("pdf_scanned",
			"no text: its pages are pictures; install tesseract to read them, or add a PDF with text"))
	}
	if err := f.judge(doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// scanned returns the pages without text that OCR may read. They contain only
// pictures, or their fonts have a wrong character map. scanned drops the text
// of the latter.
func (f *pdfFile) scanned() []int {
	var scanned []int
	for i := range f.pages {
		p := &f.pages[i]
		if nonsense(p.lines) {
			*p = rawPage{extra: p.extra, pictures: true}
			f.nonsense = append(f.nonsense, i)
		}
		if p.pictures {
			scanned = append(scanned, i)
		}
	}
	return scanned
}

// document builds the document from the pages.
func (f *pdfFile) document() *outline.Document {
	pages := make([][]line, len(f.pages))
	for i, p := range f.pages {
		pages[i] = p.lines
	}
	dropWatermarks(pages)
	title := pdfTitle(f.title)
	if title == "" {
		title = largestTitle(pages)
	}
	dropRunningLines(pages, f.labels)
	joinDivided(pages)
	b := outline.NewBuilder(f.size)
	marks := pageMarks(f.bookmarks)
	var style *headingStyle
	if len(f.bookmarks) == 0 {
		style = styleOf(pages)
	}
	for i, lines := range pages {
		b.Page = i
		addPage(b, lines, marks[i], style)
		for _, text := range f.pages[i].extra {
			b.Add(outline.Paragraph, 0, "\n\n", text)
		}
	}
	doc := b.Document(title)
	if doc.Title == "" {
		doc.Title = headingTitle(doc)
	}
	doc.PageLabels = f.labels
	doc.SetDate(f.date, corpus.Properties)
	return doc
}

// judge returns an error for a document whose text has no meaning. It adds a
// note about lesser damage.
func (f *pdfFile) judge(doc *outline.Document) error {
	if share := unreadable(doc.Text); share > 0.3 {
		return fault.New(fault.Invalid,
			"fonts_unreadable", "unreadable: its fonts give no meaning to %.0f %% of the characters; save it again or use OCR", share*100)
	} else if share > 0.02 {
		doc.Note = "some characters could not be read"
	}
	if n := f.broken + len(f.nonsense); n > 0 {
		doc.Note = fmt.Sprintf("%d of its %d pages could not be read", n, len(f.pages))
	}
	return nil
}

// unreadable returns the share of replacement characters in a text.
func unreadable(text string) float64 {
	return float64(strings.Count(text, "\uFFFD")) / float64(max(utf8.RuneCountInString(text), 1))
}

// sourceEndings are the endings of the files from which programs make PDFs.
var sourceEndings = strings.Fields(`.pdf .doc .docx .docm .dotx .xls .xlsx .xlsm .xltx .ppt .pptx .ppsx .pptm .odt .ott .ods .ots .odp .otp .odg .rtf
	.html .htm .xhtml .mht .mhtml .xml .svg .tex .latex .ltx .dvi .ps .eps .rst .adoc .asciidoc .org .dita .docbook .man
	.txt .log .md .markdown .csv .tsv .json .ipynb .epub .eml .msg .png .jpg .jpeg .tif .tiff .gif .bmp .webp
	.indd .qxd .qxp .fm .wpd .pub .vsd .vsdx .php .asp .aspx .jsp`)

// isFileName reports whether a title ends like a file name. Programs copy titles
// from the name of the source file.
func isFileName(title string) bool { return slices.Contains(sourceEndings, path.Ext(title)) }

// madeUp are titles that programs give to untitled documents.
var madeUp = []string{
	"untitled", "(anonymous)", "anonymous", "unspecified", "document1", "new document", "powerpoint presentation",
	"no title",
}

var schemed = regexp.MustCompile(`^(?:[a-z][a-z0-9+.-]*://|about:|data:|blob:|mailto:|www\.)\S*$`)

// pdfTitle returns the title in the metadata, unless a program made it up.
func pdfTitle(s string) string {
	s = strings.Join(strings.Fields(outline.Clean(s)), " ")
	low := strings.ToLower(s)
	if len(s) < 3 || slices.Contains(madeUp, low) || schemed.MatchString(low) || isFileName(low) {
		return ""
	}
	for _, program := range []string{"microsoft word", "microsoft powerpoint", "microsoft excel"} {
		if rest, ok := strings.CutPrefix(low, program); ok && (rest == "" || strings.HasPrefix(rest, " - ")) {
			return ""
		}
	}
	return s
}

// headingTitle returns the first heading if it is on the first page and has no
// number. Numbered headings belong to chapters.
func headingTitle(doc *outline.Document) string {
	for _, b := range doc.Blocks {
		if b.Page > 0 {
			break
		}
		if b.Kind != outline.Heading || b.End == b.Start {
			continue
		}
		s := strings.Join(strings.Fields(doc.Text[b.Start:b.End]), " ")
		if r, _ := utf8.DecodeRuneInString(s); len(s) < 3 || unicode.IsDigit(r) {
			break
		}
		return s
	}
	return ""
}

// addPage adds the lines of a page as paragraphs, headings, and table rows.
// style is nil if the headings come from the outline.
func addPage(b *outline.Builder, lines []line, marks map[string]int, style *headingStyle) {
	var cur []string
	longest := 0
	for _, l := range lines {
		longest = max(longest, utf8.RuneCountInString(l.text))
	}
	flush := func() {
		if len(cur) > 0 {
			b.Add(outline.Paragraph, 0, "\n\n", strings.Join(cur, "\n"))
		}
		cur = nil
	}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i].text)
		if line == "" {
			flush()
			continue
		}
		if lines[i].kind != plainLine {
			flush()
			addRow(b, lines[i])
			continue
		}
		level, n := headingAt(lines[i:], marks)
		if n == 0 && style != nil {
			level, n = style.heading(lines, i)
		}
		if n > 0 {
			flush()
			var parts []string
			for _, l := range lines[i : i+n] {
				parts = append(parts, l.text)
			}
			b.Add(outline.Heading, level, "\n\n", strings.Join(parts, "\n"))
			i += n - 1
			continue
		}
		cur = append(cur, lines[i].text)
		if endsParagraph(line, longest) {
			flush()
		}
	}
	flush()
}

// addRow adds a row of a table.
func addRow(b *outline.Builder, l line) {
	kind, separator := outline.Row, "\n"
	if l.fresh {
		separator = "\n\n"
	}
	if l.kind == headerLine {
		kind = outline.Header
	}
	b.Add(kind, 0, separator, l.text)
}

// endsParagraph reports whether a line ends a paragraph. It must end a sentence
// and leave much of the width free.
func endsParagraph(line string, longest int) bool {
	last, _ := utf8.DecodeLastRuneInString(line)
	return strings.ContainsRune(".:!?。！？", last) && utf8.RuneCountInString(line)*10 < longest*8
}
