package zipxml

import (
	"context"
	"encoding/xml"
	"strings"
)

// CoreTitle returns the title in the metadata of a document.
func CoreTitle(ctx context.Context, data []byte) string {
	var title strings.Builder
	in := false
	_ = Tokens(ctx, data, func(t xml.Token) error {
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
