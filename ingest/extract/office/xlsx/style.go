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

// maxFormats bounds the cell formats of a workbook; Excel has 65,490.
const maxFormats = 100_000

// readFormats reads the number formats of a workbook, by style index.
func readFormats(ctx context.Context, data []byte) ([]*numfmt.Format, error) {
	codes := map[int]string{}
	parsed := map[int]*numfmt.Format{}
	var formats []*numfmt.Format
	inCells := false
	err := zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "numFmt":
				if id, err := strconv.Atoi(zipxml.Attr(t, "numFmtId")); err == nil && len(codes) < maxFormats {
					codes[id] = zipxml.Attr(t, "formatCode")
				}
			case "cellXfs":
				inCells = true
			case "xf":
				if !inCells || len(formats) >= maxFormats {
					return nil
				}
				id, _ := strconv.Atoi(zipxml.Attr(t, "numFmtId"))
				f, known := parsed[id]
				if !known {
					f = formatOf(id, codes)
					parsed[id] = f
				}
				formats = append(formats, f)
			}
		case xml.EndElement:
			if t.Name.Local == "cellXfs" {
				inCells = false
			}
		}
		return nil
	})
	return formats, err
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
