package extract

import (
	"context"
	"encoding/xml"
	"strings"

	"docent/ingest/extract/metadata"
	"docent/ingest/extract/zipxml"
	"docent/ingest/format"
	"docent/ingest/outline"
	"docent/rag/corpus"
)

// propertyParts are the parts of packed documents with their properties: of Office Open XML and of
// OpenDocument.
var propertyParts = []string{"docProps/core.xml", "meta.xml"}

// maxProperty bounds a property, in bytes.
const maxProperty = 200

// setPackedDate sets the date of a packed office document from its properties. A damaged part only
// means that the document has no date.
func setPackedDate(ctx context.Context, f *format.File, media string, doc *outline.Document) {
	if info, ok := Formats.ByMedia(media); !ok || !info.Packed || !f.IsZip() || !doc.Date.IsZero() {
		return
	}
	a, err := f.Zip()
	if err != nil {
		return
	}
	for _, name := range propertyParts {
		data, err := a.Part(name)
		if err != nil || data == nil {
			continue
		}
		changed, created := propertyDates(ctx, data)
		doc.SetDate(metadata.FirstDate(changed, created), corpus.Properties)
		return
	}
}

// propertyDates returns the times of the last change and of the creation in a part with properties.
func propertyDates(ctx context.Context, data []byte) (changed, created string) {
	var text strings.Builder
	_ = zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			text.Reset()
		case xml.CharData:
			if text.Len() < maxProperty {
				text.Write(t)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "modified", "date": // dcterms:modified, and dc:date of OpenDocument
				changed = text.String()
			case "created", "creation-date":
				created = text.String()
			}
			text.Reset()
		}
		return nil
	})
	return changed, created
}
