package xlsx

import (
	"cmp"
	"context"
	"encoding/xml"
	"slices"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/office/sheet"
	"docent/ingest/extract/zipxml"
)

// link is the link of a cell.
type link struct {
	column, row int
	id          string // of the relation
}

// maxLinks bounds the links of a sheet.
const maxLinks = 100_000

// addLink notes the link of a cell.
func (s *sheetReader) addLink(e xml.StartElement) {
	ref, _, _ := strings.Cut(zipxml.Attr(e, "ref"), ":")
	column, row, ok := parseCell(ref)
	if id := zipxml.AttrIn(e, "r", "id"); ok && id != "" && len(s.links) < maxLinks {
		s.links = append(s.links, link{column, row, id})
	}
}

// showLinks writes the addresses of links behind the texts of their cells.
func (s *sheetReader) showLinks(ctx context.Context, part string) error {
	if len(s.links) == 0 {
		return nil
	}
	addresses, err := s.w.a.Links(ctx, part)
	if err != nil {
		return err
	}
	for _, l := range s.links {
		i, ok := slices.BinarySearchFunc(s.grid.Rows, l.row, func(r sheet.Row, row int) int { return cmp.Compare(r.Number, row) })
		if !ok {
			continue
		}
		for k := range s.grid.Rows[i].Cells {
			if c := &s.grid.Rows[i].Cells[k]; c.Column == l.column {
				c.Text = content.Linked(c.Text, addresses[l.id])
			}
		}
	}
	return nil
}

// linkFormula returns the address in a formula such as HYPERLINK("address","text"), or "".
func linkFormula(formula string) string {
	const name = "HYPERLINK("
	formula = strings.TrimSpace(formula)
	if len(formula) < len(name) || !strings.EqualFold(formula[:len(name)], name) {
		return ""
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(formula[len(name):]), `"`)
	if !ok {
		return ""
	}
	address, _, _ := strings.Cut(rest, `"`)
	return address
}

// linkText returns the text in a formula such as HYPERLINK("address","text"), or "" if another formula gives it.
func linkText(formula string) string {
	address := linkFormula(formula)
	if address == "" {
		return ""
	}
	_, rest, _ := strings.Cut(formula, address+`"`)
	rest = strings.TrimSpace(rest)
	if rest == ")" {
		return address
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(rest, ",;")), `"`)
	text, end, closed := strings.Cut(text, `"`)
	if !ok || !closed || strings.TrimSpace(end) != ")" {
		return ""
	}
	return text
}
