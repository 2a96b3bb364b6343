package docx

import (
	"cmp"
	"context"
	"encoding/xml"
	"strconv"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
)

// style has the properties that a Word style gives to its paragraphs.
type style struct {
	based string
	level int // level of a heading, from 1
	num   string
	rank  int // level of the list, from 0; -1 if the list tells it
	title bool
	toc   bool
	// struck reports that the text is struck out.
	struck bool
}

// readStyles reads the styles by id. If the part is damaged, it returns the
// styles before the damage, because text with fewer headings is better than
// none.
func readStyles(ctx context.Context, data []byte) map[string]style {
	styles := map[string]style{}
	var id string
	var s style
	_ = zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "style":
				id, s = zipxml.Attr(t, "styleId"), style{rank: -1}
			case "name":
				level, title, toc := content.StyleName(zipxml.Attr(t, "val"))
				s.level, s.title, s.toc = cmp.Or(level, s.level), title, toc
			case "basedOn":
				s.based = zipxml.Attr(t, "val")
			case "outlineLvl":
				if n, err := strconv.Atoi(zipxml.Attr(t, "val")); err == nil && n < 9 && s.level == 0 {
					s.level = n + 1
				}
			case "strike", "dstrike":
				s.struck = s.struck || isOn(t)
			case "numId":
				s.num = zipxml.Attr(t, "val")
			case "ilvl":
				if n, err := strconv.Atoi(zipxml.Attr(t, "val")); err == nil {
					s.rank = n
				}
			}
		case xml.EndElement:
			if t.Name.Local == "style" && id != "" {
				styles[id] = s
				id = ""
			}
		}
		return nil
	})
	for id, s := range styles {
		for up, n := styles[s.based], 0; n < 10 && s.level == 0 && !s.title; up, n = styles[up.based], n+1 {
			s.level, s.title, s.toc = up.level, up.title, s.toc || up.toc
		}
		for up, n := styles[s.based], 0; n < 10 && s.num == ""; up, n = styles[up.based], n+1 {
			s.num, s.rank = up.num, max(s.rank, up.rank)
		}
		styles[id] = s
	}
	return styles
}
