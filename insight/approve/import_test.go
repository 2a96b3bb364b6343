package approve_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/insight"
	"docent/insight/approve"
	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
)

// kept keeps answers in memory.
type kept struct {
	insight.Approvals // not used

	answers   []insight.Approved
	documents map[string]string // Markdown by source
	manual    string            // the text of document 100
}

func (k *kept) PutApproved(_ context.Context, a insight.Approved) error {
	k.answers = slices.DeleteFunc(k.answers, func(b insight.Approved) bool { return a.Document == b.Document })
	k.answers = append(k.answers, a)
	return nil
}

func (k *kept) ApprovedAnswer(_ context.Context, document int64) (insight.Approved, error) {
	i := slices.IndexFunc(k.answers, func(a insight.Approved) bool { return a.Document == document })
	return k.answers[i], nil
}

func (k *kept) Approved(_ context.Context, f insight.ApprovedFilter) (out []insight.Approved, err error) {
	for _, a := range slices.Backward(k.answers) {
		if f.Before == 0 && (f.Collections == nil || slices.Contains(f.Collections, a.Collection)) {
			out = append(out, a)
		}
	}
	return out, nil
}

// read returns the only document besides answers.
func (k *kept) read(_ context.Context, id int64) (corpus.Document, error) {
	if id != 100 {
		return corpus.Document{}, fault.New(fault.NotFound, "no_document", "there is no document %d", id)
	}
	return corpus.Document{ID: 100, Revision: 7, Text: k.manual}, nil
}

func newWriter() (*approve.Writer, *kept) {
	k := &kept{documents: map[string]string{}}
	return approve.New(approve.Config{
		Answers: k, Now: func() time.Time { return time.Unix(1, 0) }, Read: k.read,
		Store: func(_ context.Context, collection, source, markdown string) (int64, error) {
			if strings.Contains(markdown, "unreadable") {
				return 0, approve.Unreadable()
			}
			k.documents[collection+" "+source] = markdown
			for i, a := range k.answers {
				if a.Source == source {
					return k.answers[i].Document, nil
				}
			}
			return int64(len(k.answers) + 1), nil
		},
	}), k
}

// imported imports a table, and returns a line for each row.
func imported(t *testing.T, w *approve.Writer, table string, preview bool) (out []string) {
	t.Helper()
	rows, err := approve.ReadTable([]byte(table))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := w.Plan(t.Context(), approve.Import{Rows: rows, Collection: "default", Signed: "ann", Allowed: []string{"default", "hr"}})
	if err == nil && !preview {
		steps, err = w.Apply(t.Context(), steps)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", s.Row, s.Status, s.Question, s.Reason.Message)))
	}
	return out
}

const table = "\ufeffQuestion;Answer;Wordings;Signed;Review;Collection\r\n" +
	"When is the office open?;\"From 9 to 17.\nNot on Sunday; ever.\";\"Opening hours?\nWhen do you open?\";Support;2027-01-01;\r\n" +
	";;;;;\r\n" +
	"Who  pays?;Nobody.;;;;hr\r\n" +
	"Who?;Ann.;;;tomorrow;\r\n" +
	"WHEN is the office open?;Never.;;;;\r\n" +
	"Why?;;;;;\r\n" +
	"Where?;Here.;;;;vault\r\n" +
	"How?;It is unreadable.;;;;\r\n"

func TestImport(t *testing.T) {
	t.Parallel()
	w, k := newWriter()
	refused := []string{
		"5 refused Who? the review day must have the form 2026-05-03",
		"6 refused WHEN is the office open? row 2 has the same question",
		"7 refused Why? the question or the answer is missing",
		"8 refused Where? you do not manage the collection vault",
	}
	want := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	both := []string{"2 added When is the office open?", "4 added Who pays?"}
	want("preview", imported(t, w, table, true), slices.Concat(both, refused, []string{"9 added How?"})...)
	if len(k.answers) != 0 {
		t.Errorf("the preview stored %v", k.answers)
	}
	unreadable := "9 refused How? docent cannot read the answer as Markdown; change its text"
	want("import", imported(t, w, table, false), slices.Concat(both, refused, []string{unreadable})...)
	want("again", imported(t, w, table, false),
		slices.Concat([]string{"2 unchanged When is the office open?", "4 unchanged Who pays?"}, refused, []string{unreadable})...)
	first := k.answers[0]
	if first.Text != "From 9 to 17.\nNot on Sunday; ever." || first.Signed != "Support" || first.Review != "2027-01-01" || len(first.Questions) != 3 ||
		first.Collection != "default" || k.answers[1].Signed != "ann" || k.answers[1].Collection != "hr" || len(k.answers) != 2 {
		t.Errorf("the answers are %+v", k.answers)
	}
	if got := k.documents["default "+first.Source]; !strings.HasPrefix(got, "# When is the office open?\n\nFrom 9") || !strings.Contains(got, "\n- Opening hours?") {
		t.Errorf("the document is %q", got)
	}

	// Another wording finds the answer. Missing columns keep its fields.
	want("change", imported(t, w, "answer,question\nFrom 8.,opening hours?\n", false), "2 changed opening hours?")
	changed := k.answers[len(k.answers)-1]
	if changed.Document != first.Document || changed.Text != "From 8." || changed.Review != first.Review || !slices.Equal(changed.Questions, first.Questions) {
		t.Errorf("the changed answer is %+v", changed)
	}
	k.answers[0].Source = rag.FallbackPrefix + "x.md"
	want("a fallback is no answer", imported(t, w, "question\tanswer\n"+k.answers[0].Questions[0]+"\tNo.\n", true), "2 added "+k.answers[0].Questions[0])
}

func TestReadTable(t *testing.T) {
	t.Parallel()
	for table, want := range map[string]string{
		"":                       "the table is empty",
		"\xff":                   "not UTF-8",
		"question,text\n":        `there is no column "text"`,
		"question\n":             `the column "answer" is missing`,
		"question,answer\n\"a,b": "cannot read line 2 of the table",
		"question,answer\n" + strings.Repeat("a,b\n", approve.MaxRows+1): "more than 1000 rows",
		strings.Repeat(" ", approve.MaxBytes+1):                          "more than 2097152 bytes",
	} {
		if _, err := approve.ReadTable([]byte(table)); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", table, err, want)
		}
	}
}
