package plain

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// maxRow is the longest line read as a row of cells, which take many times its
// size.
const maxRow = 1 << 20

// sniffLength is how much of a table is looked at for its delimiter.
const sniffLength = 8 << 10

// longestLine is the length of the longest line.
func longestLine(text string) int {
	longest := 0
	for line := range strings.Lines(text) {
		longest = max(longest, len(line))
	}
	return longest
}

// CSV reads a table: its first row is the header if it looks like one, and
// each row is a line with its cells side by side. Rows may have too few or too
// many cells.
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
			continue // a row that quotes wrongly; LazyQuotes leaves few
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

// delimiter is the one of , ; tab | that the first lines agree on.
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
