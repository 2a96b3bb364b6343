// Package approve writes approved answers, one at a time or from a table.
package approve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docent/insight"
	"docent/internal/fault"
	"docent/rag/corpus"
)

// Config configures a Writer.
type Config struct {
	// Answers keeps the answers. Required.
	Answers insight.Approvals
	// Store stores the Markdown of an answer as a document, and returns its id. Required.
	Store func(ctx context.Context, collection, source, markdown string) (int64, error)
	// Read returns a document with its text. Its error has fault.NotFound if the reader of ctx may not
	// read it. Required.
	Read func(ctx context.Context, id int64) (corpus.Document, error)
	// Now returns the time. Default: time.Now.
	Now func() time.Time
}

// Writer writes approved answers. It is safe for concurrent use.
type Writer struct{ cfg Config }

// New returns a Writer.
func New(cfg Config) *Writer {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Writer{cfg}
}

// DefaultSignature signs answers of nobody.
const DefaultSignature = "docent"

// Unreadable is the error for an answer that docent cannot read as a document.
func Unreadable() error {
	return fault.New(fault.Invalid, "approved_unreadable", "docent cannot read the answer as Markdown; change its text")
}

// tidy removes needless spaces, and empty and repeated questions.
func tidy(a insight.Approved) insight.Approved {
	var questions []string
	for _, q := range a.Questions {
		if q = strings.Join(strings.Fields(q), " "); q != "" && !slices.Contains(questions, q) {
			questions = append(questions, q)
		}
	}
	a.Questions, a.Text, a.Signed = questions, strings.TrimSpace(a.Text), strings.TrimSpace(a.Signed)
	if a.Signed == "" {
		a.Signed = DefaultSignature
	}
	return a
}

// Put stores the document of an answer, and then the answer. If the second step fails, the document
// stays an ordinary one. The fields Collection and Source name the document. With the field Document, it
// changes that answer, whose passages may be outdated.
func (w *Writer) Put(ctx context.Context, a insight.Approved) (insight.Approved, error) {
	a = tidy(a)
	if err := a.Check(); err != nil {
		return a, err
	}
	var earlier insight.Approved
	var err error
	if a.Document != 0 {
		if earlier, err = w.cfg.Answers.ApprovedAnswer(ctx, a.Document); err != nil {
			return a, err //nolint:wrapcheck // the store names the operation
		}
	}
	if err := w.link(ctx, &a, earlier.Passages); err != nil {
		return a, err
	}
	a.At = w.cfg.Now()
	if a.Document, err = w.cfg.Store(ctx, a.Collection, a.Source, markdown(a)); err != nil {
		return a, fmt.Errorf("store the document of an answer: %w", err)
	}
	if err := w.cfg.Answers.PutApproved(ctx, a); err != nil {
		return a, err //nolint:wrapcheck // the store names the operation
	}
	return w.cfg.Answers.ApprovedAnswer(ctx, a.Document) //nolint:wrapcheck // the store names the operation
}

// markdown returns the document of an answer. All its questions are in the text, so that searches find
// it by each of them.
func markdown(a insight.Approved) string {
	var b strings.Builder
	b.WriteString("# " + a.Questions[0] + "\n\n" + a.Text + "\n")
	if len(a.Questions) > 1 {
		b.WriteString("\n")
		for _, q := range a.Questions[1:] {
			b.WriteString("\n- " + q)
		}
		b.WriteString("\n")
	}
	return b.String()
}
