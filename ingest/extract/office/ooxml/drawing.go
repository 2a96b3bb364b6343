package ooxml

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
)

// Drawing has the DrawingML shapes of a slide or sheet.
type drawing struct {
	Shapes []*content.Shape
	open   []*content.Shape // innermost last
	skip   int              // depth inside omitted elements
	line   *content.Line
	text   strings.Builder // text of the line
	inText bool
	script int  // of the current run: above 0 is raised, below 0 is lowered
	struck bool // the current run is struck out
	// bulletFont is the font of the mark of the paragraph.
	bulletFont string
	Hidden     bool // the slide is not shown
	math       Formula
	cell       *drawingCell
	size       int // number of shapes, rows, and cells so far
}

// ReadDrawing reads the shapes of a part.
func ReadDrawing(ctx context.Context, data []byte) (*drawing, error) {
	d := &drawing{}
	err := zipxml.Tokens(ctx, data, d.token)
	return d, err
}

// drawingCell is the open table cell.
type drawingCell struct {
	down bool // it continues the cell above
	text strings.Builder
}

// token handles the next token.
func (d *drawing) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if d.skip > 0 || t.Name.Local == "Fallback" && t.Name.Space == "mc" {
			d.skip++
			return nil
		}
		if d.math.Start(t) {
			return nil
		}
		d.start(t)
	case xml.EndElement:
		if d.skip > 0 {
			d.skip--
			return nil
		}
		if text, ok := d.math.End(t.Name); ok {
			d.text.WriteString(text)
			return nil
		}
		d.end(t.Name)
	case xml.CharData:
		if d.skip > 0 || d.math.Text(t) {
			return nil
		}
		if d.inText && d.line != nil {
			text := content.Scripted(string(t), d.script)
			if d.struck {
				text = outline.Struck(text)
			}
			d.text.WriteString(text)
		}
	}
	return nil
}

// top returns the innermost open shape, or nil.
func (d *drawing) top() *content.Shape {
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
		d.push(&content.Shape{})
		return
	}
	if e.Name.Local == "sld" {
		show := zipxml.Attr(e, "show")
		d.Hidden = show == "0" || show == "false"
	}
	s := d.top()
	if s == nil {
		return
	}
	switch e.Name.Space {
	case "a":
		d.startText(e, s)
	case "p", "xdr":
		setProperty(s, e)
	case "c":
		if e.Name.Local == "chart" {
			s.Ref = zipxml.AttrIn(e, "r", "id")
		}
	case "dgm":
		if e.Name.Local == "relIds" {
			s.Ref = zipxml.AttrIn(e, "r", "dm")
		}
	}
}

// push opens a shape inside the innermost one.
func (d *drawing) push(s *content.Shape) {
	d.size++
	if parent := d.top(); d.size > content.MaxShapes {
		s.Hidden = true // an excess shape is read and dropped
	} else if parent != nil {
		parent.Children = append(parent.Children, s)
	} else {
		d.Shapes = append(d.Shapes, s)
	}
	d.open = append(d.open, s)
}

// setProperty applies the properties in an element to its shape.
func setProperty(s *content.Shape, e xml.StartElement) {
	switch e.Name.Local {
	case "cNvPr":
		s.Alt = zipxml.Attr(e, "descr")
		s.Hidden = s.Hidden || zipxml.Attr(e, "hidden") == "1"
	case "ph":
		switch zipxml.Attr(e, "type") {
		case "title", "ctrTitle":
			s.Role = content.RoleTitle
		case "subTitle":
			s.Role = content.RoleSubtitle
		case "body", "obj", "":
			s.Role = content.RoleBody
		case "dt", "ftr", "hdr", "sldNum", "sldImg":
			s.Role = content.RoleRunning
		default:
			s.Role = content.RoleOther
		}
	}
}

// startText opens an element of text or of a table.
func (d *drawing) startText(e xml.StartElement, s *content.Shape) {
	switch e.Name.Local {
	case "off":
		x, errX := strconv.ParseInt(zipxml.Attr(e, "x"), 10, 64)
		y, errY := strconv.ParseInt(zipxml.Attr(e, "y"), 10, 64)
		if !s.Placed && errX == nil && errY == nil {
			s.Placed, s.X, s.Y = true, x, y
		}
	case "p":
		d.line = &content.Line{Mark: content.Inherited}
		d.bulletFont = ""
		d.text.Reset()
	case "pPr":
		if d.line != nil {
			d.line.Level, _ = strconv.Atoi(zipxml.Attr(e, "lvl"))
		}
	case "buFont":
		d.bulletFont = zipxml.Attr(e, "typeface")
	case "buNone", "buChar", "buBlip", "buAutoNum":
		if d.line != nil {
			d.line.Format, d.line.Start = autoNumber(e)
			if box := content.SymbolRun(d.bulletFont, zipxml.Attr(e, "char")); box == content.Empty || box == content.Ticked {
				d.line.Box = box
			}
			d.line.Mark = map[string]content.Mark{
				"buNone": content.Unmarked, "buChar": content.Bullet, "buBlip": content.Bullet,
				"buAutoNum": content.Number,
			}[e.Name.Local]
		}
	case "r":
		d.script, d.struck = 0, false
	case "rPr":
		d.script, _ = strconv.Atoi(strings.TrimSuffix(zipxml.Attr(e, "baseline"), "%"))
		strike := zipxml.Attr(e, "strike")
		d.struck = strike != "" && strike != "noStrike"
	case "br":
		if d.line != nil {
			d.text.WriteByte('\n')
		}
	case "fld":
		if kind := zipxml.Attr(e, "type"); kind == "slidenum" || strings.HasPrefix(kind, "datetime") {
			d.skip = 1
		}
	case "tblPr":
		s.Header = zipxml.Attr(e, "firstRow") == "1" || zipxml.Attr(e, "firstRow") == "true"
	case "tr":
		if d.size++; d.size <= content.MaxShapes {
			s.Rows = append(s.Rows, nil)
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
func (d *drawing) endLine(s *content.Shape) {
	if d.line == nil {
		return
	}
	d.line.Text = d.text.String()
	if d.cell != nil {
		d.cell.text.WriteString(d.line.Text)
		d.cell.text.WriteByte('\n')
	} else if strings.TrimSpace(d.line.Text) != "" {
		s.Lines = append(s.Lines, *d.line)
	}
	d.line = nil
}

// endCell ends the open cell. A cell that continues the row above repeats its
// text, so that each row is complete.
func (d *drawing) endCell(s *content.Shape) {
	if d.size++; d.cell == nil || len(s.Rows) == 0 || d.size > content.MaxShapes {
		return
	}
	row := &s.Rows[len(s.Rows)-1]
	text := strings.TrimSpace(d.cell.text.String())
	if d.cell.down && len(s.Rows) > 1 {
		if above := s.Rows[len(s.Rows)-2]; len(*row) < len(above) && len(above[len(*row)]) <= content.MaxRepeated {
			text = above[len(*row)]
		}
	}
	*row = append(*row, text)
	d.cell = nil
}
