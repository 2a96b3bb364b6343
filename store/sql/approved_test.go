package sql_test

import (
	"fmt"
	"testing"
	"time"

	"docent/insight"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/rag"
)

func TestApproved(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		answer, source := w.document(t, "support"), w.document(t, "manual")
		at := time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)
		a := insight.Approved{
			Approved: rag.Approved{Document: answer, Questions: []string{"When?", "At which time?"}, Text: "At noon.", Signed: "Support", At: at},
			Owner:    "ann", Review: "2026-08-01", Links: []int64{source, 999},
		}
		storetest.OK(t, w.PutApproved(t.Context(), a))
		storetest.OK(t, w.PutApproved(t.Context(), a)) // again
		got, err := w.ApprovedAnswer(t.Context(), answer)
		storetest.OK(t, err)
		if want := fmt.Sprintf("%v support [%d] [] ann", a.Approved, source); fmt.Sprintf("%v %s %v %v %s", got.Approved, got.Collection, got.Links, got.Changed, got.Owner) != want {
			t.Errorf("the answer is %+v, want %s", got, want)
		}
		only, err := w.ApprovedAnswers(t.Context(), []int64{source, answer})
		storetest.OK(t, err)
		if len(only) != 1 || only[0].Text != "At noon." {
			t.Errorf("approved answers: %+v", only)
		}
		count := func(f insight.ApprovedFilter) int {
			f.Limit = 10
			all, err := w.Approved(t.Context(), f)
			storetest.OK(t, err)
			return len(all)
		}
		for _, c := range []struct {
			filter insight.ApprovedFilter
			want   int
		}{
			{insight.ApprovedFilter{}, 1},
			{insight.ApprovedFilter{Collections: []string{"support"}}, 1},
			{insight.ApprovedFilter{Collections: []string{"manual"}}, 0},
			{insight.ApprovedFilter{Collections: []string{}}, 0},
			{insight.ApprovedFilter{Due: "2026-08-01"}, 0},
			{insight.ApprovedFilter{Due: "2026-08-02"}, 1},
			{insight.ApprovedFilter{Before: answer}, 0},
		} {
			if n := count(c.filter); n != c.want {
				t.Errorf("%+v: %d answers, want %d", c.filter, n, c.want)
			}
			if c.filter.Before != 0 {
				continue
			}
			if n, err := w.CountDue(t.Context(), c.filter.Collections, c.filter.Due); err != nil || n != int64(c.want) {
				t.Errorf("%+v: %d counted, want %d: %v", c.filter, n, c.want, err)
			}
		}
		_, err = w.RemoveDocuments(t.Context(), []int64{source})
		storetest.OK(t, err)
		if n := count(insight.ApprovedFilter{Due: "2026-05-04"}); n != 1 {
			t.Errorf("%d answers are due after a linked document was deleted", n)
		}
		_, err = w.RemoveDocuments(t.Context(), []int64{answer})
		storetest.OK(t, err)
		if _, err := w.ApprovedAnswer(t.Context(), answer); fault.KindOf(err) != fault.NotFound {
			t.Errorf("the deleted answer: %v", err)
		}
	})
}
