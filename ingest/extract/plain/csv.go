package plain

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// maxRow bounds the length of a row in bytes, because the cells of a row take
// many times its size.
const maxRow = 1 << 20

// sniffLength is the number of bytes from which the delimiter is detected.
const sniffLength = 8 << 10

// longestLine returns the length of the longest line.
func longestLine(text string) int {
	longest := 0
	for line := range strings.Lines(text) {
		longest = max(longest, len(line))
	}
	return longest
}

// CSV reads a table. The first row is the header if it looks like one. Each row
// becomes a line with its cells. Rows may have too few or too many cells.
func CSV(name, text string) *outline.Document {
	if longestLine(text) > maxRow {
		return Text(name, text)
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = delimiter(name, text)
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	b := outline.NewBuilder(len(text) + len(text)/4)
	first := true
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			continue // a row with wrong quotes; LazyQuotes accepts most of them
		}
		line := table.Line(cells)
		if line == "" {
			continue
		}
		kind, separator := outline.Row, "\n"
		if first && table.IsHeader(cells) {
			kind = outline.Header
		}
		first = false
		b.Add(kind, 0, separator, line)
	}
	doc := b.Document("")
	if n := len(doc.Blocks); n == 1 {
		doc.Blocks[0].Kind = outline.Row
	}
	return doc
}

// delimiter returns the delimiter , ; tab or | that the first lines use
// consistently.
func delimiter(name, text string) rune {
	if strings.HasSuffix(strings.ToLower(name), ".tsv") {
		return '\t'
	}
	head := text[:min(len(text), sniffLength)]
	line, _, _ := strings.Cut(head, "\n")
	best, most := ',', 0
	for _, d := range ",;\t|" {
		if n := strings.Count(line, string(d)); n > most {
			best, most = d, n
		}
	}
	return best
}
