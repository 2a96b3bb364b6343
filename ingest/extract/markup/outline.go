package markup

import (
	"context"
	"encoding/xml"
	"io"
	"regexp"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/format"
	"docent/ingest/outline"
)

// OutlineFormat is outlines and lists of feeds in OPML.
var OutlineFormat = format.Format{
	Info: format.Info{
		Name: "OPML", Short: "Outline",
		Group:     format.Markup,
		Endings:   []string{".opml"},
		Media:     "text/x-opml",
		NeverMail: true,
		Reads:     "outlines with their notes as nested lists, and lists of feeds and podcasts with their addresses",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		return format.If(f.IsText() && (f.HasInnerEnding(".opml") || opmlMark.Match(f.Head())), format.Sure)
	},
	Read: format.Bytes(Outline),
}

var opmlMark = regexp.MustCompile(`^[\s\x{feff}]*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,500}-->\s*)?<opml[\s>]`)

// Outline reads an outline in OPML.
func Outline(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, err := xmlText(data)
	if err != nil {
		return nil, err
	}
	w := blocks.NewWriter(ctx, len(text))
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	depth, inTitle := 0, false
	for !w.Done() {
		token, err := d.RawToken()
		if err != nil {
			break // the rest is damaged
		}
		switch t := token.(type) {
		case xml.StartElement:
			inTitle = t.Name.Local == "title"
			if t.Name.Local == "outline" {
				depth++
				outlineItem(w, t, depth)
			}
		case xml.EndElement:
			inTitle = false
			if t.Name.Local == "outline" {
				depth = max(depth-1, 0)
			}
		case xml.CharData:
			if inTitle && w.Title == "" {
				w.Title = blocks.OneLine(string(t))
			}
		}
	}
	return w.Document()
}

// outlineItem adds an item. The outermost ones with the names of groups stay items, too.
func outlineItem(w *blocks.Writer, t xml.StartElement, depth int) {
	text := attribute(t, "text")
	if text == "" {
		text = attribute(t, "title")
	}
	if status := attribute(t, "_status"); status == "checked" {
		text = "☑ " + text
	}
	for _, name := range []string{"htmlUrl", "xmlUrl", "url"} {
		if address := attribute(t, name); address != "" {
			text += " <" + address + ">"
		}
	}
	w.Items, w.Indent, w.Marker = 1, min(depth-1, blocks.MaxNesting), "- "
	w.Para(text)
	for _, name := range []string{"description", "_note"} {
		if note := attribute(t, name); note != "" && note != attribute(t, "text") {
			w.Items, w.Indent = 1, min(depth, blocks.MaxNesting)
			w.Para(note)
		}
	}
	w.Items, w.Indent, w.Marker = 0, 0, ""
}
