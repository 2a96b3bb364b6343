package quality_test

import (
	"fmt"
	"testing"

	"docent/insight/quality"
	"docent/rag"
	"docent/rag/pipeline"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	passage, absent, undecided := quality.Question{Expect: quality.Passage}, quality.Question{Expect: quality.Absent}, quality.Question{}
	for _, c := range []struct {
		q    quality.Question
		r    *quality.Result
		want quality.Verdict
	}{
		{passage, nil, quality.Unknown},
		{passage, &quality.Result{Outcome: rag.Answered, Rank: 3}, quality.Passed},
		{passage, &quality.Result{Outcome: rag.Unsure, Rank: 1}, quality.Passed},
		{passage, &quality.Result{Outcome: rag.Answered}, quality.Failed},
		{passage, &quality.Result{Outcome: rag.NotFound, Rank: 1}, quality.Failed},
		{absent, &quality.Result{Outcome: rag.NotFound}, quality.Passed},
		{absent, &quality.Result{Outcome: rag.Answered}, quality.Failed},
		{undecided, &quality.Result{Outcome: rag.Answered}, quality.Unknown},
	} {
		if got := c.q.Verdict(c.r); got != c.want {
			t.Errorf("%q with %+v: %q, want %q", c.q.Expect, c.r, got, c.want)
		}
	}
}

func TestWhatIf(t *testing.T) {
	t.Parallel()
	answers := []quality.Judged{
		{ID: 1, Outcome: rag.Answered, Evidence: .9},
		{ID: 2, Outcome: rag.Answered, Evidence: .45},
		{ID: 3, Outcome: rag.Unsure, Evidence: .2},
		{ID: 4, Outcome: rag.NotFound, Evidence: .001},
		{ID: 5, Outcome: rag.Answered, Evidence: .1}, // a model answered it
	}
	e := quality.WhatIf(answers, pipeline.Thresholds{Answered: .4, Shown: .003}, pipeline.Thresholds{Answered: .5, Shown: .3})
	if got, want := fmt.Sprint(e.Answers, e.Changed, e.Outcomes), "4 2 map[answered:1 not_found:2 unsure:1]"; got != want {
		t.Errorf("the effect is %s, want %s", got, want)
	}
	if len(e.Moved) != 2 || e.Moved[0].ID != 2 || e.Moved[0].To != rag.Unsure || e.Moved[1].To != rag.NotFound {
		t.Errorf("moved: %+v", e.Moved)
	}
}
