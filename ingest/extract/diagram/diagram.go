// Package diagram reads the texts of diagrams: those of draw.io (diagrams.net) and of
// Visio. Shapes come in reading order, and then the connections between them.
package diagram

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"docent/ingest/outline"
)

const (
	// maxPages bounds the pages of a diagram.
	maxPages = 2000
	// maxShapes bounds the shapes and the connections of a page.
	maxShapes = 50_000
)

// page is a page of a diagram.
type page struct {
	name        string
	shapes      []shape
	connections []connection
}

// shape is a shape with a text. y grows downwards.
type shape struct {
	id, text string
	x, y     float64
}

// connection is a line between two shapes, given by their ids.
type connection struct{ from, to, text string }

// add adds a shape with a text.
func (p *page) add(s shape) {
	if s.text != "" && len(p.shapes) < maxShapes {
		p.shapes = append(p.shapes, s)
	}
}

// connect adds a connection.
func (p *page) connect(c connection) {
	if len(p.connections) < maxShapes {
		p.connections = append(p.connections, c)
	}
}

// document builds a document with the pages of a diagram.
func document(ctx context.Context, pages []page, title string) (*outline.Document, error) {
	b := outline.NewBuilder(4 << 10)
	labels := make([]string, len(pages))
	for i, p := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		labels[i] = p.name
		b.Page = i
		if len(pages) > 1 {
			b.Add(outline.Heading, 1, "\n\n", p.name)
		}
		slices.SortStableFunc(p.shapes, func(a, b shape) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) })
		texts := make(map[string]string, len(p.shapes))
		for _, s := range p.shapes {
			texts[s.id] = strings.Join(strings.Fields(s.text), " ")
			b.Add(outline.Paragraph, 0, "\n\n", s.text)
		}
		for j, c := range p.connections {
			separator := "\n"
			if j == 0 {
				separator = "\n\n"
			}
			if text := c.sentence(texts); text != "" {
				b.Add(outline.Item, 0, separator, text)
			}
		}
	}
	doc := b.Document(title)
	doc.PageLabels = labels
	return doc, nil
}

// sentence returns a connection as a line of text. A connection to a shape without a text
// has only its own text.
func (c connection) sentence(texts map[string]string) string {
	label := strings.Join(strings.Fields(c.text), " ")
	from, to := texts[c.from], texts[c.to]
	switch {
	case from == "" || to == "":
		return label
	case label == "":
		return from + " → " + to
	default:
		return from + " → " + to + ": " + label
	}
}
