package office

import (
	"cmp"
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// PPTX reads a presentation of PowerPoint: a page for each slide that is shown,
// with its title as a heading, its shapes in reading order, tables, charts,
// diagrams, descriptions of pictures and the speaker's notes.
func PPTX(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	a, err := zipxml.Open(data)
	if err != nil {
		return nil, err
	}
	main, err := mainPart(ctx, a, "ppt/presentation.xml")
	if err != nil {
		return nil, err
	}
	slides, err := slideParts(ctx, a, main)
	if err != nil {
		return nil, err
	}
	p := &presentation{a: a, b: outline.NewBuilder(1 << 16), seen: map[string]bool{}}
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
	doc := p.b.Document(cmp.Or(packageTitle(ctx, a), p.title))
	doc.PageLabels = p.labels
	return doc, nil
}

// presentation is the state of reading a presentation.
type presentation struct {
	a      *zipxml.Archive
	b      *outline.Builder
	title  string
	labels []string
	seen   map[string]bool // parts that were read: each is read once
}

// slideParts returns the parts of the slides in their order.
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
	d := &drawing{}
	if err := zipxml.Tokens(ctx, data, d.token); err != nil {
		return err
	}
	if d.hidden {
		return nil
	}
	s := p.shapes(ctx, relations)
	title, err := s.add(d.shapes)
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

// shapes returns what adds shapes that refer to charts and diagrams.
func (p *presentation) shapes(ctx context.Context, relations []zipxml.Relation) slide {
	targets := map[string]zipxml.Relation{}
	for _, r := range relations {
		if r.Type == "chart" || r.Type == "diagramData" {
			targets[r.ID] = r
		}
	}
	return slide{b: p.b, refer: func(ref string) error {
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
			return addChart(ctx, p.b, data)
		}
		return addDiagram(ctx, p.b, data)
	}}
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
	d := &drawing{}
	if err := zipxml.Tokens(ctx, data, d.token); err != nil {
		return err
	}
	addNotes(p.b, d.shapes)
	return nil
}

// addNotes adds the text of a page of notes.
func addNotes(b *outline.Builder, shapes []*shape) {
	front := "Notes: "
	for _, s := range shapes {
		if s.role != roleBody {
			continue
		}
		for _, l := range s.lines {
			if strings.TrimSpace(l.text) != "" {
				b.Add(outline.Paragraph, 0, "\n\n", front+strings.TrimSpace(l.text))
				front = ""
			}
		}
	}
}
