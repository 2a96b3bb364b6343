package extract

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"

	"docent/ingest/outline"
)

// maxRow is the longest line read as a row of cells, which take many times its
// size.
const maxRow = 1 << 20

// longestLine is the length of the longest line.
func longestLine(text string) int {
	longest := 0
	for line := range strings.Lines(text) {
		longest = max(longest, len(line))
	}
	return longest
}

// readCSV reads a table: its first row is the header if it looks like one, and
// each row is a line with its cells side by side. Rows may have too few or too
// many cells.
func readCSV(name, text string) *outline.Document {
	if longestLine(text) > maxRow {
		return readPlain(name, text)
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
		line := rowLine(cells)
		if line == "" {
			continue
		}
		kind, separator := outline.Row, "\n"
		if first && isHeader(cells) {
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

// rowLine is a row's cells in one line, without the empty ones at its end.
func rowLine(cells []string) string {
	parts := make([]string, 0, len(cells))
	for _, c := range cells {
		parts = append(parts, strings.Join(strings.Fields(c), " "))
	}
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, cellSeparator)
}

// isHeader reports whether a first row names columns: each cell says something,
// is short and is not a number.
func isHeader(cells []string) bool {
	for _, c := range cells {
		c = strings.TrimSpace(c)
		if _, err := strconv.ParseFloat(c, 64); err == nil || c == "" || len(c) > 80 {
			return false
		}
	}
	return len(cells) > 1
}

// delimiter is the one of , ; tab | that the first lines agree on.
func delimiter(name, text string) rune {
	if strings.HasSuffix(strings.ToLower(name), ".tsv") {
		return '\t'
	}
	head := text[:min(len(text), sniffLen)]
	line, _, _ := strings.Cut(head, "\n")
	best, most := ',', 0
	for _, d := range ",;\t|" {
		if n := strings.Count(line, string(d)); n > most {
			best, most = d, n
		}
	}
	return best
}
