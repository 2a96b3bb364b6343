package suggest

import (
	"context"
	"fmt"
	"strings"

	"docent/rag"
	"docent/rag/corpus"
)

const (
	// outlinePage is the number of passages in one read.
	outlinePage = 1000
	// maxPassages is the number of passages that an outline covers.
	maxPassages = 10_000
	// documentQuestions is the number of questions about a document.
	documentQuestions = 3
)

// Heading is a heading in a document.
type Heading struct {
	// Text is the heading.
	Text string `json:"text"`
	// Level counts from 1.
	Level int `json:"level" doc:"The level below the title, from 1."`
	// Start is the place of its first passage.
	Start int `json:"start" doc:"The byte offset of its first passage in the text of the document."`
	// End is exclusive.
	End int `json:"end" doc:"The exclusive end of that passage."`
	// Page counts from 0; null in documents without pages.
	Page *int `json:"page"`
	// PageLabel is the printed page number.
	PageLabel string `json:"page_label,omitempty" doc:"The printed page number."`
}

// Neighbor is a document beside another one.
type Neighbor struct {
	// ID names it.
	ID int64 `json:"id"`
	// Title is its title.
	Title string `json:"title"`
}

// outline is the part of the answer that depends only on the content of the document.
type outline struct {
	headings  []Heading
	complete  bool
	summary   []string
	questions []string
}

type outlineInput struct {
	ID       int64  `path:"id" minimum:"1"`
	Language string `query:"language" enum:"en,de" default:"en" doc:"The language of the questions."`
}

type outlineOutput struct {
	Body struct {
		Headings  []Heading `json:"headings" nullable:"false" doc:"The headings in the order of the document, without its title."`
		Complete  bool      `json:"complete" doc:"False if the document has more passages than an outline covers, which is 10,000."`
		Summary   []string  `json:"summary" nullable:"false" doc:"Leading sentences of the document."`
		Questions []string  `json:"questions" nullable:"false" doc:"At most three questions that the document answers without a model."`
		Previous  *Neighbor `json:"previous,omitempty" doc:"The document before it in the collection, by title. Absent for the first one."`
		Next      *Neighbor `json:"next,omitempty" doc:"The document after it in the collection, by title. Absent for the last one."`
	} `nameHint:"DocumentOutline"`
}

func (s routes) outline(ctx context.Context, in *outlineInput) (*outlineOutput, error) {
	doc, err := s.cfg.Library.Metadata(ctx, in.ID) // also checks the right to read it
	if err != nil {
		return nil, err //nolint:wrapcheck // the library names the operation
	}
	key := fmt.Sprint(in.Language, doc.ID, doc.SHA256, doc.Revision, doc.UpdatedAt.UnixNano())
	o, err := s.outlines.get(ctx, key, func(ctx context.Context) (outline, error) { return s.read(ctx, doc, in.Language) })
	if err != nil {
		return nil, err
	}
	out := &outlineOutput{}
	out.Body.Headings, out.Body.Complete, out.Body.Summary, out.Body.Questions = o.headings, o.complete, o.summary, o.questions
	if out.Body.Previous, err = s.beside(ctx, doc, true); err != nil {
		return nil, err
	}
	out.Body.Next, err = s.beside(ctx, doc, false)
	return out, err
}

// beside returns the document before or after another one in its collection; nil without one.
func (s routes) beside(ctx context.Context, doc corpus.Document, before bool) (*Neighbor, error) {
	docs, err := s.cfg.Library.Documents(ctx, corpus.DocumentFilter{
		Collection: doc.Collection, Order: corpus.ByTitle, Descending: before, Past: &doc, Limit: 1,
	})
	if err != nil || len(docs) == 0 {
		return nil, err //nolint:wrapcheck // the library names the operation
	}
	return &Neighbor{docs[0].ID, docs[0].Title}, nil
}

// read makes the outline of a document.
func (s routes) read(ctx context.Context, doc corpus.Document, language string) (outline, error) {
	var chunks []corpus.Chunk
	after, complete := -1, false
	for len(chunks) < maxPassages && !complete {
		page, err := s.cfg.Library.DocumentChunks(ctx, doc.ID, after, outlinePage)
		if err != nil {
			return outline{}, fmt.Errorf("read the headings of document %d: %w", doc.ID, err)
		}
		for _, c := range page {
			after = c.Ordinal
			if len(chunks) >= headingChunks {
				c.Text = "" // only the first passages become a summary
			}
			chunks = append(chunks, c)
		}
		complete = len(page) < outlinePage
	}
	o := outline{headings: headings(chunks), complete: complete, summary: summary(chunks)}
	var asked []string
	for _, h := range o.headings {
		if q := inDocument(doc.Title, h.Text, language); q != "" {
			asked = append(asked, q)
		}
	}
	var err error
	o.questions, err = s.answered(ctx, distinct(asked), documentQuestions, rag.Request{Documents: []int64{doc.ID}})
	return o, err
}

// headings returns the headings of passages in order. A heading above several passages counts once.
func headings(chunks []corpus.Chunk) []Heading {
	out := []Heading{}
	var path []string
	for _, c := range chunks {
		same := 0
		for same < min(len(path), len(c.Headings)) && path[same] == c.Headings[same] {
			same++
		}
		for level := same; level < len(c.Headings); level++ {
			if text := strings.TrimSpace(c.Headings[level]); text != "" {
				out = append(out, Heading{Text: text, Level: level + 1, Start: c.Start, End: c.End, Page: c.Page, PageLabel: c.PageLabel})
			}
		}
		path = c.Headings
	}
	return out
}
