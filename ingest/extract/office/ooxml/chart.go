package ooxml

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/numfmt"
	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
)

// Bounds on the values read of one chart.
const (
	maxSeries = 64
	maxPoints = 2000
)

// chart is a chart of DrawingML: its titles and its values.
type chart struct {
	titles     []string
	categories []string
	series     []series
}

// series is a named series of values.
type series struct {
	name   string
	values []string
}

// AddChart reads a chart and adds its titles and its values as a table.
func AddChart(ctx context.Context, b *outline.Builder, data []byte) error {
	c, err := readChart(ctx, data)
	if err != nil {
		return err
	}
	for _, t := range c.titles {
		b.Add(outline.Paragraph, 0, "\n\n", t)
	}
	header := []string{""}
	rows := max(len(c.categories), 0)
	for _, s := range c.series {
		header = append(header, s.name)
		rows = max(rows, len(s.values))
	}
	if len(c.series) == 0 {
		return nil
	}
	table := [][]string{header}
	for i := range rows {
		row := []string{at(c.categories, i)}
		for _, s := range c.series {
			row = append(row, at(s.values, i))
		}
		table = append(table, row)
	}
	content.AddRows(b, table, true)
	return nil
}

// at returns the i-th text, or "" beyond the end.
func at(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return ""
}

// readChart reads a chart's part.
func readChart(ctx context.Context, data []byte) (*chart, error) {
	c := &chart{}
	var within []string
	var text strings.Builder
	index := 0
	err := zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			within = append(within, t.Name.Local)
			switch t.Name.Local {
			case "title", "v":
				text.Reset()
			case "ser":
				if len(c.series) <= maxSeries {
					c.series = append(c.series, series{})
				}
			case "pt":
				index, _ = strconv.Atoi(zipxml.Attr(t, "idx"))
			case "p":
				text.WriteByte(' ')
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "title":
				if s := strings.Join(strings.Fields(text.String()), " "); s != "" && len(c.titles) < maxSeries {
					c.titles = append(c.titles, s)
				}
			case "v":
				c.value(within, index, text.String())
			}
			if len(within) > 0 {
				within = within[:len(within)-1]
			}
		case xml.CharData:
			if n := len(within); n > 0 && (within[n-1] == "t" || within[n-1] == "v") {
				text.Write(t)
			}
		}
		return nil
	})
	c.series = c.series[:min(len(c.series), maxSeries)]
	return c, err
}

// value stores a value. The elements around it determine its place.
func (c *chart) value(within []string, index int, text string) {
	n := len(c.series)
	if n == 0 || n > maxSeries || index < 0 || index >= maxPoints {
		return
	}
	s := &c.series[n-1]
	for _, name := range within {
		switch name {
		case "tx":
			s.name = text
			return
		case "cat", "xVal":
			if n == 1 {
				c.categories = put(c.categories, index, text)
			}
			return
		case "val", "yVal":
			s.values = put(s.values, index, roundText(text))
			return
		}
	}
}

// put sets the i-th text of a list and extends the list as needed.
func put(list []string, i int, text string) []string {
	for len(list) <= i {
		list = append(list, "")
	}
	list[i] = text
	return list
}

// roundText rounds a stored number as programs display it, such as
// 0.30000000000000004 to 0.3.
func roundText(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) < 12 {
		return s
	}
	return numfmt.General(f)
}

// AddDiagram adds the texts of a diagram (SmartArt) in the order of its data.
func AddDiagram(ctx context.Context, b *outline.Builder, data []byte) error {
	var text strings.Builder
	inText, separator := false, "\n\n"
	return zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			inText = t.Name.Local == "t" && t.Name.Space == "a"
			if t.Name.Local == "pt" && t.Name.Space == "dgm" {
				text.Reset()
			}
			if t.Name.Local == "p" || t.Name.Local == "br" {
				text.WriteByte(' ')
			}
		case xml.EndElement:
			inText = false
			if t.Name.Local == "pt" && t.Name.Space == "dgm" {
				if s := strings.Join(strings.Fields(text.String()), " "); s != "" {
					b.Add(outline.Item, 0, separator, "- "+s)
					separator = "\n"
				}
				text.Reset()
			}
		case xml.CharData:
			if inText {
				text.Write(t)
			}
		}
		return nil
	})
}
