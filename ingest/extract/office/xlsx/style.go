package xlsx

import (
	"context"
	"encoding/xml"
	"strconv"

	"docent/ingest/extract/numfmt"
	"docent/ingest/extract/zipxml"
)

const isoDate = "yyyy-mm-dd"

// builtinFormats are the codes of the formats that files name only by number.
// Dates that depend on the reader's country are written in ISO 8601.
var builtinFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: `"$"#,##0;-"$"#,##0`, 6: `"$"#,##0;-"$"#,##0`, 7: `"$"#,##0.00;-"$"#,##0.00`,
	8: `"$"#,##0.00;-"$"#,##0.00`,
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
	14: isoDate, 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
	22: "yyyy-mm-dd h:mm",
	37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)",
	41: `#,##0;-#,##0;"-"`, 42: `"$"#,##0;-"$"#,##0;"-"`, 43: `#,##0.00;-#,##0.00;"-"`, 44: `"$"#,##0.00;-"$"#,##0.00;"-"`,
	27: isoDate, 28: isoDate, 29: isoDate, 30: isoDate, 31: isoDate, 32: "h:mm", 33: "h:mm:ss", 34: isoDate, 35: isoDate, 36: isoDate,
	50: isoDate, 51: isoDate, 52: isoDate, 53: isoDate, 54: isoDate, 55: isoDate, 56: isoDate, 57: isoDate, 58: isoDate,
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}

// maxStyles bounds the cell styles of a workbook; Excel has 65,490.
const maxStyles = 100_000

// cellStyle is the style of a cell.
type cellStyle struct {
	format *numfmt.Format // nil is the general format
	font   string
	struck bool
}

// styles are the styles of cells by index.
type styles []cellStyle

// at returns the style with an index.
func (s styles) at(i int) cellStyle {
	if i < 0 || i >= len(s) {
		return cellStyle{}
	}
	return s[i]
}

// styleReader reads the styles of a workbook.
type styleReader struct {
	codes  map[int]string
	parsed map[int]*numfmt.Format
	fonts  []cellStyle
	styles styles
	part   string // name of the open list
}

// readStyles reads the styles of cells.
func readStyles(ctx context.Context, data []byte) (styles, error) {
	r := styleReader{codes: map[int]string{}, parsed: map[int]*numfmt.Format{}}
	err := zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			r.start(t)
		case xml.EndElement:
			if t.Name.Local == r.part {
				r.part = ""
			}
		}
		return nil
	})
	return r.styles, err
}

func (r *styleReader) start(e xml.StartElement) {
	switch e.Name.Local {
	case "fonts", "cellXfs":
		r.part = e.Name.Local
	case "numFmt":
		if id, err := strconv.Atoi(zipxml.Attr(e, "numFmtId")); err == nil && len(r.codes) < maxStyles {
			r.codes[id] = zipxml.Attr(e, "formatCode")
		}
	case "font":
		if r.part == "fonts" && len(r.fonts) < maxStyles {
			r.fonts = append(r.fonts, cellStyle{})
		}
	case "strike", "name":
		if n := len(r.fonts); r.part == "fonts" && n > 0 {
			if value := zipxml.Attr(e, "val"); e.Name.Local == "name" {
				r.fonts[n-1].font = value
			} else {
				r.fonts[n-1].struck = value == "" || isOn(value)
			}
		}
	case "xf":
		r.style(e)
	}
}

// style adds the style of a cell.
func (r *styleReader) style(e xml.StartElement) {
	if r.part != "cellXfs" || len(r.styles) >= maxStyles {
		return
	}
	var s cellStyle
	if i, err := strconv.Atoi(zipxml.Attr(e, "fontId")); err == nil && i >= 0 && i < len(r.fonts) {
		s = r.fonts[i]
	}
	id, _ := strconv.Atoi(zipxml.Attr(e, "numFmtId"))
	f, known := r.parsed[id]
	if !known {
		f = formatOf(id, r.codes)
		r.parsed[id] = f
	}
	s.format = f
	r.styles = append(r.styles, s)
}

// formatOf returns the format with a number. nil is the general format.
func formatOf(id int, codes map[int]string) *numfmt.Format {
	code, ok := codes[id]
	if !ok {
		code = builtinFormats[id]
	}
	if code == "" || code == "General" {
		return nil
	}
	return numfmt.Parse(code)
}
