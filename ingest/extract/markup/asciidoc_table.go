package markup

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/internal/lazyregexp"
)

var (
	adocCols     = lazyregexp.New(`cols=(?:"([^"\]]*)"|([^",\]]+))`)
	adocRepeat   = lazyregexp.New(`^(\d{1,2})\*`)
	adocCellMark = lazyregexp.New(`(?:^|\s)(?:(\d{1,3})?(?:\.\d{1,3})?([+*]))?[<^>]?(?:\.[<^>])?[adehlmsv]?$`)
)

// tableBlock reads a table.
func (a *asciidoc) tableBlock(fence string) {
	style := a.style
	body := a.delimited(fence)
	g := blocks.Grid{Caption: a.caption}
	a.caption, a.style = "", ""
	if fence[0] == ',' || strings.Contains(style, "format=csv") || strings.Contains(style, `format="csv"`) {
		g.Rows = csvRows(strings.Join(body, "\n"))
	} else {
		g.Rows = a.cells(body, columnCount(style))
	}
	for _, row := range g.Rows {
		for i := range row {
			row[i] = a.inline(row[i])
		}
	}
	if strings.Contains(style, "header") || len(body) > 1 && !blocks.IsBlank(body[0]) && blocks.IsBlank(body[1]) &&
		!strings.Contains(style, "noheader") {
		g.Headers = 1
	}
	a.Table(g)
}

// csvRows returns the rows of a CSV table.
func csvRows(source string) [][]string {
	r := csv.NewReader(strings.NewReader(source))
	r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = -1, true, true
	var out [][]string
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err == nil {
			out = append(out, cells)
		}
	}
}

// columnCount returns the number of columns in an attribute line, or 0.
func columnCount(style string) int {
	m := adocCols.FindStringSubmatch(style)
	if m == nil || m[1]+m[2] == "" {
		return 0
	}
	n := 0
	for _, c := range strings.Split(strings.ReplaceAll(m[1]+m[2], ";", ","), ",") {
		n++
		if r := adocRepeat.FindStringSubmatch(strings.TrimSpace(c)); r != nil {
			k, err := strconv.Atoi(r[1])
			if err == nil {
				n += k - 1
			}
		}
	}
	return min(n, blocks.MaxColumns)
}

// cells divides the lines of a table into rows. If the number of columns is
// unknown, the first line determines it.
func (a *asciidoc) cells(body []string, columns int) [][]string {
	var all []string
	for _, l := range body {
		if strings.HasPrefix(l, "//") || blocks.IsBlank(l) {
			continue
		}
		parts := strings.Split(strings.ReplaceAll(l, `\|`, "\x01"), "|")
		if len(all) > 0 && strings.TrimSpace(parts[0]) != "" {
			all[len(all)-1] += "\n" + withoutSpec(parts[0], len(parts) > 1)
		}
		spec := parts[0]
		for i, p := range parts[1:] {
			last := i == len(parts)-2
			text := withoutSpec(p, !last)
			for range cellRepeat(spec) {
				all = append(all, text)
				text = "" // a cell that spans columns is written once
			}
			spec = p
		}
		if columns == 0 && len(parts) > 1 {
			columns = len(all)
		}
	}
	columns = max(columns, 1)
	var rows [][]string
	for len(all) > 0 {
		n := min(columns, len(all))
		row := make([]string, n)
		for i, c := range all[:n] {
			row[i] = strings.ReplaceAll(c, "\x01", "|")
		}
		rows, all = append(rows, row), all[n:]
	}
	return rows
}

// withoutSpec removes the specification of the next cell, which follows a
// cell's text.
func withoutSpec(text string, more bool) string {
	if !more {
		return text
	}
	tail := max(0, len(text)-12)
	if m := adocCellMark.FindStringIndex(text[tail:]); m != nil && m[1] > m[0] {
		return text[:tail+m[0]]
	}
	return text
}

// cellRepeat returns the number of columns of the cell after a specification.
func cellRepeat(spec string) int {
	m := adocCellMark.FindStringSubmatch(spec[max(0, len(spec)-12):])
	if m == nil || m[1] == "" {
		return 1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 1
	}
	return max(1, min(n, 50))
}
