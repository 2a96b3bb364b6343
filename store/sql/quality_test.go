package sql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/insight"
	"docent/insight/quality"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/talk"
)

// TestKept keeps, changes, and removes questions of two collections.
func TestKept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.document(t, "manual")
		w.unanswered(t, "When does it stop?", "ann", "manual", payload.AnswerNotFound, 0)
		asked, err := w.insights.Answers(t.Context(), insight.Filter{Limit: 10})
		storetest.OK(t, err)
		q := quality.Question{
			Collection: "manual", Text: asked[0].Question, Expect: quality.Passage, File: "manual.md", Quote: "The pump stops.",
			Answer: asked[0].ID, History: []talk.Turn{{Role: "user", Text: "Hello"}},
		}
		storetest.OK(t, w.insights.MarkAnswer(t.Context(), q.Answer, insight.Test))
		id, err := w.Keep(t.Context(), q)
		storetest.OK(t, err)
		again, err := w.Keep(t.Context(), q)
		storetest.OK(t, err)
		storetest.Want(t, "the id of a question that is kept again", again, id)
		_, err = w.Keep(t.Context(), quality.Question{Text: "In all collections?", Expect: quality.Absent})
		storetest.OK(t, err)
		list := func(collections []string) (out []string) {
			t.Helper()
			all, err := w.Kept(t.Context(), collections)
			storetest.OK(t, err)
			for _, k := range all {
				out = append(out, fmt.Sprintf("%s in %q: %s %s/%s %v", k.Text, k.Collection, k.Expect, k.File, k.Quote, k.History))
			}
			return out
		}
		const first = `When does it stop? in "manual": passage manual.md/The pump stops. [{user Hello}]`
		const second = `In all collections? in "": absent / []`
		storetest.Want(t, "all questions", fmt.Sprint(list(nil)), fmt.Sprint([]string{second, first}))
		storetest.Want(t, "questions of a manager", fmt.Sprint(list([]string{"manual", "other"})), fmt.Sprint([]string{first}))
		storetest.Want(t, "questions of another manager", len(list([]string{"default"})), 0)

		evidence := .7
		at := time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)
		storetest.OK(t, w.SaveResult(t.Context(), id, 0, quality.Result{At: at, Outcome: rag.NotFound}))
		storetest.OK(t, w.SaveResult(t.Context(), id, 0,
			quality.Result{At: at.Add(time.Hour), Outcome: rag.Answered, Evidence: &evidence, Rank: 2}))
		got, err := w.KeptQuestion(t.Context(), id)
		storetest.OK(t, err)
		if got.Last == nil || got.Before == nil || got.Last.Rank != 2 || *got.Last.Evidence != .7 ||
			got.Before.Outcome != rag.NotFound || !got.Before.At.Equal(at) {
			t.Errorf("results: %+v, before %+v", got.Last, got.Before)
		}
		storetest.Want(t, "the change", got.Changed(), true)
		got.Text, got.Collection = "When?", ""
		storetest.OK(t, w.ChangeKept(t.Context(), got))
		storetest.OK(t, w.SaveResult(t.Context(), id, 0, quality.Result{At: at, Outcome: rag.NotFound})) // of the old question
		got, err = w.KeptQuestion(t.Context(), id)
		storetest.OK(t, err)
		if got.Last != nil || got.Before != nil || got.Text != "When?" || got.Edits != 1 {
			t.Errorf("the changed question is %+v", got)
		}

		storetest.OK(t, w.RemoveKept(t.Context(), id))
		storetest.Want(t, "the kind of a missing question", fault.KindOf(w.RemoveKept(t.Context(), id)), fault.NotFound)
		a, err := w.insights.Answer(t.Context(), q.Answer)
		storetest.OK(t, err)
		storetest.Want(t, "the mark of the answer", a.Mark, "")
		_, err = w.Keep(t.Context(), q)
		storetest.OK(t, err)
		storetest.OK(t, w.insights.MarkAnswer(t.Context(), q.Answer, ""))
		storetest.Want(t, "questions without the mark", len(list([]string{"manual"})), 0)
	})
}

// answering answers as the reader of ctx may read.
type answering struct{ readers chan string }

