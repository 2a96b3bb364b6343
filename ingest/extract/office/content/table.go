// Package content holds the rules that readers of all office formats share: tables,
// raised and lowered text, page headers and footers, titles, and styles.
package content

import (
	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// AddRows adds a table. The first row is the header if header says so or if it
// looks like one.
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

// MaxRepeated is the longest text of a merged cell that is repeated in each row.
const MaxRepeated = 120

// MaxTable is how many rows and cells of a table are kept before they are added
// to the text.
const MaxTable = 500_000
