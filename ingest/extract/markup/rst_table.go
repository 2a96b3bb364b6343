package markup

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"docent/ingest/extract/blocks"
)

// gridTable reads a table drawn with lines and returns the number of its lines.
func (r *rst) gridTable(caption string, lines []string) int {
	n := 0
	for n < len(lines) && lines[n] != "" && (lines[n][0] == '+' || lines[n][0] == '|') {
		n++
	}
	if n < 3 {
		return r.paragraph(lines)
	}
	columns := gridColumns(lines[:n])
	g := blocks.Grid{Caption: caption}
	cells := make([]string, len(columns))
	flush := func() {
		if slices.ContainsFunc(cells, func(c string) bool { return !blocks.IsBlank(c) }) {
			row := make([]string, 0, len(cells))
			for _, c := range cells {
				row = append(row, r.inline(c))
			}
			g.Rows = append(g.Rows, row)
		}
		cells = make([]string, len(columns))
	}
	for _, l := range lines[:n] {
		switch {
		case rstGridBorder.MatchString(l):
			flush()
			if strings.Contains(l, "=") {
				g.Headers = len(g.Rows)
			}
		case strings.Contains(l, "+-") && strings.Contains(l, "-+"): // a cell spans rows
			addGridCells(cells, columns, strings.NewReplacer("-", " ", "+", "|").Replace(l))
			flush()
		default:
			addGridCells(cells, columns, l)
		}
	}
	flush()
	r.Table(g)
	return n
}

// gridColumns returns the first character of each column.
func gridColumns(lines []string) []int {
	seen := map[int]bool{}
	for _, l := range lines {
		if l[0] != '+' {
			continue
		}
		for i := range l { // borders are ASCII
			if l[i] == '+' && len(seen) < blocks.MaxColumns {
				seen[i] = true
			}
		}
	}
	out := make([]int, 0, len(seen))
	for i := range seen {
		out = append(out, i)
	}
	slices.Sort(out)
	return out[:max(len(out)-1, 0)]
}

// addGridCells adds a line of a table to the cells of its row.
func addGridCells(cells []string, columns []int, line string) {
	runes := []rune(line)
	from := 0
	for k := range columns {
		if k+1 < len(columns) {
			if at := columns[k+1]; at >= len(runes) || runes[at] != '|' {
				continue // the cell spans columns
			}
		}
		start, end := columns[from]+1, len(runes)
		if k+1 < len(columns) {
			end = columns[k+1]
		}
		if start < end {
			text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(runes[start:end])), "|"))
			if text != "" {
				cells[from] += " " + text
			}
		}
		from = k + 1
	}
}

// simpleTable reads a table with underlined columns and returns the number of
// its lines.
func (r *rst) simpleTable(caption string, lines []string) int {
	columns := simpleColumns(lines[0])
	g := blocks.Grid{Caption: caption}
	borders, n := 1, 1
	for ; n < len(lines); n++ {
		l := lines[n]
		if rstSimpleBorder.MatchString(l) || isAdornment(l) && l[0] == '=' {
			borders++
			if n+1 >= len(lines) || blocks.IsBlank(lines[n+1]) || borders == 3 {
				n++
				break
			}
			g.Headers = len(g.Rows)
			continue
		}
		if blocks.IsBlank(l) || strings.Trim(l, "- ") == "" {
			continue
		}
		cells := simpleCells(l, columns)
		if len(g.Rows) > 0 && cells[0] == "" && len(g.Rows) != g.Headers {
			last := g.Rows[len(g.Rows)-1]
			for i, c := range cells {
				if c != "" {
					last[i] += " " + c
				}
			}
			continue
		}
		g.Rows = append(g.Rows, cells)
	}
	if borders < 2 {
		return r.paragraph(lines)
	}
	for _, row := range g.Rows {
		for i := range row {
			row[i] = r.inline(row[i])
		}
	}
	r.Table(g)
	return n
}

// simpleColumns returns the first character of each column of a simple table.
func simpleColumns(border string) []int {
	var out []int
	for i := range border {
		if border[i] == '=' && (i == 0 || border[i-1] == ' ') && len(out) < blocks.MaxColumns {
			out = append(out, i)
		}
	}
	return out
}

// simpleCells divides a line at the columns.
func simpleCells(line string, columns []int) []string {
	runes := []rune(line)
	cells := make([]string, len(columns))
	for i, from := range columns {
		to := len(runes)
		if i+1 < len(columns) {
			to = min(columns[i+1], len(runes))
		}
		if from < to {
			cells[i] = strings.TrimSpace(string(runes[from:to]))
			if cells[i] == `\` {
				cells[i] = ""
			}
		}
	}
	return cells
}

// csvTable reads the table of a csv-table directive.
func (r *rst) csvTable(caption string, options map[string]string, body []string) {
	g := blocks.Grid{Caption: caption, Headers: headerRows(options)}
	source := strings.Join(body, "\n")
	if h := options["header"]; h != "" {
		source = h + "\n" + source
		g.Headers++
	}
	rows := csv.NewReader(strings.NewReader(source))
	if d := []rune(options["delim"]); len(d) == 1 && d[0] != '"' && d[0] != '\n' {
		rows.Comma = d[0]
	}
	rows.FieldsPerRecord, rows.LazyQuotes, rows.TrimLeadingSpace = -1, true, true
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			continue
		}
		for i := range cells {
			cells[i] = r.inline(cells[i])
		}
		g.Rows = append(g.Rows, cells)
	}
	r.Table(g)
}

// headerRows returns the number of header rows in the options.
func headerRows(options map[string]string) int {
	n, err := strconv.Atoi(options["header-rows"])
	if err != nil {
		return 0
	}
	return max(0, n)
}

// listTable reads the table of a list-table directive: a list of lists.
func (r *rst) listTable(caption string, options map[string]string, body []string) {
	g := blocks.Grid{Caption: caption, Headers: headerRows(options)}
	for _, row := range bulleted(body) {
		var cells []string
		for _, cell := range bulleted(row) {
			cells = append(cells, r.inline(strings.Join(cell, " ")))
		}
		g.Rows = append(g.Rows, cells)
	}
	r.Table(g)
}

// bulleted splits lines into the content of their bullets.
func bulleted(lines []string) [][]string {
	var out [][]string
	lines = blocks.Dedent(lines)
	for i := 0; i < len(lines); {
		m := rstBullet.FindString(lines[i])
		if m == "" {
			i++
			continue
		}
		n := 1 + blocks.Indented(lines[i+1:])
		item := append([]string{lines[i][len(m):]}, dedent2(lines[i+1:i+n])...)
		if inner := rstBullet.FindString(item[0]); inner != "" { // aligns the first line with the others
			item = append([]string{item[0]}, blocks.Dedent(item[1:])...)
		}
		out = append(out, item)
		i += n
	}
	return out
}
