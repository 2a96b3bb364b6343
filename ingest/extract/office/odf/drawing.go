package odf

import (
	"cmp"
	"encoding/xml"
	"path"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
)

// slideShapes are the shapes of the open slide.
type slideShapes struct {
	shapes []*content.Shape
	notes  []*content.Shape
	open   []*content.Shape
	count  int
	inNote bool
}

// top returns the innermost open shape, or nil.
func (s *slideShapes) top() *content.Shape {
	if len(s.open) == 0 {
		return nil
	}
	return s.open[len(s.open)-1]
}

// startDrawing opens an element of a drawing or slide.
func (d *reader) startDrawing(e xml.StartElement) func() {
	switch e.Name.Space + ":" + e.Name.Local {
	case "draw:page":
		return d.startSlide(e)
	case "presentation:notes":
		if s := d.slide; s != nil {
			s.inNote = true
			return func() { s.inNote = false }
		}
	case "draw:frame", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:circle", "draw:g", "draw:line", "draw:polyline", "draw:polygon",
		"draw:path", "draw:connector", "draw:caption", "draw:measure", "draw:regular-polygon", "draw:page-thumbnail":
		if d.slide != nil {
			return d.startShape(e)
		}
	case "draw:object":
		d.startObject(zipxml.AttrIn(e, "xlink", "href"))
	case "svg:title", "svg:desc":
		return d.startAlt(e.Name.Local == "desc")
	}
	return nil
}

// startSlide opens a slide.
func (d *reader) startSlide(e xml.StartElement) func() {
	if d.slide != nil {
		return nil // slides do not nest
	}
	d.slide = &slideShapes{}
	hidden := d.styles[zipxml.AttrIn(e, "draw", "style-name")].hidden
	return func() {
		s := d.slide
		d.slide, d.open = nil, d.open[:0]
		d.b.Page = len(d.labels)
		d.labels = append(d.labels, strconv.Itoa(len(d.labels)+1))
		if hidden {
			return
		}
		title, err := content.ShapeWriter{Builder: d.b, Refer: d.addObject}.AddSlide(s.shapes)
		d.fail(err)
		d.title = cmp.Or(d.title, title)
		content.AddNotes(d.b, s.notes)
	}
}

// startShape opens a shape of a slide.
func (d *reader) startShape(e xml.StartElement) func() {
	s := d.slide
	x, okX := length(zipxml.AttrIn(e, "svg", "x"))
	y, okY := length(zipxml.AttrIn(e, "svg", "y"))
	sh := &content.Shape{Placed: okX && okY, X: x, Y: y, Hidden: zipxml.AttrIn(e, "presentation", "placeholder") == "true"}
	if e.Name.Local == "page-thumbnail" {
		sh.Hidden = true
	}
	switch zipxml.AttrIn(e, "presentation", "class") {
	case "":
	case "title":
		sh.Role = content.RoleTitle
	case "subtitle":
		sh.Role = content.RoleSubtitle
	case "outline", "notes":
		sh.Role = content.RoleBody
	case "date-time", "footer", "header", "page-number":
		sh.Role = content.RoleRunning
	default:
		sh.Role = content.RoleOther
	}
	parent := s.top()
	switch s.count++; {
	case s.count > content.MaxShapes:
	case parent != nil:
		parent.Children = append(parent.Children, sh)
		if !parent.Placed && sh.Placed {
			parent.Placed, parent.X, parent.Y = true, sh.X, sh.Y
		}
	case s.inNote:
		s.notes = append(s.notes, sh)
	default:
		s.shapes = append(s.shapes, sh)
	}
	s.open = append(s.open, sh)
	return func() { s.open = s.open[:len(s.open)-1] }
}

// slideLine adds a paragraph to the innermost shape.
func (d *reader) slideLine(text string) {
	s := d.slide.top()
	if s == nil || text == "" {
		return
	}
	l := content.Line{Text: text}
	if n := len(d.lists); n > 0 && s.Role != content.RoleTitle && s.Role != content.RoleSubtitle {
		l.Level, l.Mark = n-1, content.Bullet
		if d.isOrdered() {
			l.Mark = content.Number
		}
	}
	s.Lines = append(s.Lines, l)
}

// maxObjects bounds the embedded objects of one paragraph.
const maxObjects = 100

// startObject handles an embedded object. A formula becomes text of its
// paragraph. A chart is added after the paragraph.
func (d *reader) startObject(href string) {
	dir := path.Clean(strings.TrimPrefix(href, "./"))
	name := dir + "/content.xml"
	if href == "" || d.seen[name] || !d.a.Has(name) || len(d.objects) >= maxObjects {
		return
	}
	d.seen[name] = true
	if text, isMath := d.formula(name); isMath {
		if d.slide != nil && len(d.open) == 0 {
			d.slideLine(text)
		}
		d.write([]byte(text))
		return
	}
	if d.slide != nil {
		if s := d.slide.top(); s != nil {
			s.Ref = name
		}
		return
	}
	d.objects = append(d.objects, name)
	if len(d.open) == 0 && d.table == nil {
		d.addObjects()
	}
}

// formula returns the source of a formula, which most programs store beside it.
// Without a source it returns the letters and signs of the formula.
func (d *reader) formula(name string) (text string, isMath bool) {
	var source, signs strings.Builder
	inSource := false
	d.fail(d.a.Stream(d.ctx, name, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			isMath = isMath || t.Name.Local == "math"
			inSource = t.Name.Local == "annotation"
		case xml.EndElement:
			inSource = false
		case xml.CharData:
			switch {
			case inSource && source.Len() < maxFormulaText:
				source.Write(t)
			case !inSource && signs.Len() < maxFormulaText:
				signs.Write(t)
				signs.WriteByte(' ')
			}
		}
		return nil
	}))
	words := strings.Fields(source.String())
	if len(words) == 0 {
		words = strings.Fields(signs.String())
	}
	return strings.Join(words, " "), isMath
}

// startAlt opens the title or description of a picture.
func (d *reader) startAlt(desc bool) func() {
	p := &paragraph{}
	d.open = append(d.open, p)
	return func() {
		if n := len(d.open); n > 0 {
			d.open = d.open[:n-1]
		}
		text := content.AltText(p.text.String())
		switch {
		case text == "":
		case d.slide != nil:
			if s := d.slide.top(); s != nil && (desc || s.Alt == "") {
				s.Alt = text
			}
		case d.table != nil && d.table.inCell:
			d.table.write(text)
		case d.runs == nil && len(d.notes) == 0:
			d.b.Add(outline.Paragraph, 0, "\n\n", text)
		}
	}
}

// length converts a length such as "2.5cm" to English metric units.
func length(s string) (int64, bool) {
	units := map[string]float64{"cm": 360000, "mm": 36000, "in": 914400, "pt": 12700, "pc": 152400, "px": 9525}
	if len(s) < 3 {
		return 0, false
	}
	n, err := strconv.ParseFloat(s[:len(s)-2], 64)
	unit := units[s[len(s)-2:]]
	if err != nil || unit == 0 || n > 1e6 || n < -1e6 {
		return 0, false
	}
	return int64(n * unit), true
}

// maxFormulaText bounds the text of one formula.
const maxFormulaText = 64 << 10
