package content

import (
	"context"
	"encoding/xml"
	"strings"

	"docent/ingest/extract/zipxml"
)

// OwnTitle returns a title. It returns "" for default titles, which programs give
// to every document.
func OwnTitle(s string) string {
	switch strings.ToLower(s) {
	case "word document", "document", "powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint", "slide 1", "untitled", "book1", "workbook", "presentation":
		return ""
	}
	return s
}

// CoreTitle returns the title in the metadata of a document.
func CoreTitle(ctx context.Context, data []byte) string {
	var title strings.Builder
	in := false
	_ = zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			in = t.Name.Local == "title"
		case xml.EndElement:
			in = false
		case xml.CharData:
			if in {
				title.Write(t)
			}
		}
		return nil
	})
	s := strings.Join(strings.Fields(title.String()), " ")
	if strings.EqualFold(s, "word document") || strings.EqualFold(s, "document") {
		return ""
	}
	return s
}
