package diagram

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/xml"
	"io"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// maxPage bounds the unpacked XML of a page, in bytes.
const maxPage = 64 << 20

// DrawIO reads a diagram of draw.io. A page is XML, or XML that is percent-encoded,
// deflated, and in base64.
func DrawIO(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	var pages []page
	var packed strings.Builder
	g := newGraph("")
	err := zipxml.Tokens(ctx, data, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local == "diagram" {
				packed.Reset()
				g = newGraph(zipxml.Attr(t, "name"))
			}
		case xml.CharData:
			if packed.Len()+len(t) <= len(data) {
				packed.Write(bytes.TrimSpace(t))
			}
		case xml.EndElement:
			if t.Name.Local != "diagram" || len(pages) >= maxPages {
				break
			}
			if err := g.unpack(ctx, packed.String()); err != nil {
				return err
			}
			pages = append(pages, g.finished())
			g = newGraph("")
		}
		g.token(t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 { // the graph of a page alone
		pages = append(pages, g.finished())
	}
	return document(ctx, pages, "")
}

// graph is the state of reading a page.
type graph struct {
	page page
	cell cell // the open cell, or the object around it
	// places are the places of shapes, and lines the connections, by their ids.
	places map[string][2]float64
	lines  map[string]int
	// labels are texts on a connection, which may come later, or on a shape.
	labels []cell
}

// cell is a shape, a connection, or the label of a connection.
type cell struct {
	id, parent, text, from, to string
	edge, label                bool
	x, y                       float64
}

func newGraph(name string) *graph {
	return &graph{page: page{name: name}, places: map[string][2]float64{}, lines: map[string]int{}}
}

// unpack reads the packed XML of a page.
func (g *graph) unpack(ctx context.Context, packed string) error {
	if packed == "" {
		return nil
	}
	damaged := fault.New(fault.Invalid, "drawing_damaged", "damaged: the drawing cannot be read")
	deflated, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return damaged
	}
	encoded, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(deflated)), maxPage))
	if err != nil {
		return damaged
	}
	text, err := url.PathUnescape(string(encoded))
	if err != nil {
		return damaged
	}
	return zipxml.Tokens(ctx, []byte(text), func(t xml.Token) error {
		g.token(t)
		return nil
	})
}

// token reads a token of the graph. The label and the id of a cell may be those of an
// object around it.
func (g *graph) token(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "object", "UserObject":
			g.cell = cell{id: zipxml.Attr(t, "id"), text: plainText(zipxml.Attr(t, "label"))}
		case "mxCell":
			g.open(t)
		case "mxGeometry":
			g.cell.x, g.cell.y = number(zipxml.Attr(t, "x")), number(zipxml.Attr(t, "y"))
		}
	case xml.EndElement:
		if t.Name.Local == "mxCell" {
			g.close()
		}
	}
}

func (g *graph) open(t xml.StartElement) {
	c := &g.cell
	if id := zipxml.Attr(t, "id"); id != "" {
		*c = cell{id: id, text: plainText(zipxml.Attr(t, "value"))}
	}
	c.parent, c.edge = zipxml.Attr(t, "parent"), zipxml.Attr(t, "edge") == "1"
	c.label = zipxml.Attr(t, "connectable") == "0"
	c.from, c.to = zipxml.Attr(t, "source"), zipxml.Attr(t, "target")
}

// close keeps the open cell.
func (g *graph) close() {
	c := g.cell
	g.cell = cell{}
	switch {
	case len(g.places)+len(g.labels) >= maxShapes:
	case c.edge:
		g.lines[c.id] = len(g.page.connections)
		g.page.connect(connection{c.from, c.to, c.text})
	case c.label:
		g.labels = append(g.labels, c)
	default:
		g.put(c)
	}
}

// put adds a shape. In a group, it is placed relative to the group.
func (g *graph) put(c cell) {
	at := g.places[c.parent]
	g.places[c.id] = [2]float64{at[0] + c.x, at[1] + c.y}
	g.page.add(shape{c.id, c.text, at[0] + c.x, at[1] + c.y})
}

// finished returns the page with the labels of its connections.
func (g *graph) finished() page {
	for _, c := range g.labels {
		if line, ok := g.lines[c.parent]; ok && line < len(g.page.connections) {
			g.page.connections[line].text += " " + c.text
		} else {
			g.put(c)
		}
	}
	return g.page
}

func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n != n {
		return 0
	}
	return n
}

// plainText returns the text of a label, which is HTML.
func plainText(label string) string {
	if !strings.ContainsAny(label, "<&") {
		return strings.TrimSpace(label)
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(label))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return outline.Clean(strings.TrimSpace(strings.ReplaceAll(b.String(), "\u00a0", " ")))
		case html.TextToken:
			b.WriteString(html.UnescapeString(string(z.Raw())))
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			if name, _ := z.TagName(); lineTags[string(name)] && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				b.WriteByte('\n')
			}
		}
	}
}

// lineTags begin or end a line of a label.
var lineTags = map[string]bool{"br": true, "div": true, "p": true, "li": true, "tr": true, "h1": true, "h2": true, "h3": true, "h4": true}
