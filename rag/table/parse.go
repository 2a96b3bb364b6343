package table

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
)

const (
	// separator stands between the cells of a row that a reader wrote; see ingest/extract/table.
	separator = " | "
	// maxHeaderRows limits the rows of a header.
	maxHeaderRows = 3
	// maxHeaderCell limits the length of a header's cell in bytes.
	maxHeaderCell = 80
	// maxColumns limits the columns of a table.
	maxColumns = 100
)

// rule matches the line below the header of a Markdown table.
var rule = lazyregexp.New(`^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?$`)

// line is a line of a block.
type line struct {
	text       string
	start, end int
	cells      []string
}

// Parse returns the tables in a text. language is the ISO 639-1 code of the text, or "". Tables without a header, and tables
// whose rows do not fit their header are omitted.
func Parse(text, language string) []Table {
	var out []Table
	before := ""
	for start := 0; start < len(text); {
		end := len(text)
		if i := strings.Index(text[start:], "\n\n"); i >= 0 {
			end = start + i
		}
		t, ok := parseBlock(text, start, end)
		last := len(out) - 1
		switch {
		case ok && last >= 0 && t.goesOn(&out[last], before):
			out[last].Rows, out[last].End = append(out[last].Rows, t.Rows...), t.End
		case ok && len(t.Columns) > 0:
			t.Context = before
			out = append(out, t)
		}
		before = ""
		if !ok {
			before = strings.TrimSpace(text[start:end])
		}
		start = end
		for start < len(text) && text[start] == '\n' {
			start++
		}
	}
	out = slices.DeleteFunc(out, func(t Table) bool { return len(t.Rows) == 0 || !t.aligned() })
	for i := range out {
		out[i].align()
		out[i].markTotals()
		out[i].setTypes(language)
		out[i].checkLast()
		if turned, ok := across(&out[i], language); ok {
			out[i] = turned
		}
		out[i].setIndex(language)
	}
	return out
}

// goesOn reports whether rows are the rest of the table before, as on the next page: they have no header, or the same one
// with nothing in between.
func (t *Table) goesOn(last *Table, between string) bool {
	if len(t.Columns) > 0 {
		return between == "" && t.Caption == "" && slices.EqualFunc(t.Columns, last.Columns, func(a,
			b Column,
		) bool {
			return a.Header == b.Header
		})
	}
	width := 0
	for _, r := range t.Rows {
		width = max(width, len(r.Cells))
	}
	return width == len(last.Columns)
}

// aligned reports whether no row has more cells than the header. Otherwise the columns are shifted.
func (t *Table) aligned() bool {
	return !slices.ContainsFunc(t.Rows, func(r Row) bool { return len(r.Cells) > len(t.Columns) })
}

// align adds the empty cells at the end of rows, which readers omit.
func (t *Table) align() {
	for i := range t.Rows {
		r := &t.Rows[i]
		for len(r.Cells) < len(t.Columns) {
			r.Cells = append(r.Cells, Cell{})
		}
		for c := range r.Cells {
			r.Cells[c].Missing = missing(r.Cells[c].Text)
		}
	}
}

