package notes

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// node is a card, a file, a link, or a group on a canvas. See https://jsoncanvas.org.
type node struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
	Text    string  `json:"text"`
	File    string  `json:"file"`
	Subpath string  `json:"subpath"`
	URL     string  `json:"url"`
	Label   string  `json:"label"`
}

type edge struct {
	From  string `json:"fromNode"`
	To    string `json:"toNode"`
	Label string `json:"label"`
}

// rowHeight is the height within which cards stand beside each other.
const rowHeight = 40

// maxGroups bounds the groups that have a section.
const maxGroups = 1000

// readCanvas reads a canvas: a section for each group with its cards in reading order, and the connections.
func readCanvas(ctx context.Context, data []byte) (*page, bool) {
	var c struct {
		Nodes []node `json:"nodes"`
		Edges []edge `json:"edges"`
	}
	if !decode(data, &c) {
		return nil, false
	}
	slices.SortStableFunc(c.Nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(int(a.Y)/rowHeight, int(b.Y)/rowHeight), cmp.Compare(a.X, b.X))
	})
	var groups []node
	names := map[string]string{}
	for _, n := range c.Nodes {
		names[n.ID] = n.name()
		if n.Type == "group" && n.Label != "" && len(groups) < maxGroups {
			groups = append(groups, n)
		}
	}
	inside := map[string][]node{} // by the smallest group around; "" for none
	for _, n := range c.Nodes {
		if n.Type == "group" {
			continue
		}
		id, size := "", 0.0
		for _, g := range groups {
			if g.holds(n) && (id == "" || g.Width*g.Height < size) {
				id, size = g.ID, g.Width*g.Height
			}
		}
		inside[id] = append(inside[id], n)
	}
	p := &page{}
	p.nodes(inside[""])
	for _, g := range groups {
		if ctx.Err() == nil && len(inside[g.ID]) > 0 {
			p.heading(1, g.Label)
			p.nodes(inside[g.ID])
		}
	}
	first := true
	for _, e := range c.Edges {
		if names[e.From] == "" || names[e.To] == "" {
			continue
		}
		if first {
			p.heading(1, "Connections")
			first = false
		}
		line := names[e.From] + " → " + names[e.To]
		if e.Label != "" {
			line += ": " + e.Label
		}
		p.item(line)
	}
	return p, true
}

// holds reports whether the center of a node is in a group.
func (n node) holds(other node) bool {
	x, y := other.X+other.Width/2, other.Y+other.Height/2
	return x >= n.X && x <= n.X+n.Width && y >= n.Y && y <= n.Y+n.Height
}

// maxNodeName bounds the name of a node in a connection, in bytes.
const maxNodeName = 80

// name names a node in a connection.
func (n node) name() string {
	line, _, _ := strings.Cut(strings.TrimSpace(n.Text), "\n")
	name := oneLine(strings.TrimLeft(cmp.Or(line, n.File+n.Subpath, n.URL, n.Label), "# "))
	if len(name) > maxNodeName {
		name = strings.ToValidUTF8(name[:maxNodeName], "") + "…"
	}
	return name
}

func (p *page) nodes(all []node) {
	for _, n := range all {
		switch n.Type {
		case "text":
			p.paragraph(n.Text)
		case "file":
			p.paragraph("File: " + n.File + n.Subpath)
		case "link":
			p.paragraph("<" + oneLine(n.URL) + ">")
		}
	}
}
