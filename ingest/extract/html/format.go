package html

import (
	"bytes"
	"context"

	"docent/ingest/extract/charset"
	"docent/ingest/format"
	"docent/ingest/outline"
)

var endings = []string{".html", ".htm", ".xhtml"}

// Format is HTML.
var Format = format.Format{
	Info: format.Info{
		Name:      "HTML",
		Group:     format.Web,
		Endings:   endings,
		Media:     "text/html",
		NeverMail: true,
		Version:   10,
		Reads:     "headings, paragraphs, lists, definition lists, tables with headers and captions, preformatted text, alternative texts of images, footnote marks, closed tabs and accordions, boxes of forms as ☑ and ☐, addresses of files and mailboxes; formulas; the bookmarks of browsers with their addresses; of a saved web article and of an exported page of Confluence the main content",
		Leaves:    "navigation, lines of links between pages, menus, dialogs, scripts, styles, forms, hidden elements, struck-out text; menus and teasers beside a web article",
		Limits:    "pages over 8 MiB or 500,000 nodes are read without nesting",
	},
	Match: match,
	Read:  readWebPage,
}

func match(_ context.Context, f *format.File) format.Match {
	switch {
	case !f.IsText():
		return format.Match{}
	case BeginsLikePage(f.Head()):
		return format.Match{Score: format.Named}
	}
	return format.If(f.HasEnding(endings...), format.Likely)
}

// readWebPage reads a web page in the character set that it declares.
func readWebPage(ctx context.Context, f *format.File) (*outline.Document, error) {
	text, set, err := charset.DecodePage(f.Data)
	if err != nil {
		return nil, err
	}
	doc, err := Read(ctx, text)
	if err != nil {
		return nil, err
	}
	doc.Charset = set
	return doc, nil
}

// BeginsLikePage reports whether a text begins like an HTML page.
func BeginsLikePage(head []byte) bool {
	s := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	for range 8 { // skips comments and declarations at the front
		switch {
		case bytes.HasPrefix(s, []byte("<!doctype html")),
			bytes.HasPrefix(s, []byte("<!doctype netscape-bookmark")), bytes.HasPrefix(s, []byte("<html")), bytes.HasPrefix(s, []byte("<head")),
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
