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
	title bool
	toc   bool
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
				id, s = zipxml.Attr(t, "styleId"), style{}
			case "name":
				level, title, toc := content.StyleName(zipxml.Attr(t, "val"))
				s.level, s.title, s.toc = cmp.Or(level, s.level), title, toc
			case "basedOn":
				s.based = zipxml.Attr(t, "val")
			case "outlineLvl":
				if n, err := strconv.Atoi(zipxml.Attr(t, "val")); err == nil && n < 9 && s.level == 0 {
					s.level = n + 1
				}
			case "numId":
				s.num = zipxml.Attr(t, "val")
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
			if s.num == "" {
				s.num = up.num
			}
		}
		styles[id] = s
	}
	return styles
}

// readNumbering reports for each list and level whether its items are numbered.
func readNumbering(ctx context.Context, data []byte) map[string]bool {
	formats := map[string]map[string]bool{} // by abstract list and level
	numbered := map[string]bool{}
	var abstract, num, rank string
	_ = zipxml.Tokens(ctx, data, func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		if !ok {
			return nil
		}
		switch e.Name.Local {
		case "abstractNum":
			abstract = zipxml.Attr(e, "abstractNumId")
			formats[abstract] = map[string]bool{}
		case "lvl":
			rank = zipxml.Attr(e, "ilvl")
		case "numFmt":
			if f := formats[abstract]; f != nil {
				v := zipxml.Attr(e, "val")
				f[rank] = v != "bullet" && v != "none"
			}
		case "num":
			num, abstract = zipxml.Attr(e, "numId"), ""
		case "abstractNumId":
			for r, is := range formats[zipxml.Attr(e, "val")] {
				numbered[num+"/"+r] = is
			}
		}
		return nil
	})
	return numbered
}
