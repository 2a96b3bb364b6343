// Package export reads the pages in exports of wikis and notebooks that are one file in XML: spaces of
// Confluence, notes of Evernote, and sites of WordPress. Each page becomes a page in HTML.
package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"iter"
	"regexp"
	"strings"
	"time"

	"docent/ingest/extract/part"
	"docent/internal/fault"
)

const (
	// maxPages bounds the pages of an export.
	maxPages = 100_000
	// maxDepth bounds the elements inside each other.
	maxDepth = 64
)

// Is reports whether a file begins like an export.
func Is(head []byte) bool { return kindOf(head) != "" }

// kindOf returns the root element of an export, or "".
func kindOf(head []byte) string {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case !bytes.HasPrefix(head, []byte("<")):
		return ""
	case bytes.Contains(head, []byte("<hibernate-generic")) && bytes.Contains(head, []byte("com.atlassian.confluence")):
		return "hibernate-generic"
	case bytes.Contains(head, []byte("<en-export")):
		return "en-export"
	case bytes.Contains(head, []byte("<rss")) && bytes.Contains(head, []byte("http://wordpress.org/export/")):
		return "rss"
	}
	return ""
}

// page is a page of an export.
type page struct {
	title, body string
	comments    []string
	tags        []string
	changed     time.Time
}

// Pages yields the pages of an export as pages in HTML. An error is yielded once and last.
func Pages(ctx context.Context, data []byte) iter.Seq2[part.Part, error] {
	return func(yield func(part.Part, error) bool) {
		n := 0
		add := func(p page) bool {
			if n++; n > maxPages || ctx.Err() != nil {
				return false
			}
			name := strings.ReplaceAll(cmp.Or(p.title, "page"), "/", "_") + ".html"
			return yield(part.Part{Name: part.Clean(name), Data: p.html(), Modified: p.changed}, nil)
		}
		d := xml.NewDecoder(bytes.NewReader(data))
		d.Strict, d.Entity = false, xml.HTMLEntity
		d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
		var err error
		switch kindOf(data[:min(len(data), 64<<10)]) {
		case "hibernate-generic":
			err = confluence(d, add)
		case "en-export":
			err = records(d, "note", evernote, add)
		case "rss":
			err = records(d, "item", wordpress, add)
		}
		if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
			yield(part.Part{}, fault.Wrap(fault.Invalid, err, "export_damaged", "damaged: the export cannot be read to its end; export it again"))
		}
	}
}

// html returns the page in HTML.
func (p page) html() []byte {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>" + html.EscapeString(p.title) + "</title>")
	if len(p.tags) > 0 {
		b.WriteString("<meta name=\"keywords\" content=\"" + html.EscapeString(strings.Join(p.tags, ", ")) + "\">")
	}
	if !p.changed.IsZero() {
		b.WriteString("<meta property=\"article:modified_time\" content=\"" + p.changed.Format(time.RFC3339) + "\">")
	}
	b.WriteString("</head><body><h1>" + html.EscapeString(p.title) + "</h1>\n" + p.body)
	if len(p.comments) > 0 {
		b.WriteString("\n<h2>Comments</h2>\n")
		for _, c := range p.comments {
			b.WriteString("<div>" + c + "</div>\n")
		}
	}
	b.WriteString("</body></html>")
	return b.Bytes()
}

// fields are the texts of the elements in a record, by name. Those of equal names are a list.
type fields map[string][]string

func (f fields) first(name string) string {
	if len(f[name]) == 0 {
		return ""
	}
	return strings.TrimSpace(f[name][0])
}

// records reads the elements of a name, each as a page.
func records(d *xml.Decoder, name string, pageOf func(fields) (page, bool), add func(page) bool) error {
	for {
		token, err := d.Token()
		if err != nil {
			return err //nolint:wrapcheck // io.EOF, or wrapped by the caller
		}
		if start, ok := token.(xml.StartElement); !ok || start.Name.Local != name {
			continue
		}
		f, err := readFields(d)
		if err != nil {
			return err
		}
		if p, ok := pageOf(f); ok && !add(p) {
			return nil
		}
	}
}

