package approve

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"docent/insight"
	"docent/internal/fault"
	"docent/rag"
)

// Status says what an import does with a row.
type Status string

// The statuses.
const (
	// Added: there was no answer to the question.
	Added Status = "added"
	// Changed: the answer to the question changes.
	Changed Status = "changed"
	// Unchanged: the answer to the question is the same.
	Unchanged Status = "unchanged"
	// Refused: the row is no answer. Step.Reason says why.
	Refused Status = "refused"
)

// Step is the import of a row.
type Step struct {
	// Row is the number of the row.
	Row int
	// Status says what the import does.
	Status Status
	// Question is the question of the row.
	Question string
	// Reason says why it is refused.
	Reason fault.Text

	answer insight.Approved
}

// Import is a wish to import a table.
type Import struct {
	// Rows are the rows.
	Rows []Row
	// Collection is for rows without one.
	Collection string
	// Signed signs answers without a signature. Default: DefaultSignature.
	Signed string
	// Allowed are the collections that may get answers. nil means all.
	Allowed []string
}

// key returns a question in the form that finds an earlier answer to it.
func key(collection, question string) string {
	return collection + "\n" + strings.ToLower(strings.Join(strings.Fields(question), " "))
}

// Plan returns what an import does with each row. Rows belong to the answers to the same question in the
// same collection, so importing a table again changes nothing.
func (w *Writer) Plan(ctx context.Context, in Import) ([]Step, error) {
	known, err := w.known(ctx, in.Allowed)
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	out := make([]Step, len(in.Rows))
	for i, r := range in.Rows {
		out[i] = in.plan(r, known, seen)
	}
	return out, nil
}

// known returns the answers by key. Fallbacks are no answers.
func (w *Writer) known(ctx context.Context, allowed []string) (map[string]insight.Approved, error) {
	out := map[string]insight.Approved{}
	f := insight.ApprovedFilter{Collections: allowed, Limit: insight.MaxPage}
	for {
		page, err := w.cfg.Answers.Approved(ctx, f)
		if err != nil {
			return nil, err //nolint:wrapcheck // the store names the operation
		}
		for _, a := range page {
			f.Before = a.Document
			for _, q := range a.Questions {
				if k := key(a.Collection, q); out[k].Document == 0 && !strings.HasPrefix(a.Source, rag.FallbackPrefix) {
					out[k] = a
				}
			}
		}
		if len(page) < insight.MaxPage {
			return out, nil
		}
	}
}

// plan returns the step of a row. seen has the rows of the table before it by their answer and question.
func (in Import) plan(r Row, known map[string]insight.Approved, seen map[string]int) Step {
	s := Step{Row: r.Number, Status: Refused, Question: strings.Join(strings.Fields(r.fields[question]), " ")}
	into := r.fields[collection]
	if into == "" {
		into = in.Collection
	}
	k := key(into, s.Question)
	earlier, exists := known[k]
	if exists {
		k = key(into, earlier.Questions[0])
	}
	switch {
	case s.Question == "" || r.fields[answer] == "":
		s.Reason = fault.NewText("csv_row_incomplete", "the question or the answer is missing")
		return s
	case in.Allowed != nil && !slices.Contains(in.Allowed, into):
		s.Reason = fault.NewText("csv_row_collection", "you do not manage the collection %s", into)
		return s
	case seen[k] > 0:
		s.Reason = fault.NewText("csv_row_repeated", "row %d has the same question", seen[k])
		return s
	}
	seen[k] = r.Number
	if !exists {
		earlier = insight.Approved{Approved: rag.Approved{Signed: in.Signed}, Source: rag.ApprovedPrefix + uuid.NewString() + ".md"}
	}
	s.answer = r.answerOf(earlier, into)
	if err := s.answer.Check(); err != nil {
		s.Reason = fault.TextOf(err)
		return s
	}
	switch {
	case !exists:
		s.Status = Added
	case same(earlier, s.answer):
		s.Status = Unchanged
	default:
		s.Status = Changed
	}
	return s
}

// same reports whether two answers are the same for people.
func same(a, b insight.Approved) bool {
	return slices.Equal(a.Questions, b.Questions) && a.Text == b.Text && a.Signed == b.Signed && a.Owner == b.Owner && a.Review == b.Review
}

// Apply imports the added and changed rows of a plan. It refuses rows that docent cannot store, and
// returns the steps as they were done. Only a canceled ctx ends it early.
func (w *Writer) Apply(ctx context.Context, steps []Step) ([]Step, error) {
	out := slices.Clone(steps)
	for i, s := range out {
		if s.Status != Added && s.Status != Changed {
			continue
		}
		if _, err := w.Put(ctx, s.answer); err != nil {
			if ctx.Err() != nil {
				return out[:i], err
			}
			out[i].Status, out[i].Reason = Refused, fault.TextOf(err)
		}
	}
	return out, nil
}
