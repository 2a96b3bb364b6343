package ebook

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	stdhtml "html"
	"io"
	"regexp"
	"strings"
	"time"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/html"
	"docent/ingest/extract/metadata"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// encoding is the character set in the declaration of XML.
var encoding = regexp.MustCompile(`^[^>]{0,100}encoding=["']([\w-]+)["']`)

// Fiction reads a book in FictionBook.
func Fiction(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	declared := ""
	if m := encoding.FindSubmatch(data[:min(len(data), 200)]); m != nil {
		declared = string(m[1])
	}
	text, set, err := charset.Decode(data, declared)
	if err != nil {
		return nil, err
	}
	b := &fiction{}
	b.page.WriteString("<html><body>")
	if err := b.read(ctx, text); err != nil && (ctx.Err() != nil || b.page.Len() < 100) {
		return nil, err // otherwise the text before the damage counts
	}
	doc, err := html.Read(ctx, b.page.String())
	if err != nil {
		return nil, err
	}
	doc.Title = strings.Join(strings.Fields(b.title.String()), " ")
	doc.SetDate(cmp.Or(b.written, b.published), corpus.Properties)
	doc.Charset = set
	return doc, nil
}

// elements are the elements of HTML for those of FictionBook. The others are left out,
// but not their text.
var elements = map[string]string{
	"p": "p", "v": "p", "text-author": "p", "date": "p", "cite": "blockquote", "epigraph": "blockquote", "strong": "b", "emphasis": "i",
	"strikethrough": "s", "sub": "sub", "sup": "sup", "code": "code", "table": "table", "tr": "tr", "td": "td", "th": "th", "a": "span",
}

// fiction is the state of reading a book. It writes the book as HTML.
type fiction struct {
	page               strings.Builder
	stack              []string
	title, name        strings.Builder
	authors            []string
	written, published time.Time
	sections           int
	heading            int // open elements title and subtitle
}

// read reads the elements of a book.
func (b *fiction) read(ctx context.Context, text string) error {
	r := zipxml.NewReader([]byte(text))
	d := xml.NewDecoder(r)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.Next()
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.Wrap(fault.Invalid, err, "xml_damaged", "damaged: the XML is not well-formed")
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(b.stack) >= zipxml.MaxDepth {
				return fault.New(fault.Invalid, "nested_too_deeply", "damaged: it is nested too deeply")
			}
			b.start(t)
		case xml.EndElement:
			b.end(t.Name.Local)
		case xml.CharData:
			b.chars(string(t))
		}
	}
}

// within reports whether an element is open.
func (b *fiction) within(name string) bool {
	for _, open := range b.stack {
		if open == name {
			return true
		}
	}
	return false
}

func (b *fiction) start(t xml.StartElement) {
	name := t.Name.Local
	b.stack = append(b.stack, name)
	if b.within("description") {
		if name == "date" {
			at := metadata.ParseDate(zipxml.Attr(t, "value"))
			if b.within("title-info") {
				b.written = at
			} else {
				b.published = at
			}
		}
		return
	}
	switch name {
	case "body":
		for _, author := range b.authors {
			fmt.Fprintf(&b.page, "<p>%s</p>", stdhtml.EscapeString(author))
		}
		b.authors = nil
		if label := zipxml.Attr(t, "name"); label != "" {
			fmt.Fprintf(&b.page, "<h1>%s</h1>", stdhtml.EscapeString(label))
		}
	case "section":
		b.sections++
	case "title", "subtitle":
		if b.heading++; b.heading == 1 {
			level := min(max(b.sections, 1), 6)
			if name == "subtitle" {
				level = min(level+1, 6)
			}
			fmt.Fprintf(&b.page, "<h%d>", level)
		}
	default:
		if tag := elements[name]; tag != "" && b.heading == 0 {
			b.page.WriteString("<" + tag + ">")
		}
	}
}

// end closes an element and those inside it that are still open.
func (b *fiction) end(name string) {
	if !b.within(name) {
		return
	}
	for {
		last := b.stack[len(b.stack)-1]
		b.close(last)
		b.stack = b.stack[:len(b.stack)-1]
		if last == name {
			return
		}
	}
}

func (b *fiction) close(name string) {
	if b.within("description") {
		if name == "author" && b.within("title-info") && len(b.authors) < 50 {
			if author := strings.Join(strings.Fields(b.name.String()), " "); author != "" {
				b.authors = append(b.authors, author)
			}
			b.name.Reset()
		}
		return
	}
	switch name {
	case "section":
		b.sections--
	case "title", "subtitle":
		if b.heading--; b.heading == 0 {
			level := min(max(b.sections, 1), 6)
			if name == "subtitle" {
				level = min(level+1, 6)
			}
			fmt.Fprintf(&b.page, "</h%d>", level)
		}
	default:
		switch tag := elements[name]; {
		case b.heading > 0 && tag == "p":
			b.page.WriteString(" ")
		case tag != "" && b.heading == 0:
			b.page.WriteString("</" + tag + ">")
		}
	}
}

func (b *fiction) chars(text string) {
	switch {
	case len(b.stack) == 0, b.within("binary"), b.within("stylesheet"):
	case !b.within("description"):
		b.page.WriteString(stdhtml.EscapeString(text))
	case b.within("book-title") && b.within("title-info"):
		b.title.WriteString(text)
	case b.within("author") && b.within("title-info") && b.name.Len() < 1000:
		switch b.stack[len(b.stack)-1] {
		case "first-name", "middle-name", "last-name", "nickname":
			b.name.WriteString(" " + text)
		}
	}
}
