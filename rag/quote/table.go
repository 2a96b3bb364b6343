package quote

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
	"docent/rag/corpus"
	"docent/rag/text"
)

// ruleRow is the row of a Markdown table that separates the header from the
// other rows.
var ruleRow = lazyregexp.New(`^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$`)

// headersOf returns the header of each table row of a passage, by the start of
// the row. A table at the start of a passage may be the rest of another one, so
// only a passage that is a table counts. Headers and rules map to "". Rows without a known header are
// missing.
// written is the text of the passage with its syntax.
func headersOf(p corpus.Passage, written string, sentences []text.Sentence) map[int]string {
	rows := slices.DeleteFunc(slices.Clone(sentences), func(s text.Sentence) bool { return s.Kind != text.RowSentence })
	out := map[int]string{}
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && rows[end].Block == rows[end-1].Block+1 && strings.Count(p.Text[rows[end-1].End:rows[end].Start], "\n") == 1 {
			end++
		}
		headed := headed(p.Text[rows[i].Start:rows[i].End])
		if end > i+1 && hasHeaderCells(written[strings.LastIndexByte(written[:rows[i].Start], '\n')+1:rows[i].End]) {
			addHeader(out, p.Text, rows[i:end], false)
			i = end
			continue
		}
		ruled := end > i+1 && ruleRow.MatchString(p.Text[rows[i+1].Start:rows[i+1].End])
		whole := p.Kind == corpus.Table && i == 0 && end > 1
		inside := rows[i].Start > sentences[0].Start && end > i+2 && sameWidth(p.Text, rows[i:end])
		if ruled || (whole || inside) && headed {
			addHeader(out, p.Text, rows[i:end], ruled)
		}
		i = end
	}
	return out
}

// hasHeaderCells reports whether a row of an HTML table has header cells only.
func hasHeaderCells(row string) bool {
	row = strings.ToLower(row)
	return strings.Contains(row, "<th") && !strings.Contains(row, "<td")
}

// maxHeaderWords is the maximum number of words in a cell of a header that no rule marks.
const maxHeaderWords = 6

// headed reports whether a first row without a rule can be a header. In a table of options,
// values, or sentences, it is a row like the others.
func headed(row string) bool {
	label, identifier := false, false
	for _, cell := range rowCells(row) {
		_, err := strconv.ParseFloat(cell, 64)
		if err == nil || strings.HasPrefix(cell, "-") || strings.HasSuffix(cell, ":") || len(strings.Fields(cell)) > maxHeaderWords {
			return false
		}
		first, _ := utf8.DecodeRuneInString(cell)
		label = label || unicode.IsUpper(first)
		identifier = identifier || strings.Contains(cell, "_")
	}
	return !label || !identifier
}

// sameWidth reports whether all rows have as many cells as the first.
func sameWidth(body string, rows []text.Sentence) bool {
	n := len(rowCells(body[rows[0].Start:rows[0].End]))
	return !slices.ContainsFunc(rows, func(r text.Sentence) bool { return len(rowCells(body[r.Start:r.End])) != n })
}

// addHeader maps the rows of one table to its first row.
func addHeader(headers map[int]string, body string, rows []text.Sentence, ruled bool) {
	header := body[rows[0].Start:rows[0].End]
	headers[rows[0].Start] = ""
	for i, r := range rows[1:] {
		switch {
		case i == 0 && ruled:
			headers[r.Start] = ""
		case ruled || fits(rowCells(body[r.Start:r.End]), rowCells(header)):
			headers[r.Start] = header
		}
	}
}

// fits reports whether a row can belong to a header. A row whose last cells are
// empty has fewer cells.
func fits(row, header []string) bool { return len(row) > 1 && len(row) <= len(header) }

// cellsOf returns the cells of a header, or nil for none.
func cellsOf(header string) []string {
	if header == "" {
		return nil
	}
	return rowCells(header)
}

// fill returns n cells: the missing ones are empty, and the last contains the
// surplus ones.
func fill(cells []string, n int) []string {
	if len(cells) > n {
		cells = append(slices.Clone(cells[:n-1]), strings.Join(cells[n-1:], " "))
	}
	for len(cells) < n {
		cells = append(cells, "")
	}
	return cells
}

// rowText writes a row without a header as text: its first cell, which may end with a
// colon, and the other ones behind dashes.
func rowText(row string, source corpus.Document) string {
	cells := slices.DeleteFunc(plainCells(rowCells(row), source), func(c string) bool { return c == "" })
	if strings.Contains(row, "\t") {
		return strings.Join(cells, " ")
	}
	if len(cells) > 1 && strings.HasSuffix(cells[0], ":") {
		cells = append([]string{cells[0] + " " + cells[1]}, cells[2:]...)
	}
	return strings.Join(cells, " – ")
}

// writeCells writes a table row, with a marker behind its last cell.
func writeCells(b *strings.Builder, cells []string, marker string, source corpus.Document) {
	b.WriteString("|")
	for i, c := range plainCells(cells, source) {
		b.WriteString(" " + strings.ReplaceAll(c, "|", `\|`))
		if i == len(cells)-1 {
			b.WriteString(marker)
		}
		b.WriteString(" |")
	}
}

// plainCells writes the cells of a row of a document as plain.
func plainCells(cells []string, source corpus.Document) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = plain(unmarked(c, source))
	}
	return out
}

// escapedBar stands for a bar that belongs to the text of a cell.
const escapedBar = "\x00"

// rowCells splits a table row into its cells. A bar behind a backslash belongs
// to its cell.
func rowCells(row string) []string {
	separator := "|"
	switch {
	case strings.Contains(row, "\t"):
		separator = "\t"
	case !strings.HasPrefix(row, "|") && strings.Contains(row, " | "):
		separator = " | " // of a reader; other bars belong to the cells
	}
	row = strings.ReplaceAll(row, `\|`, escapedBar)
	cells := strings.Split(strings.Trim(row, "|"), separator)
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), escapedBar, "|")
	}
	return cells
}

// sameTable reports whether two quotes are rows that fit in one table.
func sameTable(a, b quote) bool {
	return a.Kind == text.RowSentence && b.Kind == text.RowSentence && a.doc == b.doc && a.label == b.label &&
		a.header == b.header && (a.header != "" || len(rowCells(a.text)) == len(rowCells(b.text)))
}

// minLayoutWords is the number of words from which a cell holds text, and not a value.
const minLayoutWords = 14

// isLayout reports whether a row without a header has text in a cell, as in a page that is laid out by a table.
func isLayout(q quote) bool {
	return q.Kind == text.RowSentence && q.header == "" && slices.ContainsFunc(rowCells(q.text), func(cell string) bool {
		return len(strings.Fields(cell)) >= minLayoutWords
	})
}
