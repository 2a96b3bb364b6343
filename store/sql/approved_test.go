package sql_test

import (
	"fmt"
	"testing"
	"time"

	"docent/ingest/intake"
	"docent/insight"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/rag"
	"docent/rag/corpus"
)

func TestApproved(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		answer, source := w.document(t, "support"), w.document(t, "manual")
		at := time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)
		a := insight.Approved{
			Approved: rag.Approved{Document: answer, Questions: []string{"When?", "At which time?"}, Text: "At noon.", Signed: "Support", At: at},
			Owner:    "ann", Review: "2026-08-01", Documents: []int64{source, 999},
		}
		storetest.OK(t, w.PutApproved(t.Context(), a))
		storetest.OK(t, w.PutApproved(t.Context(), a)) // again
		got, err := w.ApprovedAnswer(t.Context(), answer)
		storetest.OK(t, err)
		if want := fmt.Sprintf("%v support [%d] [] ann", a.Approved, source); fmt.Sprintf("%v %s %v %v %s", got.Approved, got.Collection, got.Documents, got.Changed, got.Owner) != want {
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
			if n, err := w.CountDue(t.Context(), c.filter); err != nil || n != int64(c.want) {
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

// TestApprovedPassages changes, moves, and deletes a document with a passage below an approved answer.
func TestApprovedPassages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		put := func(text string) corpus.Document {
			t.Helper()
			ids, err := w.PutDocuments(t.Context(), []intake.Put{{
				Document: corpus.Document{
					Collection: "manual", Source: "upload:manual.md", Title: "Manual", Status: corpus.Ready, Text: text, SHA256: fmt.Sprintf("%x", text),
				},
				Chunks: []corpus.Chunk{{Kind: corpus.Prose, Text: text, End: len(text)}},
			}})
			storetest.OK(t, err)
			d, err := w.Document(t.Context(), ids[0])
			storetest.OK(t, err)
			return d
		}
		answer, manual := w.document(t, "support"), put("A permit costs 40 euros.\n")
		const quote = "costs 40 euros"
		a := insight.Approved{Approved: rag.Approved{Document: answer, Questions: []string{"How much?"}, Text: "40 euros.", At: time.Unix(1, 0)}}
		a.Passages = []insight.Passage{{Link: rag.Link{Document: manual.ID, Quote: quote}, Revision: manual.Revision}}
		storetest.OK(t, w.PutApproved(t.Context(), a))
		a.Documents = []int64{manual.ID}
		storetest.OK(t, w.PutApproved(t.Context(), a)) // again
		only, err := w.ApprovedAnswers(t.Context(), []int64{answer})
		storetest.OK(t, err)
		if got, want := fmt.Sprint(only[0].Links), fmt.Sprintf("[{%d %s} {%d }]", manual.ID, quote, manual.ID); got != want {
			t.Errorf("the links are %s, want %s", got, want)
		}
		a.Documents = nil
		storetest.OK(t, w.PutApproved(t.Context(), a))
		check := func(what, want string, due int64) {
			t.Helper()
			got, err := w.ApprovedAnswer(t.Context(), answer)
			storetest.OK(t, err)
			p := got.Passages[0]
			if state := fmt.Sprintf("%s %t %t", p.Title, p.Changed, p.Deleted); state != want || p.Quote != quote {
				t.Errorf("%s: the passage is %q %s, want %s", what, p.Quote, state, want)
			}
			inManual := due // for people who may read the manual, but no deleted document
			if p.Deleted {
				inManual = 0
			}
			for _, c := range []struct {
				readable []string
				want     int64
			}{{nil, due}, {[]string{"manual"}, inManual}, {[]string{"support"}, 0}} {
				f := insight.ApprovedFilter{Collections: []string{"support"}, Due: "2026-05-03", Readable: c.readable, Limit: 2}
				list, err := w.Approved(t.Context(), f)
				storetest.OK(t, err)
				if n, err := w.CountDue(t.Context(), f); err != nil || n != c.want || int64(len(list)) != n {
					t.Errorf("%s: %d answers are due, %d in a list, want %d, for readers of %v: %v", what, n, len(list), c.want, c.readable, err)
				}
			}
		}
		check("at first", "Manual false false", 0)
		put("New: from May on.\n\nA permit costs 40 euros.\n")
		check("at another place", "Manual false false", 0)
		put("A permit costs 50 euros.\n")
		check("with another text", "Manual true false", 1)
		put("A permit costs 40 euros.\n")
		check("with the first text", "Manual false false", 0)
		_, err = w.RemoveDocuments(t.Context(), []int64{manual.ID})
		storetest.OK(t, err)
		check("without the document", " true true", 1)
		a.Passages, a.Documents = nil, []int64{put("A permit costs 40 euros.\n").ID}
		storetest.OK(t, w.PutApproved(t.Context(), a))
		put("A permit costs 50 euros.\n")
		for readable, want := range map[string]int64{"manual": 1, "support": 0} {
			f := insight.ApprovedFilter{Due: "2026-05-03", Readable: []string{readable}}
			if n, err := w.CountDue(t.Context(), f); err != nil || n != want {
				t.Errorf("%d answers with a changed document are due, want %d, for readers of %s: %v", n, want, readable, err)
			}
		}
	})
}
