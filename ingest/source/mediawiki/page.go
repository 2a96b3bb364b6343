package mediawiki

import (
	"fmt"
	"html"
	"strings"
	"time"

	"docent/ingest/source"
	"docent/ingest/source/dial"
)

// parsed is a page in the answer of the API.
type parsed struct {
	Title      string              `json:"title"`
	Text       string              `json:"text"`
	Categories dial.List[category] `json:"categories"`
}

// category is a category of a page. Hidden ones are for the maintenance of the wiki.
type category struct {
	Name   string `json:"category"`
	Hidden bool   `json:"hidden"`
}

// page returns an HTML document with the content of a page. Its categories are its tags.
func (p parsed) page(item source.Item) string {
	var b strings.Builder
	title := html.EscapeString(p.Title)
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>%s</title>\n", title)
	fmt.Fprintf(&b, "<base href=\"%s\">\n", html.EscapeString(item.Address))
	if !item.Modified.IsZero() {
		fmt.Fprintf(&b, "<meta name=\"dcterms.modified\" content=\"%s\">\n", item.Modified.UTC().Format(time.RFC3339))
	}
	for _, c := range p.Categories {
		if !c.Hidden {
			fmt.Fprintf(&b, "<meta name=\"dcterms.subject\" content=\"%s\">\n", html.EscapeString(strings.ReplaceAll(c.Name, "_", " ")))
		}
	}
	fmt.Fprintf(&b, "</head><body><article><h1>%s</h1>\n%s\n</article></body></html>\n", title, strings.ToValidUTF8(p.Text, "\uFFFD"))
	return b.String()
}
