package suggest

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"docent/llm"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/describe"
)

const (
	// describedAtOnce is the number of documents that a model describes at once.
	describedAtOnce = 2
	// retryAfter is the time after which docent asks a model again that failed.
	retryAfter = 10 * time.Minute
)

// Describing lets a model describe documents.
type Describing struct {
	// Store keeps the descriptions. Required.
	Store describe.Store
	// Model returns the present model, or nil without one. Required.
	Model func() llm.Model
	// Logger receives failures of the model. Required.
	Logger *slog.Logger
}

type describeInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type describeOutput struct {
	Body struct {
		Summary   []string `json:"summary" nullable:"false" doc:"The sentences of the summary."`
		Questions []string `json:"questions" nullable:"false" doc:"At most three questions that the document answers."`
		Model     string   `json:"model,omitempty" doc:"The name of the model that wrote them. Absent if no model wrote about the document."`
	} `nameHint:"DocumentDescription"`
}

func (s routes) description(ctx context.Context, in *describeInput) (*describeOutput, error) {
	doc, err := s.cfg.Library.Metadata(ctx, in.ID) // also checks the right to read it
	if err != nil {
		return nil, err //nolint:wrapcheck // the library names the operation
	}
	out := &describeOutput{}
	out.Body.Summary, out.Body.Questions = []string{}, []string{}
	if s.cfg.Describing == nil || doc.Status != corpus.Ready {
		return out, nil
	}
	model := s.cfg.Describing.Model()
	if model == nil {
		return out, nil
	}
	key := describe.Key(doc, model.Name())
	tried := fmt.Sprint(doc.ID, " ", key, " ", time.Now().Truncate(retryAfter).Unix())
	d, err := s.descriptions.get(ctx, tried, func(ctx context.Context) (describe.Description, error) {
		return s.describe(ctx, doc, model, key)
	})
	if err == nil && len(d.Summary) > 0 {
		out.Body.Model, out.Body.Summary = d.Model, d.Summary
		out.Body.Questions = append(out.Body.Questions, d.Questions...)
	}
	return out, err
}

// describe returns the stored description of a document, or lets a model write it. If the model fails, the description is empty and not
// stored. It fails if the reader left or has used up the tokens, so that others get a description.
func (s routes) describe(ctx context.Context, doc corpus.Document, model llm.Model, key string) (describe.Description, error) {
	d, err := s.cfg.Describing.Store.Description(ctx, doc.ID)
	if err != nil || d.Key == key {
		return d, err //nolint:wrapcheck // the store names the operation
	}
	o, err := s.outlineOf(ctx, doc)
	if err != nil {
		return d, err
	}
	headings := make([]string, len(o.headings))
	for i, h := range o.headings {
		headings[i] = h.Text
	}
	chunks, err := s.cfg.Library.DocumentChunks(ctx, doc.ID, -1, headingChunks)
	if err != nil {
		return d, fmt.Errorf("read document %d to describe it: %w", doc.ID, err)
	}
	prompt, err := describe.Prompt(doc, headings, chunks)
	if err != nil {
		return d, err //nolint:wrapcheck // the error is complete
	}
	answer, err := llm.Ask(ctx, model, llm.Request{Messages: []llm.Message{llm.Text(llm.User, prompt)}, MaxTokens: describe.MaxTokens})
	if err != nil && (ctx.Err() != nil || llm.Refused(err)) {
		return d, err //nolint:wrapcheck // the error is complete
	}
	if err != nil {
		s.cfg.Describing.Logger.WarnContext(ctx, "the model did not describe a document", "document", doc.ID, "error", err)
		return describe.Description{}, nil
	}
	d = describe.Description{Key: key, Model: model.Name()}
	var asked []string
	d.Summary, asked = describe.Read(answer.Text, doc, headings, chunks)
	if d.Questions, err = s.answered(ctx, asked, perDocument, rag.Request{Documents: []int64{doc.ID}}); err != nil {
		return d, err
	}
	return d, s.cfg.Describing.Store.PutDescription(ctx, doc.ID, d) //nolint:wrapcheck // the store names the operation
}