// parseBlock reads the lines between two blank lines as a table. Without a header, it has rows and no columns.
func parseBlock(text string, start, end int) (Table, bool) {
	if strings.Count(text[start:end], "|") < 2 {
		return Table{}, false
	}
	var lines []line
	ruled := -1
	for at := start; at < end; {
		to := end
		if i := strings.IndexByte(text[at:end], '\n'); i >= 0 {
			to = at + i
		}
		if s := strings.TrimSpace(text[at:to]); s != "" {
			if rule.MatchString(s) && ruled < 0 {
				ruled = len(lines)
			} else {
				lines = append(lines, line{text: s, start: at, end: to})
			}
		}
		at = to + 1
	}
	for i := range lines {
		lines[i].cells = cells(lines[i].text, ruled > 0)
	}
	first := slices.IndexFunc(lines, func(l line) bool { return len(l.cells) > 1 })
	if first < 0 {
		return Table{}, false
	}
	t := Table{Start: lines[first].start, End: end}
	for _, l := range lines[:first] {
		t.Caption = strings.TrimSpace(t.Caption + " " + l.text)
	}
	lines = lines[first:]
	if ruled < 0 {
		n := notes(lines)
		for _, l := range lines[:n] {
			t.Caption = strings.TrimSpace(t.Caption + " " + strings.Join(strings.Fields(strings.Join(l.cells, " ")), " "))
		}
		if lines = lines[n:]; n > 0 {
			lines = lines[:len(lines)-footnotes(lines)]
		}
	}
	header := headerRows(lines, ruled-first)
	if header > 0 && t.name(lines[:header]) {
		lines = lines[header:]
		if len(lines) > 1 && t.units(lines[0].cells, lines[1:]) {
			lines = lines[1:]
		}
	}
	for _, l := range lines {
		if len(l.cells) < 2 { // a title of the rows below
			continue
		}
		row := Row{Start: l.start, End: l.end, Cells: make([]Cell, len(l.cells))}
		places := cellPlaces(text[l.start:l.end], ruled > 0)
		for i, c := range l.cells {
			row.Cells[i].Text = c
			if c != "" && len(places) == len(l.cells) {
				row.Cells[i].Start, row.Cells[i].End = l.start+places[i][0], l.start+places[i][1]
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, true
}

// cells splits a row into its cells. A bar behind a backslash belongs to its cell.
func cells(row string, markdown bool) []string {
	const escaped = "\x00"
	var parts []string
	switch row = strings.ReplaceAll(row, `\|`, escaped); {
	case markdown:
		row = linked.ReplaceAllString(row, "$1")
		parts = strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|")
	default:
		if strings.HasPrefix(row, "|") {
			row = " " + row // the reader removed the space in front of an empty cell
		}
		parts = strings.Split(row, separator)
	}
	for i := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(strings.ReplaceAll(parts[i], escaped, "|")), "*_`")
	}
	return parts
}

// cellPlaces returns the first and the last byte of each cell of a row, without the spaces around it. It splits the row like cells.
func cellPlaces(row string, markdown bool) [][2]int {
	first := len(row) - len(strings.TrimLeft(row, " \t\r"))
	end := len(strings.TrimRight(row, " \t\r"))
	if markdown {
		if first < end && row[first] == '|' {
			first++
		}
		if end > first && row[end-1] == '|' && (end < 2 || row[end-2] != '\\') {
			end--
		}
	}
	var out [][2]int
	add := func(from, to int) {
		part := row[from:to]
		from += len(part) - len(strings.TrimLeft(part, " \t\r"))
		out = append(out, [2]int{from, max(from, from+len(strings.TrimSpace(part)))})
	}
	at := first
	for i := first; i < end; i++ {
		if row[i] != '|' || i > 0 && row[i-1] == '\\' {
			continue
		}
		if !markdown && (i > first && row[i-1] != ' ' || i+1 < end && row[i+1] != ' ') {
			continue
		}
		add(at, max(at, i))
		at = i + 1
	}
	add(at, max(at, end))
	return out
}

// linked matches a link in Markdown. The group is its text.
var linked = lazyregexp.New(`!?\[([^\[\]]*)\]\([^()\s]*\)`)

// headerRows returns the number of rows of the header, or 0 without one. ruled is the position of the rule, or below 1.
func headerRows(lines []line, ruled int) int {
	if len(lines) < 2 {
		return 0
	}
	if ruled > 0 {
		return ruled
	}
	if !namesColumns(lines[0].cells) {
		return 0
	}
	n := 1
	for n < min(maxHeaderRows, len(lines)-1) && continues(lines[n-1].cells, lines[n].cells) {
		n++
	}
	return n
}

// namesColumns reports whether the cells of a first row are names and not values.
func namesColumns(cells []string) bool {
	empty := 0
	for _, c := range cells {
		if c == "" {
			empty++
			continue
		}
		if len(c) > maxHeaderCell || strings.HasSuffix(c, ":") || isValue(c) && !isYear(c) || missing(c) {
			return false
		}
	}
	return len(cells)-empty > 1 && empty < (len(cells)+1)/2+1
}

// continues reports whether a row is a further row of the header above it: it repeats the names of columns that span both
// rows, and divides others.
func continues(above, cells []string) bool {
	same := 0
	for same < len(above) && same < len(cells) && above[same] == cells[same] && cells[same] != "" {
		same++
	}
	return same > 0 && same < len(cells) && namesColumns(cells)
}

// name sets the columns from the rows of the header.
func (t *Table) name(header []line) bool {
	width := 0
	for _, l := range header {
		width = max(width, len(l.cells))
	}
	if width < 2 || width > maxColumns {
		return false
	}
	names := make([]string, width)
	for i, l := range header {
		row := l.cells
		if i < len(header)-1 {
			row = spread(row, header[i+1].cells)
		}
		for c := range min(len(row), width) {
			if row[c] != "" && !strings.HasSuffix(names[c], row[c]) {
				names[c] = strings.TrimSpace(names[c] + " " + row[c])
			}
		}
	}
	t.Columns = make([]Column, width)
	for i, n := range names {
		t.Columns[i] = Column{Header: n}
		t.Columns[i].Name, t.Columns[i].Unit = splitUnit(n)
	}
	return true
}

// spread repeats the names of groups of columns over their columns. A reader left the other columns of a group empty, or
// omitted them. If it omitted them, the columns of all groups must have the same names.
func spread(groups, below []string) []string {
	same := 0
	for same < len(groups) && same < len(below) && groups[same] == below[same] {
		same++
	}
	out := slices.Clone(below)
	rest, columns := groups[same:], below[same:]
	switch {
	case len(rest) == 0:
		return out
	case slices.Contains(rest, "") || len(groups) == len(below):
		name := ""
		for i := range columns {
			if i < len(rest) && rest[i] != "" {
				name = rest[i]
			}
			out[same+i] = name
		}
	case len(columns)%len(rest) == 0 && periodic(columns, len(columns)/len(rest)):
		for i := range columns {
			out[same+i] = rest[i/(len(columns)/len(rest))]
		}
	default:
		for i := range columns {
			out[same+i] = ""
		}
	}
	return out
}

func periodic(names []string, n int) bool {
	for i := n; i < len(names); i++ {
		if names[i] != names[i-n] {
			return false
		}
	}
	return n < len(names)
}

// units sets the units of the columns if the row below the header has units and no values.
func (t *Table) units(row []string, below []line) bool {
	if len(row) > len(t.Columns) || len(row) == 0 || row[0] != "" {
		return false
	}
	found := false
	for i, c := range row {
		if c == "" {
			continue
		}
		numbers := slices.ContainsFunc(below, func(l line) bool { return i < len(l.cells) && isValue(l.cells[i]) })
		if isValue(c) || missing(c) || utf8.RuneCountInString(c) > 12 || !numbers {
			return false
		}
		found = true
	}
	for i, c := range row {
		if c != "" {
			t.Columns[i].Unit = canonicalUnit(strings.Trim(c, "[]()"))
		}
	}
	return found
}

// noValue are the texts of cells without a value.
var noValue = map[string]bool{
	"": true, "-": true, "–": true, "—": true, "--": true, "---": true, "n/a": true, "na": true, "n. a.": true, "n.a.": true,
	"k. a.": true,
	"k.a.":  true, "null": true, "nil": true, "?": true, "…": true, "...": true, ".": true, "/": true, "|": true,
	"unknown": true, "unbekannt": true,
	"keine angabe": true, "none": true, "tbd": true,
}

func missing(cell string) bool { return noValue[strings.ToLower(strings.TrimSpace(cell))] }

// totalLabels are the labels of rows that sum up others.
var totalLabels = map[string]bool{
	"total": true, "totals": true, "sum": true, "grand total": true, "subtotal": true, "summe": true, "gesamt": true, "gesamtsumme": true,
	"insgesamt": true, "zwischensumme": true, "average": true, "mean": true, "durchschnitt": true, "mittelwert": true, "mittel": true,
	"median": true, "all": true, "alle": true, "overall": true,
}

// markTotals marks rows with the label of a total.
func (t *Table) markTotals() {
	for i := range t.Rows {
		for _, c := range t.Rows[i].Cells {
			if c.Missing {
				continue
			}
			label := strings.ToLower(strings.TrimRight(c.Text, ": "))
			first, _, _ := strings.Cut(label, " ")
			t.Rows[i].Total = totalLabels[label] || i == len(t.Rows)-1 && totalLabels[first] && !strings.ContainsFunc(label, unicode.IsDigit)
			break
		}
	}
}

// checkLast marks a last row without a label as a total if it has the sum of a column.
func (t *Table) checkLast() {
	last := len(t.Rows) - 1
	if last < 2 || t.Rows[last].Total || !t.Rows[last].Cells[0].Missing {
		return
	}
	for c, column := range t.Columns {
		if !column.summable() || !t.Rows[last].Cells[c].Valued {
			continue
		}
		sum := 0.0
		for _, r := range t.Rows[:last] {
			sum += r.Cells[c].Value
		}
		if d := sum - t.Rows[last].Cells[c].Value; d < .01 && d > -.01 {
			t.Rows[last].Total = true
		}
	}
}
