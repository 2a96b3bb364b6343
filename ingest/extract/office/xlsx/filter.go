package xlsx

import (
	"context"
	"encoding/xml"

	"docent/ingest/extract/office/sheet"
	"docent/ingest/extract/zipxml"
)

// filters are the areas of a sheet in which a filter hides rows. Such rows are content: the
// filter only tells which of them were looked at last.
type filters struct {
	mode  bool // the sheet says that a filter hides rows
	areas []sheet.Area
	open  sheet.Area
	in    bool // inside a filter
}

// maxFilters bounds the filters of a sheet.
const maxFilters = 1000

// token handles the next token of a sheet or table.
func (f *filters) token(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "sheetPr":
			f.mode = isOn(zipxml.Attr(t, "filterMode"))
		case "autoFilter":
			f.open, f.in = parseArea(zipxml.Attr(t, "ref"))
		case "filterColumn":
			if f.in && len(f.areas) < maxFilters {
				f.areas = append(f.areas, f.open)
			}
			f.in = false // one condition is enough
		}
	case xml.EndElement:
		if t.Name.Local == "autoFilter" {
			f.in = false
		}
	}
}

// isOn reports whether a Boolean attribute is set.
func isOn(value string) bool { return value == "1" || value == "true" }

// hides reports whether a filter hides a row.
func (f *filters) hides(row int) bool {
	if len(f.areas) == 0 {
		return f.mode
	}
	for _, a := range f.areas {
		if row > a.Top && row <= a.Bottom {
			return true
		}
	}
	return false
}

// showFiltered keeps the rows that a filter hides and drops the other hidden rows.
func (s *sheetReader) showFiltered(ctx context.Context, part string) error {
	if s.hiddenRows == 0 {
		return nil
	}
	relations, err := s.w.a.Relations(ctx, part)
	if err != nil {
		return err
	}
	for i, r := range relations {
		if r.Type != "table" || i >= maxFilters {
			continue
		}
		err := s.w.a.Stream(ctx, r.Target, func(t xml.Token) error {
			s.filters.token(t)
			return nil
		})
		if err != nil {
			return err
		}
	}
	rows := s.grid.Rows[:0]
	shown := 0
	for _, r := range s.grid.Rows {
		if r.Hidden {
			if !s.filters.hides(r.Number) {
				continue
			}
			shown++
		}
		r.HiddenAbove -= shown
		rows = append(rows, r)
	}
	s.grid.Rows = rows
	return nil
}
