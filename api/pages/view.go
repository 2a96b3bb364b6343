package pages

import (
	"context"
	"math"
	"unicode/utf8"

	"docent/ingest/extract/pdf"
	"docent/internal/fault"
)

// PageView describes a page of a document and the position of a part of its text.
type PageView struct {
	// Page counts from 0.
	Page int `json:"page"`
	// Pages is the number of pages.
	Pages int `json:"pages"`
	// Label is the printed page number; null if the file has none.
	Label *string `json:"label" doc:"The printed page number. Null if the file has none."`
	// Width is the width in points.
	Width float64 `json:"width" doc:"In points, as displayed."`
	// Height is the height in points.
	Height float64 `json:"height" doc:"In points, as displayed."`
	// Marks are rectangles over the part of the text.
	Marks []pdf.Mark `json:"marks" doc:"Rectangles over the text, one for each part of a line. They cover only the part on this page. Empty if the text is not on the page."`
}

type pageOutput struct{ Body PageView }

// page describes a page of a document.
func (p *pages) page(ctx context.Context, in *pageInput) (*pageOutput, error) {
	d, err := p.document(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	marked := in.Start != 0 || in.End != 0
	if marked && in.Start >= in.End {
		return nil, fault.New(fault.Invalid, "text_range_empty", "the range from %d to %d of the text is empty", in.Start, in.End)
	}
	key := pageKey{hash: d.SHA256, index: in.Page}
	kept, found, failed := p.cache.find(key)
	if failed != nil {
		return nil, withoutPages(d.ID, failed)
	}
	if found && !marked {
		return pageOutputOf(kept.read, []pdf.Mark{}), nil
	}
	done, err := p.drawing.Take(ctx, patience)
	if err != nil {
		return nil, err
	}
	defer done()
	var passage pdf.Passage
	if marked {
		if passage, err = p.passage(ctx, in); err != nil {
			return nil, err
		}
	}
	if !found {
		kept, err = p.fromOriginal(ctx, d, key, func(pdf []byte) (cachedPage, error) {
			read, err := p.cfg.Drawer.ReadPage(ctx, original(d, pdf), in.Page)
			return cachedPage{read: read}, err
		})
		if err != nil {
			return nil, err
		}
	}
	marks := []pdf.Mark{}
	if marked {
		marks = kept.read.Marks(passage)
	}
	return pageOutputOf(kept.read, marks), nil
}

func pageOutputOf(p *pdf.Page, marks []pdf.Mark) *pageOutput {
	out := &pageOutput{PageView{Page: p.Index, Pages: p.Pages, Width: points(p.Width), Height: points(p.Height), Marks: marks}}
	if p.Label != "" {
		out.Body.Label = &p.Label
	}
	return out
}

// points rounds a length to hundredths of a point.
func points(v float64) float64 { return math.Round(v*100) / 100 }

// passage returns the part of the text that the page marks.
func (p *pages) passage(ctx context.Context, in *pageInput) (pdf.Passage, error) {
	d, err := p.cfg.Library.Document(ctx, in.ID)
	if err != nil {
		return pdf.Passage{}, err
	}
	if in.End > len(d.Text) {
		return pdf.Passage{}, fault.New(fault.Invalid, "text_range_beyond_end", "the text ends at byte %d, before %d", len(d.Text), in.End)
	}
	whole := func(at int) bool { return at == len(d.Text) || utf8.RuneStart(d.Text[at]) }
	if !whole(in.Start) || !whole(in.End) {
		return pdf.Passage{}, fault.New(fault.Invalid,
			"text_range_cuts_character", "the range from %d to %d cuts a character of the text", in.Start, in.End)
	}
	return pdf.PassageIn(d.Text, in.Start, in.End), nil
}
