package ooxml

import (
	"context"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
)

// References adds the charts and diagrams of shapes. It adds each part once.
type References struct {
	a    *zipxml.Archive
	b    *outline.Builder
	seen map[string]bool
}

// NewReferences returns the references of one document.
func NewReferences(a *zipxml.Archive, b *outline.Builder) *References {
	return &References{a: a, b: b, seen: map[string]bool{}}
}

// Slide returns a writer of shapes for a part with the given relations.
func (p *References) Slide(ctx context.Context, relations []zipxml.Relation) content.ShapeWriter {
	targets := map[string]zipxml.Relation{}
	for _, r := range relations {
		if r.Type == "chart" || r.Type == "diagramData" {
			targets[r.ID] = r
		}
	}
	return content.ShapeWriter{Builder: p.b, Refer: func(ref string) error {
		r, ok := targets[ref]
		if !ok || p.seen[r.Target] {
			return nil
		}
		p.seen[r.Target] = true
		data, err := p.a.Part(r.Target)
		if err != nil {
			return err
		}
		if r.Type == "chart" {
			return AddChart(ctx, p.b, data)
		}
		return AddDiagram(ctx, p.b, data)
	}}
}
