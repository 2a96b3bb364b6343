package office

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// mark is the kind of mark in front of a paragraph.
type mark uint8

const (
	unmarked mark = iota
	inherited
	bullet
	number
)

// line is a paragraph of a shape.
type line struct {
	text  string
	mark  mark
	level int
}

// shape is a box on a slide or drawing.
type shape struct {
	role     string // of a placeholder: title, subtitle, body, …; "" for other shapes
	hidden   bool
	placed   bool // x and y are known
	x, y     int64
	lines    []line
	rows     [][]string
	header   bool // the first row names the columns
	alt      string
	children []*shape // of a group
	ref      string   // id of the relation to a chart or diagram
}

// The roles of placeholders that readers treat apart.
const (
	roleTitle    = "title"
	roleSubtitle = "subtitle"
	roleBody     = "body"
	roleOther    = "placeholder"
	roleRunning  = "running" // date, footer, number: repeated on every slide
)

// rowHeight is the height within which shapes stand side by side, in English
// metric units (a quarter of an inch).
const rowHeight = 914400 / 4

// readingOrder sorts shapes: placeholders in the order of the file, then other
// shapes from top to bottom and from left to right.
func readingOrder(shapes []*shape) []*shape {
	var first, rest []*shape
	for _, s := range shapes {
		if s.role != "" || !s.placed {
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	slices.SortStableFunc(rest, func(a, b *shape) int { return cmp.Compare(a.y, b.y) })
	for i := 0; i < len(rest); { // a band of shapes side by side
		end := i + 1
		for end < len(rest) && rest[end].y-rest[i].y < rowHeight {
			end++
		}
		slices.SortStableFunc(rest[i:end], func(a, b *shape) int { return cmp.Compare(a.x, b.x) })
		i = end
	}
	return append(first, rest...)
}

// slide adds the shapes of a slide to a document.
type slide struct {
	b *outline.Builder
	// refer adds the chart or diagram that a shape refers to.
	refer func(ref string) error
}

// add adds a slide's shapes and returns its title.
func (s slide) add(shapes []*shape) (title string, err error) {
	for _, sh := range shapes {
		if sh.role == roleTitle && !sh.hidden && title == "" {
			title = sh.oneLine()
			sh.lines = nil
		}
	}
	if title == "" {
		s.b.Close(1)
	} else {
		s.b.Add(outline.Heading, 1, "\n\n", title)
	}
	return title, s.addShapes(shapes)
}

// addShapes adds shapes in reading order.
func (s slide) addShapes(shapes []*shape) error {
	for _, sh := range readingOrder(shapes) {
		if sh.hidden || sh.role == roleRunning {
			continue
		}
		addLines(s.b, sh)
		addRows(s.b, sh.rows, sh.header)
		s.b.Add(outline.Paragraph, 0, "\n\n", altText(sh.alt))
		if sh.ref != "" && s.refer != nil {
			if err := s.refer(sh.ref); err != nil {
				return err
			}
		}
		if err := s.addShapes(sh.children); err != nil {
			return err
		}
	}
	return nil
}

// oneLine is a shape's text in one line.
func (s *shape) oneLine() string {
	var parts []string
	for _, l := range s.lines {
		parts = append(parts, strings.Fields(l.text)...)
	}
	return strings.Join(parts, " ")
}

// addLines adds a shape's paragraphs.
func addLines(b *outline.Builder, sh *shape) {
	filled := 0
	for _, l := range sh.lines {
		if strings.TrimSpace(l.text) != "" {
			filled++
		}
	}
	var counters [maxListDepth]int
	wasItem := false
	for _, l := range sh.lines {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		l.level = min(max(l.level, 0), maxListDepth-1)
		var front string
		switch {
		case l.mark == number:
			clear(counters[l.level+1:])
			counters[l.level]++
			front = strconv.Itoa(counters[l.level]) + ". "
		case l.mark == bullet, l.mark == inherited && sh.role == roleBody && filled > 1:
			clear(counters[l.level:])
			front = "- "
		default:
			clear(counters[:])
			b.Add(outline.Paragraph, 0, "\n\n", l.text)
			wasItem = false
			continue
		}
		separator := "\n\n"
		if wasItem {
			separator = "\n"
		}
		b.Add(outline.Item, 0, separator, front+strings.Join(strings.Fields(l.text), " "))
		wasItem = true
	}
}

// addRows adds a table. The first row is the header if header says so or if it
// looks like one.
func addRows(b *outline.Builder, rows [][]string, header bool) {
	separator := "\n\n"
	for i, row := range rows {
		kind := outline.Row
		if i == 0 && len(rows) > 1 && (header || table.IsHeader(row)) {
			kind = outline.Header
		}
		if text := table.Line(row); text != "" {
			b.Add(kind, 0, separator, text)
			separator = "\n"
		}
	}
}

// altText is a picture's description, "" if it is only a file name.
func altText(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	lower := strings.ToLower(s)
	for _, ending := range []string{".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emf", ".wmf", ".tif", ".tiff", ".svg"} {
		if strings.HasSuffix(lower, ending) {
			return ""
		}
	}
	if strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		return ""
	}
	return s
}
