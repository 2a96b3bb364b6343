package diagram

import (
	"context"
	"encoding/xml"
	"strings"

	"docent/ingest/extract/office/ooxml"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
)

const pagesPart = "visio/pages/pages.xml"

// Visio reads a drawing of Visio: its pages with the texts of their shapes.
func Visio(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	a, err := zipxml.Open(data)
	if err != nil {
		return nil, err
	}
	list, err := a.Part(pagesPart)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, fault.New(fault.Invalid, "drawing_damaged", "damaged: the drawing cannot be read")
	}
	relations, err := a.Relations(ctx, pagesPart)
	if err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, r := range relations {
		targets[r.ID] = r.Target
	}
	var pages []page
	background, name := false, ""
	err = zipxml.Tokens(ctx, list, func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		switch {
		case ok && e.Name.Local == "Page":
			background, name = zipxml.Attr(e, "Background") == "1", zipxml.Attr(e, "Name")
		case ok && e.Name.Local == "Rel" && !background && len(pages) < maxPages:
			p, err := visioPage(ctx, a, targets[zipxml.Attr(e, "id")])
			if err != nil {
				return err
			}
			p.name = name
			pages = append(pages, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return document(ctx, pages, ooxml.Title(ctx, a))
}

// visioShape is an open shape. Those inside of it are placed relative to it.
type visioShape struct {
	shape
	index int // in the shapes of the page
}

// visioPage reads a page. In Visio, y grows upwards.
func visioPage(ctx context.Context, a *zipxml.Archive, part string) (page, error) {
	var p page
	if part == "" {
		return p, nil
	}
	var open []visioShape
	var text strings.Builder
	inText, sections := false, 0
	ends := map[string]*connection{}
	var order []string
	err := a.Stream(ctx, part, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "Shape":
				if len(p.shapes) >= maxShapes {
					return fault.New(fault.Invalid, "drawing_too_large", "too complex: a page of the drawing has more than %d shapes", maxShapes)
				}
				open = append(open, visioShape{shape{id: zipxml.Attr(t, "ID")}, len(p.shapes)})
				p.shapes = append(p.shapes, shape{})
			case "Section":
				sections++
			case "Cell":
				if len(open) > 0 && sections == 0 {
					open[len(open)-1].place(t)
				}
			case "Text":
				inText = true
				text.Reset()
			case "Connect":
				id := zipxml.Attr(t, "FromSheet")
				if ends[id] == nil && len(order) < maxShapes {
					ends[id] = &connection{}
					order = append(order, id)
				}
				if c := ends[id]; c != nil && strings.HasPrefix(zipxml.Attr(t, "FromCell"), "Begin") {
					c.from = zipxml.Attr(t, "ToSheet")
				} else if c != nil {
					c.to = zipxml.Attr(t, "ToSheet")
				}
			}
		case xml.CharData:
			if inText {
				text.Write(t)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "Section":
				sections--
			case "Text":
				inText = false
				if len(open) > 0 {
					open[len(open)-1].text = strings.TrimSpace(outline.Clean(text.String()))
				}
			case "Shape":
				if n := len(open) - 1; n >= 0 {
					p.shapes[open[n].index] = open[n].under(open[0])
					open = open[:n]
				}
			}
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	p.connectAll(order, ends)
	return p, nil
}

// place reads a cell of a shape that says where the shape is.
func (s *visioShape) place(e xml.StartElement) {
	switch zipxml.Attr(e, "N") {
	case "PinX":
		s.x = number(zipxml.Attr(e, "V"))
	case "PinY":
		s.y = number(zipxml.Attr(e, "V"))
	}
}

// under returns a shape of a group. It is placed where the outermost group is, so that the
// texts of a group stay together.
func (s visioShape) under(outermost visioShape) shape {
	return shape{s.id, s.text, outermost.x, -outermost.y}
}

// connectAll adds connections in order, and leaves out shapes without text. The text of a
// connection is that of its shape, which is then no shape.
func (p *page) connectAll(order []string, ends map[string]*connection) {
	shapes := p.shapes
	p.shapes = nil
	for _, s := range shapes {
		if c := ends[s.id]; c != nil {
			c.text = s.text
			continue
		}
		p.add(s)
	}
	for _, id := range order {
		p.connect(*ends[id])
	}
}
