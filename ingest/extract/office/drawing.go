package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/zipxml"
)

// drawing reads shapes of DrawingML, as slides and sheets have them.
type drawing struct {
	shapes []*shape
	open   []*shape // innermost last
	skip   int      // depth inside content that is not read
	line   *line
	text   strings.Builder // of the line
	inText bool
	script int  // of the present run: above 0 is raised, below 0 is lowered
	hidden bool // the slide is not shown
	math   formula
	cell   *drawingCell
	size   int // shapes, rows and cells so far
}

// drawingCell is the open table cell.
type drawingCell struct {
	down bool // it continues the cell above
	text strings.Builder
}

// maxShapes bounds the shapes, rows and cells of one slide.
const maxShapes = 200_000

// token takes the next token.
func (d *drawing) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if d.skip > 0 || t.Name.Local == "Fallback" && t.Name.Space == "mc" {
			d.skip++
			return nil
		}
		if d.math.start(t) {
			return nil
		}
		d.start(t)
	case xml.EndElement:
		if d.skip > 0 {
			d.skip--
			return nil
		}
		if text, ok := d.math.end(t.Name); ok {
			d.text.WriteString(text)
			return nil
		}
		d.end(t.Name)
	case xml.CharData:
		if d.skip > 0 || d.math.text(t) {
			return nil
		}
		if d.inText && d.line != nil {
			d.text.WriteString(scripted(string(t), d.script))
		}
	}
	return nil
}

// top is the innermost open shape, nil outside of shapes.
func (d *drawing) top() *shape {
	if len(d.open) == 0 {
		return nil
	}
	return d.open[len(d.open)-1]
}

// isShape reports whether an element is a shape.
func isShape(n xml.Name) bool {
	switch n.Local {
	case "sp", "pic", "graphicFrame", "grpSp", "cxnSp":
		return n.Space == "p" || n.Space == "xdr"
	}
	return false
}

func (d *drawing) start(e xml.StartElement) {
	d.inText = e.Name.Local == "t" && e.Name.Space == "a"
	if isShape(e.Name) {
		d.push(&shape{})
		return
	}
	if e.Name.Local == "sld" {
		show := zipxml.Attr(e, "show")
		d.hidden = show == "0" || show == "false"
	}
	s := d.top()
	if s == nil {
		return
	}
	switch e.Name.Space {
	case "a":
		d.startText(e, s)
	case "p", "xdr":
		s.property(e)
	case "c":
		if e.Name.Local == "chart" {
			s.ref = zipxml.AttrIn(e, "r", "id")
		}
	case "dgm":
		if e.Name.Local == "relIds" {
			s.ref = zipxml.AttrIn(e, "r", "dm")
		}
	}
}

// push opens a shape inside the innermost one.
func (d *drawing) push(s *shape) {
	d.size++
	if parent := d.top(); d.size > maxShapes {
		s.hidden = true // it is read and dropped
	} else if parent != nil {
		parent.children = append(parent.children, s)
	} else {
		d.shapes = append(d.shapes, s)
	}
	d.open = append(d.open, s)
}

// property notes what an element of a presentation says about its shape.
func (s *shape) property(e xml.StartElement) {
	switch e.Name.Local {
	case "cNvPr":
		s.alt = zipxml.Attr(e, "descr")
		s.hidden = s.hidden || zipxml.Attr(e, "hidden") == "1"
	case "ph":
		switch zipxml.Attr(e, "type") {
		case "title", "ctrTitle":
			s.role = roleTitle
		case "subTitle":
			s.role = roleSubtitle
		case "body", "obj", "":
			s.role = roleBody
		case "dt", "ftr", "hdr", "sldNum", "sldImg":
			s.role = roleRunning
		default:
			s.role = roleOther
		}
	}
}

// startText reads an element of DrawingML.
func (d *drawing) startText(e xml.StartElement, s *shape) {
	switch e.Name.Local {
	case "off":
		x, errX := strconv.ParseInt(zipxml.Attr(e, "x"), 10, 64)
		y, errY := strconv.ParseInt(zipxml.Attr(e, "y"), 10, 64)
		if !s.placed && errX == nil && errY == nil {
			s.placed, s.x, s.y = true, x, y
		}
	case "p":
		d.line = &line{mark: inherited}
		d.text.Reset()
	case "pPr":
		if d.line != nil {
			d.line.level, _ = strconv.Atoi(zipxml.Attr(e, "lvl"))
		}
	case "buNone", "buChar", "buBlip", "buAutoNum":
		if d.line != nil {
			d.line.mark = map[string]mark{"buNone": unmarked, "buChar": bullet, "buBlip": bullet, "buAutoNum": number}[e.Name.Local]
		}
	case "r":
		d.script = 0
	case "rPr":
		d.script, _ = strconv.Atoi(strings.TrimSuffix(zipxml.Attr(e, "baseline"), "%"))
	case "br":
		if d.line != nil {
			d.text.WriteByte('\n')
		}
	case "fld":
		if kind := zipxml.Attr(e, "type"); kind == "slidenum" || strings.HasPrefix(kind, "datetime") {
			d.skip = 1
		}
	case "tblPr":
		s.header = zipxml.Attr(e, "firstRow") == "1" || zipxml.Attr(e, "firstRow") == "true"
	case "tr":
		if d.size++; d.size <= maxShapes {
			s.rows = append(s.rows, nil)
		}
	case "tc":
		d.cell = &drawingCell{down: zipxml.Attr(e, "vMerge") == "1"}
	}
}

func (d *drawing) end(n xml.Name) {
	d.inText = false
	s := d.top()
	if s == nil {
		return
	}
	if isShape(n) {
		d.open = d.open[:len(d.open)-1]
		return
	}
	if n.Space != "a" {
		return
	}
	switch n.Local {
	case "p":
		d.endLine(s)
	case "r":
		d.script = 0
	case "tc":
		d.endCell(s)
	}
}

// endLine ends the open paragraph.
func (d *drawing) endLine(s *shape) {
	if d.line == nil {
		return
	}
	d.line.text = d.text.String()
	if d.cell != nil {
		d.cell.text.WriteString(d.line.text)
		d.cell.text.WriteByte('\n')
	} else if strings.TrimSpace(d.line.text) != "" {
		s.lines = append(s.lines, *d.line)
	}
	d.line = nil
}

// endCell ends the open cell. A cell that goes on from the row above repeats
// its text, so that a row says everything about its subject.
func (d *drawing) endCell(s *shape) {
	if d.size++; d.cell == nil || len(s.rows) == 0 || d.size > maxShapes {
		return
	}
	row := &s.rows[len(s.rows)-1]
	text := strings.TrimSpace(d.cell.text.String())
	if d.cell.down && len(s.rows) > 1 {
		if above := s.rows[len(s.rows)-2]; len(*row) < len(above) && len(above[len(*row)]) <= maxRepeated {
			text = above[len(*row)]
		}
	}
	*row = append(*row, text)
	d.cell = nil
}

// maxRepeated is the longest text of a merged cell that is repeated in each row.
const maxRepeated = 120
