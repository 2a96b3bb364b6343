package xlsx

import (
	"docent/ingest/extract/office/ooxml"
	"docent/ingest/format"
)

// Format is workbooks of Excel.
var Format = format.Format{
	Info: format.Info{
		Name: "Excel", Short: "XLSX",
		Group:   format.Office,
		Endings: []string{".xlsx", ".xlsm", ".xltx"},
		Media:   "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		Unit:    format.Sheet,
		Packed:  true,
		Version: 4,
		Reads:   "a page for each sheet: tables, values as displayed, addresses of links, text boxes, charts; formulas without a value",
		Leaves:  "hidden sheets, columns, and rows that neither a filter nor a group hides; struck-out text, other formulas, comments, macros; binary workbooks (`.xlsb`)",
		Limits:  "2,000,000 cells, 5000 sheets",
	},
	Match: ooxml.Kind{Words: []string{"spreadsheetml", "ms-excel"}, Folder: "xl/", Usual: "xl/workbook.xml"}.Match,
	Read:  format.Bytes(Read),
}
