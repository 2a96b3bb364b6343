package content

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"docent/ingest/outline"
)

// Mark is the kind of mark in front of a paragraph.
type Mark uint8

// The marks.
const (
	// Unmarked paragraphs are not in a list.
	Unmarked Mark = iota
	// Inherited marks come from the placeholder of the paragraph.
	Inherited
	// Bullet is the mark of an unnumbered list.
	Bullet
	// Number is the mark of a numbered list.
	Number
)

// Line is a paragraph of a shape.
type Line struct {
	Text  string
	Mark  Mark
	Level int
	// Format is the format of a number, as in Numeral, and its form, such as "lowerLetter:(%s)"; "" for
	// "decimal:%s.". Start is the first number of the list, less 1.
	Format string
	Start  int
	// Box is the sign of a box in front of a paragraph; "" without one.
	Box string
}

// Shape is a box on a slide or drawing.
type Shape struct {
	Role     string // role of a placeholder, "" for other shapes
	Hidden   bool
	Placed   bool // x and y are known
	X, Y     int64
	Lines    []Line
	Rows     [][]string
	Header   bool // the first row names the columns
	Alt      string
	Children []*Shape // shapes of a group
	Ref      string   // id of the relation to a chart or diagram
}

// The roles of placeholders.
const (
	RoleTitle    = "title"
	RoleSubtitle = "subtitle"
	RoleBody     = "body"
	RoleOther    = "placeholder"
	RoleRunning  = "running" // date, footer, or number, which every slide repeats
)

// rowHeight is the vertical distance up to which shapes count as side by side,
// in English metric units. It is a quarter of an inch.
const rowHeight = 914400 / 4

// readingOrder sorts shapes. Placeholders come first, in the order of the file.
// Other shapes follow from top to bottom and from left to right.
func readingOrder(shapes []*Shape) []*Shape {
	var first, rest []*Shape
	for _, s := range shapes {
		if s.Role != "" || !s.Placed {
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	slices.SortStableFunc(rest, func(a, b *Shape) int { return cmp.Compare(a.Y, b.Y) })
	for i := 0; i < len(rest); { // sorts a band of shapes that are side by side
		end := i + 1
		for end < len(rest) && rest[end].Y-rest[i].Y < rowHeight {
			end++
		}
		slices.SortStableFunc(rest[i:end], func(a, b *Shape) int { return cmp.Compare(a.X, b.X) })
		i = end
	}
	return append(first, rest...)
}

// ShapeWriter adds the shapes of a slide to a document.
type ShapeWriter struct {
	Builder *outline.Builder
	// Refer adds the chart or diagram that a shape refers to.
	Refer func(ref string) error
}

// AddSlide adds a slide's shapes and returns its title.
func (s ShapeWriter) AddSlide(shapes []*Shape) (title string, err error) {
	for _, sh := range shapes {
		if sh.Role == RoleTitle && !sh.Hidden && title == "" {
			title = sh.oneLine()
			sh.Lines = nil
		}
	}
	if title == "" {
		s.Builder.Close(1)
	} else {
		s.Builder.Add(outline.Heading, 1, "\n\n", title)
	}
	return title, s.AddShapes(shapes)
}

// AddShapes adds shapes in reading order.
func (s ShapeWriter) AddShapes(shapes []*Shape) error {
	for _, sh := range readingOrder(shapes) {
		if sh.Hidden || sh.Role == RoleRunning {
			continue
		}
		addLines(s.Builder, sh)
		AddRows(s.Builder, sh.Rows, sh.Header)
		s.Builder.Add(outline.Paragraph, 0, "\n\n", AltText(sh.Alt))
		if sh.Ref != "" && s.Refer != nil {
			if err := s.Refer(sh.Ref); err != nil {
				return err
			}
		}
		if err := s.AddShapes(sh.Children); err != nil {
			return err
		}
	}
	return nil
}

// oneLine returns the text of a shape on one line.
func (s *Shape) oneLine() string {
	var parts []string
	for _, l := range s.Lines {
		parts = append(parts, strings.Fields(l.Text)...)
	}
	return strings.Join(parts, " ")
}

// addLines adds a shape's paragraphs.
func addLines(b *outline.Builder, sh *Shape) {
	filled := 0
	for _, l := range sh.Lines {
		if strings.TrimSpace(l.Text) != "" {
			filled++
		}
	}
	var counters [MaxListDepth]int
	wasItem := false
	for _, l := range sh.Lines {
		if strings.TrimSpace(l.Text) == "" {
			continue
		}
		l.Level = min(max(l.Level, 0), MaxListDepth-1)
		var front string
		switch {
		case l.Mark == Number:
			clear(counters[l.Level+1:])
			if counters[l.Level] == 0 {
				counters[l.Level] = l.Start
			}
			counters[l.Level]++
			front = l.number(counters[l.Level])
		case l.Box != "":
			clear(counters[l.Level:])
			front = l.Box + " "
		case l.Mark == Bullet, l.Mark == Inherited && sh.Role == RoleBody && filled > 1:
			clear(counters[l.Level:])
			front = "- "
		default:
			clear(counters[:])
			b.Add(outline.Paragraph, 0, "\n\n", l.Text)
			wasItem = false
			continue
		}
		separator := "\n\n"
		if wasItem {
			separator = "\n"
		}
		b.Add(outline.Item, 0, separator, front+strings.Join(strings.Fields(l.Text), " "))
		wasItem = true
	}
}

// number returns the number of an item as displayed, with a space.
func (l Line) number(n int) string {
	kind, form, ok := strings.Cut(l.Format, ":")
	if !ok {
		return strconv.Itoa(n) + ". "
	}
	return strings.Replace(form, "%s", Numeral(n, kind), 1) + " "
}

// MaxShapes bounds the shapes, rows, and cells of one slide.
const MaxShapes = 200_000