func (a answering) Run(ctx context.Context, req rag.Request) (rag.Answer, error) {
	reader, _ := corpus.ReaderOf(ctx)
	a.readers <- reader.Principal
	if req.Question == "Broken?" {
		return rag.Answer{}, fault.New(fault.Unavailable, "test_broken", "broken")
	}
	return rag.Answer{
		Outcome: rag.Answered, Search: &rag.Search{Evidence: .9},
		Passages: []rag.Passage{{Passage: corpus.Passage{Document: corpus.Document{Source: "upload:manual.md"}, Chunk: corpus.Chunk{Text: "At noon. The pump stops."}}}},
	}, nil
}

// TestQualityRun asks kept questions in the background, once, for the person who started the run.
func TestQualityRun(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, q := range []quality.Question{
			{Text: "When?", Expect: quality.Passage, File: "manual.md", Quote: "The pump stops."},
			{Text: "Who?", Expect: quality.Absent},
			{Text: "Broken?"},
		} {
			_, err := w.Keep(t.Context(), q)
			storetest.OK(t, err)
		}
		a := answering{make(chan string)}
		r, err := quality.New(quality.Config{Store: w, Leases: w.jobs, Answerer: a, Rank: func(answer rag.Answer, _, quote string) int {
			if strings.Contains(answer.Passages[0].Text, quote) {
				return 1
			}
			return 0
		}})
		storetest.OK(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		request, left := context.WithCancel(corpus.WithReader(t.Context(), corpus.Reader{Principal: "user:ann"}))
		run, err := r.Start(request, nil)
		storetest.OK(t, err)
		storetest.Want(t, "the number of questions", run.Questions, 3)
		left() // the page
		_, err = r.Start(t.Context(), nil)
		storetest.Want(t, "the kind of a second run", fault.KindOf(err), fault.Conflict)
		for range 3 {
			storetest.Want(t, "the reader", <-a.readers, "user:ann")
		}
		for run, _, err = r.Last(t.Context()); err == nil && run.Ended.IsZero(); run, _, err = r.Last(t.Context()) {
		}
		storetest.OK(t, err)
		if run.Running || run.Done != 3 || run.Failed != 1 || run.Problem.ID != "test_broken" {
			t.Errorf("the run is %+v", run)
		}
		all, err := w.Kept(t.Context(), nil)
		storetest.OK(t, err)
		var got []quality.Verdict
		for _, q := range all {
			got = append(got, q.Verdict(q.Last))
		}
		storetest.Want(t, "verdicts", fmt.Sprintf("%q", got), `["" "failed" "passed"]`)
		stop()
		storetest.OK(t, <-ended)
	})
}

// TestJudged reads the evidence of stored answers, and tells which other thresholds would change.
func TestJudged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.document(t, "manual")
		add := func(question, collection string, outcome payload.AnswerOutcome, evidence float64, age time.Duration) {
			t.Helper()
			storetest.OK(t, w.insights.AddAnswers(t.Context(), insight.Entry{Asked: []string{collection}, Answer: insight.Answer{
				Time: time.Now().Add(-age), Question: question, Outcome: outcome, Evidence: &evidence, Channel: insight.API,
			}}))
		}
		add("Sure?", "manual", payload.Answered, .9, 3*time.Minute)
		add("Nearly?", "manual", payload.Answered, .45, 2*time.Minute)
		add("Elsewhere?", "default", payload.AnswerUnsure, .2, time.Minute)
		add("Old?", "manual", payload.Answered, .45, 48*time.Hour)
		since := time.Now().Add(-24 * time.Hour)
		questions := func(collections []string) (out []string) {
			t.Helper()
			all, err := w.Judged(t.Context(), since, collections)
			storetest.OK(t, err)
			for _, j := range all {
				out = append(out, fmt.Sprint(j.Question, j.Outcome, j.Evidence))
			}
			return out
		}
		storetest.Want(t, "all", fmt.Sprint(questions(nil)), "[Elsewhere?unsure0.2 Nearly?answered0.45 Sure?answered0.9]")
		storetest.Want(t, "of a manager", fmt.Sprint(questions([]string{"manual"})), "[Nearly?answered0.45 Sure?answered0.9]")
	})
}
