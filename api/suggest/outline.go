package suggest

import (
	"context"
	"fmt"

	"docent/rag"
	"docent/rag/corpus"
)

const (
	// outlinePage is the number of passages in one read.
	outlinePage = 1000
	// maxPassages is the number of passages that an outline covers.
	maxPassages = 10_000
	// perDocument is the number of questions about a document.
	perDocument = 3
)

// Neighbor is a document beside another one.
type Neighbor struct {
	// ID names it.
	ID int64 `json:"id"`
	// Title is its title.
	Title string `json:"title"`
}

// outline is the part of the answer that depends only on the content of the document.
type outline struct {
	headings []Heading
	complete bool
	summary  []string
}

type outlineInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type questionsInput struct {
	ID       int64  `path:"id" minimum:"1"`
	Language string `query:"language" pattern:"^[a-z]{2}$" patternDescription:"an ISO 639-1 code" default:"en" doc:"The language of the questions, as an ISO 639-1 code: en, de, es, or fr. Questions in other languages are in English."`
}

type outlineOutput struct {
	Body struct {
		Headings []Heading `json:"headings" nullable:"false" doc:"The headings in the order of the document, without its title."`
		Complete bool      `json:"complete" doc:"False if the document has more passages than an outline covers, which is 10,000."`
		Summary  []string  `json:"summary" nullable:"false" doc:"Leading sentences of the document."`
		Previous *Neighbor `json:"previous,omitempty" doc:"The document before it in the collection, by title. Absent for the first one."`
		Next     *Neighbor `json:"next,omitempty" doc:"The document after it in the collection, by title. Absent for the last one."`
	} `nameHint:"DocumentOutline"`
}

func (s routes) outline(ctx context.Context, in *outlineInput) (*outlineOutput, error) {
	doc, err := s.cfg.Library.Metadata(ctx, in.ID) // also checks the right to read it
	if err != nil {
		return nil, err //nolint:wrapcheck // the library names the operation
	}
	o, err := s.outlineOf(ctx, doc)
	if err != nil {
		return nil, err
	}
	out := &outlineOutput{}
	out.Body.Headings, out.Body.Complete, out.Body.Summary = o.headings, o.complete, o.summary
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

// keyOf names the content of a document.
func keyOf(doc corpus.Document) string {
	return fmt.Sprint(doc.ID, " ", doc.SHA256, doc.Revision, " ", doc.UpdatedAt.UnixNano())
}

// outlineOf returns the outline of a document, and makes it if it is missing.
func (s routes) outlineOf(ctx context.Context, doc corpus.Document) (outline, error) {
	return s.outlines.get(ctx, keyOf(doc), func(ctx context.Context) (outline, error) { return s.read(ctx, doc) })
}

// read makes the outline of a document.
func (s routes) read(ctx context.Context, doc corpus.Document) (outline, error) {
	found := headings{doc: doc, list: []Heading{}}
	var leading []corpus.Chunk // become a summary
	after, read, complete := -1, 0, false
	for read < maxPassages && !complete {
		page, err := s.cfg.Library.DocumentChunks(ctx, doc.ID, after, outlinePage)
		if err != nil {
			return outline{}, fmt.Errorf("read the headings of document %d: %w", doc.ID, err)
		}
		for _, c := range page {
			after = c.Ordinal
			found.add(c)
		}
		leading = append(leading, page[:min(len(page), headingChunks-len(leading))]...)
		read, complete = read+len(page), len(page) < outlinePage
	}
	return outline{headings: found.list, complete: complete, summary: summary(leading)}, nil
}

type questionsOutput struct {
	Body struct {
		Questions []string `json:"questions" nullable:"false" doc:"At most three questions that the document answers without a model."`
	} `nameHint:"DocumentQuestions"`
}

// documentQuestions returns questions that a document answers.
func (s routes) documentQuestions(ctx context.Context, in *questionsInput) (*questionsOutput, error) {
	doc, err := s.cfg.Library.Metadata(ctx, in.ID) // also checks the right to read it
	if err != nil {
		return nil, err //nolint:wrapcheck // the library names the operation
	}
	out := &questionsOutput{}
	out.Body.Questions, err = s.questions.get(ctx, in.Language+" "+keyOf(doc), func(ctx context.Context) ([]string, error) {
		return s.askDocument(ctx, doc, in.Language)
	})
	return out, err
}

// askDocument makes questions from the headings of a document, and tries them.
func (s routes) askDocument(ctx context.Context, doc corpus.Document, language string) ([]string, error) {
	o, err := s.outlineOf(ctx, doc)
	if err != nil {
		return nil, err
	}
	var asked []string
	for _, h := range o.headings {
		if q := inDocument(doc.Title, h.Text, language); q != "" {
			asked = append(asked, q)
		}
	}
	return s.answered(ctx, distinct(asked), perDocument, rag.Request{Documents: []int64{doc.ID}})
}
