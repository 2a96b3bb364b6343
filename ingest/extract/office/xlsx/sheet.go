package xlsx

import (
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/numfmt"
	"docent/ingest/extract/office/content"
	"docent/ingest/extract/office/sheet"
	"docent/ingest/extract/zipxml"
)

// sheetReader reads the part of a sheet.
type sheetReader struct {
	w    *workbook
	grid sheet.Grid

	hiddenColumns map[int]bool
	columnSteps   int // number of steps spent on hidden columns
	hiddenRows    int
	next          int // number of the next row
	row           sheet.Row
	rowHidden     bool
	struckRun     bool
	col           int // column of the current or last cell
	kind          string
	style         int
	value         strings.Builder
	formula       strings.Builder
	inValue       bool
	inFormula     bool
	filters       filters
	links         []link
	uncomputed    int // number of formulas without a value
	phonetic      int // depth inside phonetic readings
}

// token handles the next token.
func (s *sheetReader) token(t xml.Token) error {
	s.filters.token(t)
	switch t := t.(type) {
	case xml.StartElement:
		if s.phonetic > 0 || t.Name.Local == "rPh" {
			s.phonetic++
			return nil
		}
		s.start(t)
	case xml.EndElement:
		if s.phonetic > 0 {
			s.phonetic--
			return nil
		}
		return s.end(t.Name.Local)
	case xml.CharData:
		switch {
		case s.phonetic > 0:
		case s.inValue:
			s.value.Write(t)
		case s.inFormula && s.formula.Len()+len(t) <= maxFormula:
			s.formula.Write(t)
		}
	}
	return nil
}

func (s *sheetReader) start(e xml.StartElement) {
	switch e.Name.Local {
	case "c":
		s.startCell(e)
	case "v", "t":
		s.inValue = !s.struckRun
	case "f":
		s.inFormula = true
	case "strike": // of a run in a text of the cell itself
		value := zipxml.Attr(e, "val")
		s.struckRun = value == "" || isOn(value)
	case "hyperlink":
		s.addLink(e)
	case "row":
		s.startRow(e)
	case "col":
		s.column(e)
	case "mergeCell":
		if m, ok := parseArea(zipxml.Attr(e, "ref")); ok && len(s.grid.Merges) < sheet.MaxMerges {
			s.grid.Merges = append(s.grid.Merges, m)
		}
	}
}

// startRow opens a row.
func (s *sheetReader) startRow(e xml.StartElement) {
	n, grouped := s.next, false
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "r":
			if v, err := strconv.Atoi(a.Value); err == nil && v > 0 && v <= sheet.MaxRows {
				n = v - 1
			}
		case "hidden":
			s.rowHidden = isOn(a.Value)
		case "outlineLevel":
			grouped = a.Value != "" && a.Value != "0"
		}
	}
	s.rowHidden = s.rowHidden && !grouped // a group that is closed is content, too
	s.next = n + 1
	if s.rowHidden {
		s.hiddenRows++
	}
	s.row = sheet.Row{Number: n, HiddenAbove: s.hiddenRows, Hidden: s.rowHidden}
	s.col = -1
}

// startCell opens a cell.
func (s *sheetReader) startCell(e xml.StartElement) {
	s.col++
	s.kind, s.style = "", 0
	s.value.Reset()
	s.formula.Reset()
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "r":
			if col, _, ok := parseCell(a.Value); ok {
				s.col = col
			}
		case "t":
			s.kind = a.Value
		case "s":
			s.style, _ = strconv.Atoi(a.Value)
		}
	}
}

// column records hidden columns.
func (s *sheetReader) column(e xml.StartElement) {
	if level := zipxml.Attr(e, "outlineLevel"); !isOn(zipxml.Attr(e, "hidden")) || level != "" && level != "0" {
		return
	}
	from, errFrom := strconv.Atoi(zipxml.Attr(e, "min"))
	to, errTo := strconv.Atoi(zipxml.Attr(e, "max"))
	if errFrom != nil || errTo != nil || s.columnSteps >= 4*sheet.MaxColumns {
		return
	}
	for c := max(from, 1); c <= min(to, sheet.MaxColumns); c++ {
		s.hiddenColumns[c-1] = true
		s.columnSteps++
	}
}

func (s *sheetReader) end(name string) error {
	s.inValue, s.inFormula = false, false
	switch name {
	case "r", "is":
		s.struckRun = false
	case "c":
		s.endCell()
	case "row":
		s.rowHidden = false
		return s.grid.AddRow(s.row)
	}
	return nil
}

// endCell adds the open cell to its row.
func (s *sheetReader) endCell() {
	if s.col < 0 || s.col >= sheet.MaxColumns || s.hiddenColumns[s.col] || len(s.row.Cells) >= sheet.MaxColumns {
		return
	}
	style := s.w.styles.at(s.style)
	var text string
	var number bool
	formula := s.formula.String()
	switch {
	case style.struck:
		return
	case s.value.Len() > 0:
		text, number = s.text(strings.Clone(s.value.String()), style)
		text = content.Linked(content.SymbolRun(style.font, text), linkFormula(formula))
	case formula != "" && s.kind != "str" && linkText(formula) != "":
		text = content.Linked(linkText(formula), linkFormula(formula))
	case formula != "" && s.kind != "str": // no program has computed it yet
		text, number = "="+strings.TrimPrefix(formula, "="), true
		s.uncomputed++
	}
	if strings.TrimSpace(text) != "" {
		s.row.Cells = append(s.row.Cells, sheet.Cell{Column: s.col, Text: text, Numeric: number})
	}
}

// maxFormula is the longest formula that is shown, in bytes.
const maxFormula = 500

// text returns the value of a cell as Excel displays it.
func (s *sheetReader) text(v string, style cellStyle) (text string, number bool) {
	f := style.format
	switch s.kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil {
			return "", false
		}
		return f.Text(s.w.strings.at(i)), false
	case "b":
		if strings.TrimSpace(v) == "1" {
			return "TRUE", true
		}
		return "FALSE", true
	case "str", "inlineStr", "e":
		return f.Text(v), false
	case "d":
		return strings.Replace(strings.TrimSuffix(v, "T00:00:00"), "T", " ", 1), true
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	switch {
	case err != nil:
		return v, false
	case f == nil:
		return numfmt.General(n), true
	default:
		return f.Number(n, s.w.date1904), true
	}
}

// parseCell reads a reference such as "AB12". The column and the row count from
// 0.
func parseCell(ref string) (col, row int, ok bool) {
	i := 0
	for i < len(ref) && i < 4 && ref[i]|0x20 >= 'a' && ref[i]|0x20 <= 'z' {
		col = col*26 + int(ref[i]|0x20-'a') + 1
		i++
	}
	row, err := strconv.Atoi(ref[i:])
	return col - 1, row - 1, err == nil && col > 0 && row > 0
}

// parseArea reads a reference such as "A1:B2".
func parseArea(ref string) (sheet.Area, bool) {
	from, to, _ := strings.Cut(ref, ":")
	left, top, ok := parseCell(from)
	right, bottom, ok2 := parseCell(to)
	return sheet.Area{Top: top, Left: left, Bottom: bottom, Right: right}, ok && ok2
}
