package mail

import (
	"context"
	"path"
	"strings"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// IsPage reports whether a message with this name and beginning is a saved web
// page (MHT).
func IsPage(name string, head []byte) bool {
	h, _ := parseHeader(trimFront(head))
	switch strings.ToLower(path.Ext(name)) {
	case ".mht", ".mhtml":
		return true
	}
	from := strings.ToLower(h["from"])
	return h["snapshot-content-location"] != "" || h["to"] == "" && strings.Contains(from, "<saved by")
}

// ReadPage reads a saved web page without its pictures. Without a
// title of the page, the subject is the title.
func ReadPage(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	e := parse(data)
	page := e.findPage()
	if page == nil {
		return nil, fault.New(fault.Invalid, "saved_page_empty", "damaged: the archive holds no page; save the page again")
	}
	doc := page.document(ctx)
	if title := e.field("subject"); title != "" {
		doc.Title = title
	}
	return doc, ctx.Err()
}

// findPage returns the part with the page, or nil.
func (e *entity) findPage() *entity {
	if len(e.children) == 0 {
		if e.isText() || e.media == "application/xhtml+xml" {
			return e
		}
		return nil
	}
	root := e.root()
	if page := root.findPage(); page != nil {
		return page
	}
	for _, c := range e.children {
		if c == root {
			continue
		}
		if page := c.findPage(); page != nil {
			return page
		}
	}
	return nil
}
