// Package content holds the rules that readers of all office formats share: tables,
// slides, raised and lowered text, page headers and footers, titles, and styles.
package content

import (
	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// AddRows adds a table. The first row becomes the header if header is set or if
// the row looks like a header.
func AddRows(b *outline.Builder, rows [][]string, header bool) {
	separator := "\n\n"
	for i, row := range rows {
		kind := outline.Row
		if i == 0 && len(rows) > 1 && (header || table.IsHeader(row)) {
			kind = outline.Header
		}
		if text := table.Line(row); text != "" {
			b.Add(kind, 0, separator, text)
			separator = "\n"
		}
	}
}

// MaxRepeated is the maximum length of a merged cell's text that is repeated in
// each row, in bytes.
const MaxRepeated = 120

// MaxTable is the maximum number of rows, and of cells, of a table that is
// collected before it is added to the text.
const MaxTable = 500_000
