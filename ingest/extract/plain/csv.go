package plain

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// maxRow bounds the length of a row in bytes, because the cells of a row take
// many times its size.
const maxRow = 1 << 20

// longestLine returns the length of the longest line.
func longestLine(text string) int {
	longest := 0
	for line := range strings.Lines(text) {
		longest = max(longest, len(line))
	}
	return longest
}

// CSV reads the tables of a file. Lines above a table become paragraphs. A table begins
// at the start, after an empty line, and where a row of names has another number of cells.
// Its first row is the header if it looks like one. Each row becomes a line with its cells.
// Rows may have too few or too many cells.
func CSV(name, text string) *outline.Document {
	if longestLine(text) > maxRow {
		return Text(name, text)
	}
	d := dialectOf(name, text)
	w := &tableWriter{b: outline.NewBuilder(len(text) + len(text)/4), usual: d.columns}
	r := newRecords(text[d.start:], d.delimiter)
	for {
		rec, ok := r.read()
		if !ok {
			break
		}
		w.add(rec)
	}
	w.add(record{})
	return w.b.Document("")
}

// record is a row of a CSV file.
type record struct {
	cells []string
	// apart reports that an empty line, or a line with empty cells only, precedes it.
	apart bool
}

// records reads the rows of a CSV file.
type records struct {
	text string
	r    *csv.Reader
}

func newRecords(text string, delimiter rune) *records {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = delimiter
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	return &records{text: text, r: r}
}

// read returns the next row with text. ok is false at the end.
func (r *records) read() (rec record, ok bool) {
	for {
		from := int(r.r.InputOffset())
		cells, err := r.r.Read()
		if errors.Is(err, io.EOF) {
			return record{}, false
		}
		if err != nil {
			continue // a row with wrong quotes; LazyQuotes accepts most of them
		}
		rec.apart = rec.apart || from > 0 && from < len(r.text) && r.text[from] == '\n'
		if filled(cells) == 0 {
			rec.apart = true
			continue
		}
		rec.cells = cells
		return rec, true
	}
}

// filled returns the number of cells with text.
func filled(cells []string) int {
	n := 0
	for _, c := range cells {
		if strings.TrimSpace(c) != "" {
			n++
		}
	}
	return n
}

// tableWriter adds the rows of a CSV file to a document. It holds back one row, because
// the next row tells whether a table begins.
type tableWriter struct {
	b      *outline.Builder
	usual  int // usual number of columns of the file
	width  int // number of columns of the open table, 0 outside of tables
	values bool
	held   record
	header []string // of the open table, until its first row
}

// add adds the held row and holds rec.
func (w *tableWriter) add(rec record) {
	held := w.held
	w.held = rec
	if held.cells == nil {
		return
	}
	next := rec
	if rec.apart {
		next = record{}
	}
	names := isNames(held.cells)
	other := len(held.cells) != w.width
	if w.width > 0 && (held.apart && (other || names && w.values) || names && other && len(next.cells) == len(held.cells)) {
		w.width = 0
		w.b.Add(outline.Row, 0, "\n\n", table.Line(w.header))
		w.header = nil
	}
	if w.width == 0 {
		if !w.begins(held.cells, next.cells) {
			w.b.Add(outline.Paragraph, 0, "\n", aside(held.cells))
			return
		}
		w.width, w.values = len(held.cells), false
		if names && next.cells != nil {
			w.header = held.cells
			return
		}
	} else if w.header != nil {
		header := w.header
		w.header = nil
		if isUnits(held.cells) && next.cells != nil {
			w.b.Add(outline.Header, 0, "\n\n", table.Line(withUnits(header, held.cells)))
			return
		}
		w.b.Add(outline.Header, 0, "\n\n", table.Line(header))
	}
	w.values = w.values || !names
	w.b.Add(outline.Row, 0, "\n", table.Line(held.cells))
}

// begins reports whether a row begins a table: most of its cells have text, and it has
// as many cells as the next row, or as the rows of the file usually have.
func (w *tableWriter) begins(cells, next []string) bool {
	if w.usual < 2 {
		return true
	}
	n := len(cells)
	return n > 1 && filled(cells)*2 > n && (n == len(next) && filled(next) > 1 || n == w.usual)
}

// aside returns a row outside of tables as text.
func aside(cells []string) string {
	line := table.Line(cells)
	name, value, ok := strings.Cut(line, table.Separator)
	if ok && strings.HasSuffix(name, ":") {
		return name + " " + value
	}
	return line
}

// isNames reports whether a row names columns: no cell is a value or the name of a single
// value.
func isNames(cells []string) bool {
	last := len(cells)
	for last > 0 && strings.TrimSpace(cells[last-1]) == "" {
		last-- // rows that end with a delimiter
	}
	for _, c := range cells[:last] {
		c = strings.TrimSpace(c)
		if strings.HasSuffix(c, ":") || isValue(c) {
			return false
		}
	}
	return table.IsHeader(cells[:last])
}