// readFields reads the elements up to the end of the open one.
func readFields(d *xml.Decoder) (fields, error) {
	f := fields{}
	var text strings.Builder
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return nil, err //nolint:wrapcheck // io.EOF, or wrapped by the caller
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return nil, errors.New("too many elements inside each other")
			}
			if t.Name.Local == "resource" || t.Name.Local == "postmeta" { // pictures, and settings of plug-ins
				if err := d.Skip(); err != nil {
					return nil, err //nolint:wrapcheck // see above
				}
				depth--
			}
			text.Reset()
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			if depth--; depth < 0 {
				return f, nil
			}
			key := t.Name.Local
			if key == "encoded" && strings.Contains(t.Name.Space, "excerpt") {
				key = "excerpt"
			}
			if len(f[key]) < 1000 {
				f[key] = append(f[key], text.String())
			}
			text.Reset()
		}
	}
}

// evernote returns a note.
func evernote(f fields) (page, bool) {
	p := page{title: f.first("title"), tags: f["tag"]}
	body := f.first("content")
	if _, inner, ok := strings.Cut(body, "<en-note"); ok { // some programs leave it out
		_, inner, _ = strings.Cut(inner, ">")
		body, _, _ = strings.Cut(inner, "</en-note>")
	}
	p.body = strings.NewReplacer(
		`<en-todo checked="true"/>`, "☑ ", `<en-todo checked="true" />`, "☑ ",
		`<en-todo checked="false"/>`, "☐ ", `<en-todo checked="false" />`, "☐ ",
		"<en-todo/>", "☐ ", "<en-todo />", "☐ ").Replace(body)
	p.changed = timeOf(cmp.Or(f.first("updated"), f.first("created")))
	return p, strings.TrimSpace(body) != ""
}

// wordpress returns a page or a post that is published.
func wordpress(f fields) (page, bool) {
	p := page{title: f.first("title"), body: paragraphs(withoutCodes(f.first("encoded"))), tags: f["category"]}
	for _, name := range []string{"post_modified_gmt", "post_date_gmt", "post_date"} {
		if p.changed.IsZero() {
			p.changed = timeOf(f.first(name))
		}
	}
	authors, approved := f["comment_author"], f["comment_approved"]
	for i, c := range f["comment_content"] {
		if len(approved) == len(f["comment_content"]) && strings.TrimSpace(approved[i]) != "1" {
			continue // waiting, spam, or deleted
		}
		if len(authors) == len(f["comment_content"]) && strings.TrimSpace(authors[i]) != "" {
			c = "<b>" + html.EscapeString(strings.TrimSpace(authors[i])) + ":</b> " + c
		}
		p.comments = append(p.comments, "<p>"+c+"</p>")
	}
	kind := f.first("post_type")
	return p, p.body != "" && f.first("status") != "draft" && f.first("status") != "trash" && f.first("status") != "private" &&
		kind != "attachment" && kind != "nav_menu_item" && kind != "revision"
}

// shortcode matches a mark of WordPress, such as [caption id="a"] and [/caption].
var shortcode = regexp.MustCompile(`\[(/?)([a-z][\w-]{1,40})((?:\s+[\w-]+=(?:"[^"\]]*"|'[^'\]]*'|[^\s"'\]]+))*)\s*/?\]`)

// withoutCodes returns a text of WordPress without its shortcodes. The text between two of them stays.
func withoutCodes(text string) string {
	return shortcode.ReplaceAllStringFunc(text, func(code string) string {
		m := shortcode.FindStringSubmatch(code)
		closes, name, options := m[1] != "", m[2], m[3]
		switch {
		case strings.HasSuffix(name, "caption") && (closes || options != ""):
			return "<" + m[1] + "p>"
		case closes || options != "" || strings.Contains(text, "[/"+name+"]") || name == "gallery" || name == "more":
			return ""
		}
		return code
	})
}

// paragraphs returns a text of WordPress, in which an empty line ends a paragraph, as HTML.
func paragraphs(text string) string {
	if strings.Contains(text, "<p>") || strings.Contains(text, "<p ") {
		return text
	}
	return "<p>" + strings.Join(strings.Split(strings.TrimSpace(text), "\n\n"), "</p><p>") + "</p>"
}

// timeOf reads a time as exports write it.
func timeOf(s string) time.Time {
	for _, layout := range []string{"20060102T150405Z", "2006-01-02 15:04:05.999", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
