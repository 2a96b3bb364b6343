// Package pptx reads PowerPoint presentations (PPTX).
package pptx

import (
	"cmp"
	"context"
	"encoding/xml"
	"strconv"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/office/ooxml"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// Read reads a PowerPoint presentation. Each visible slide becomes a page with
// its title as a heading, its shapes in reading order, tables, charts,
// diagrams, descriptions of pictures, and speaker notes.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	a, err := zipxml.Open(data)
	if err != nil {
		return nil, err
	}
	main, err := ooxml.MainPart(ctx, a, "ppt/presentation.xml")
	if err != nil {
		return nil, err
	}
	slides, err := slideParts(ctx, a, main)
	if err != nil {
		return nil, err
	}
	b := outline.NewBuilder(1 << 16)
	p := &presentation{a: a, b: b, charts: ooxml.NewReferences(a, b), seen: map[string]bool{}}
	for i, name := range slides {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.b.Page = i
		p.labels = append(p.labels, strconv.Itoa(i+1))
		if err := p.slide(ctx, name); err != nil {
			return nil, err
		}
	}
	doc := p.b.Document(cmp.Or(ooxml.Title(ctx, a), p.title)).WithoutStruck()
	doc.PageLabels = p.labels
	return doc, nil
}

// presentation is the state of reading a presentation.
type presentation struct {
	a      *zipxml.Archive
	b      *outline.Builder
	title  string
	labels []string
	charts *ooxml.References
	seen   map[string]bool // parts with notes that have been read
}

// slideParts returns the parts of the slides in order.
func slideParts(ctx context.Context, a *zipxml.Archive, main string) ([]string, error) {
	relations, err := a.Relations(ctx, main)
	if err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, r := range relations {
		if r.Type == "slide" {
			targets[r.ID] = r.Target
		}
	}
	data, err := a.Part(main)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, fault.New(fault.Invalid,
			"powerpoint_without_slides", "damaged: its list of slides is missing; open it in PowerPoint and save it again")
	}
	var slides []string
	seen := map[string]bool{}
	err = zipxml.Tokens(ctx, data, func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "sldId" {
			if name := targets[zipxml.AttrIn(e, "r", "id")]; name != "" && !seen[name] {
				seen[name] = true
				slides = append(slides, name)
			}
		}
		return nil
	})
	return slides, err
}

// slide reads a slide and its notes.
func (p *presentation) slide(ctx context.Context, name string) error {
	data, err := p.a.Part(name)
	if data == nil || err != nil {
		return err
	}
	relations, err := p.a.Relations(ctx, name)
	if err != nil {
		return err
	}
	d, err := ooxml.ReadDrawing(ctx, data)
	if err != nil {
		return err
	}
	if d.Hidden {
		return nil
	}
	title, err := p.charts.Slide(ctx, relations).AddSlide(d.Shapes)
	if err != nil {
		return err
	}
	p.title = cmp.Or(p.title, title)
	for _, r := range relations {
		if r.Type == "notesSlide" {
			if err := p.notes(ctx, r.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

// notes adds the speaker's notes of a slide.
func (p *presentation) notes(ctx context.Context, name string) error {
	if p.seen[name] {
		return nil
	}
	p.seen[name] = true
	data, err := p.a.Part(name)
	if data == nil || err != nil {
		return err
	}
	d, err := ooxml.ReadDrawing(ctx, data)
	if err != nil {
		return err
	}
	content.AddNotes(p.b, d.Shapes)
	return nil
}