// isValue reports whether a cell is a number, date, or amount: it has more digits than letters.
func isValue(cell string) bool {
	digits, letters := 0, 0
	for _, r := range cell {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > letters && (digits != 4 || letters > 0 || len(cell) != 4) // a year may name a column
}

// units are the units that stand below the names of columns.
var units = func() map[string]bool {
	out := map[string]bool{}
	for u := range strings.FieldsSeq("kg g mg t lb oz m cm mm km µm nm in ft s ms min h d °c °f k v mv a ma w kw mw kwh wh hz khz mhz ghz pa hpa kpa mpa bar mbar % " +
		"l ml m² m³ m2 m3 ha eur usd gbp chf € $ £ rpm 1/min nm n kn j kj ppm db m/s km/h mg/l g/l kg/m³ ° deg µg/m³ w/m² - –") {
		out[u] = true
	}
	return out
}()

// isUnits reports whether a row has the units of the columns.
func isUnits(cells []string) bool {
	known := 0
	for _, c := range cells {
		c = strings.ToLower(strings.TrimSpace(c))
		bare := strings.Trim(c, "[]()")
		switch {
		case c == "":
		case units[bare], bare != c && len(c) <= 16:
			known++
		default:
			return false
		}
	}
	return known > 0
}

// withUnits adds the units to the names of columns.
func withUnits(header, cells []string) []string {
	out := slices.Clone(header)
	for i, c := range cells {
		unit := strings.Trim(strings.TrimSpace(c), "[]()")
		if i < len(out) && unit != "" && strings.Trim(unit, "-–") != "" {
			out[i] = strings.TrimSpace(out[i]) + " (" + unit + ")"
		}
	}
	return out
}

// dialect is the form of a CSV file.
type dialect struct {
	delimiter rune
	start     int // offset of the first row
	columns   int // number of cells that most rows have
}

const (
	// sniffLength is the number of bytes from which the dialect is detected.
	sniffLength = 64 << 10
	// sniffRows is the number of rows from which the dialect is detected.
	sniffRows = 500
)

// dialectOf returns the delimiter , ; tab | ^ or ~ with which most rows have the same number
// of cells. A first line such as sep=; declares it. A comma may separate decimals and
// sentences too. So the other delimiters win if most rows agree on them, or if each row has more cells with them.
func dialectOf(name, text string) dialect {
	var d dialect
	first, _, _ := strings.Cut(text, "\n")
	if rest, ok := strings.CutPrefix(strings.ToLower(strings.Trim(first, " \"\r")), "sep="); ok && len(rest) <= 1 {
		d.start = min(len(first)+1, len(text))
		d.delimiter = '\t'
		if rest != "" && rest[0] < 0x80 && rest != "\r" {
			d.delimiter = rune(rest[0])
		}
		d.columns, _, _ = agreement(text[d.start:], d.delimiter)
		return d
	}
	head := text[:min(len(text), sniffLength)]
	if i := strings.LastIndexByte(head, '\n'); len(head) < len(text) && i > 0 {
		head = head[:i]
	}
	if strings.HasSuffix(strings.ToLower(name), ".tsv") && strings.Contains(head, "\t") {
		d.delimiter = '\t'
		d.columns, _, _ = agreement(head, '\t')
		return d
	}
	d.delimiter = ','
	best := 0.0
	for _, delimiter := range ",|;\t^~" {
		columns, fewest, share := agreement(head, delimiter)
		if columns < 2 {
			continue
		}
		if best > 0 && fewest > d.columns && share >= 0.5 || share > best+0.05 ||
			share >= 0.9 && share > best-0.1 && (d.delimiter == ',' || columns >= d.columns) {
			d.delimiter, d.columns = delimiter, columns
			best = max(best, share)
		}
	}
	return d
}

// agreement returns the number of cells that most rows have with a delimiter, the fewest cells of a row,
// and the share of the rows with the usual number.
func agreement(text string, delimiter rune) (columns, fewest int, share float64) {
	counts := map[int]int{}
	all := 0
	r := newRecords(text, delimiter)
	for rec, ok := r.read(); ok && all < sniffRows; rec, ok = r.read() {
		counts[len(rec.cells)]++
		if all == 0 || len(rec.cells) < fewest {
			fewest = len(rec.cells)
		}
		all++
	}
	most := 0
	for n, rows := range counts {
		if n > 1 && (rows > most || rows == most && n > columns) {
			columns, most = n, rows
		}
	}
	return columns, fewest, float64(most) / float64(max(all, 1))
}
