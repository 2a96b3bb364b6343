package sql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/insight"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/payload"
)

// byTopic is an embedder: texts with the same first word have the same vector.
type byTopic struct{ words map[string]int }

func (byTopic) Name() string { return "by topic" }

func (e byTopic) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	first, _, _ := strings.Cut(text, " ")
	if _, ok := e.words[first]; !ok {
		e.words[first] = len(e.words)
	}
	v := make([]float32, 8)
	v[e.words[first]] = 1
	return v, nil
}

// grouper is a Grouper with documents of a revision.
func grouper(t *testing.T, w *world, revision *int64, ask func(question string) payload.RAGMessage) *insight.Grouper {
	t.Helper()
	g, err := insight.NewGrouper(insight.GrouperConfig{
		Gaps: w.gaps, Answers: w.insights, Embedder: byTopic{map[string]int{}},
		Revision: func(context.Context) (int64, error) { return *revision, nil },
		Ask:      func(_ context.Context, q string) (payload.RAGMessage, error) { return ask(q), nil },
	})
	storetest.OK(t, err)
	return g
}

// unanswered adds a question without an answer.
func (w *world) unanswered(t *testing.T, question, asker, collection string, outcome payload.AnswerOutcome, rating int) {
	t.Helper()
	storetest.OK(t, w.insights.AddAnswers(t.Context(), insight.Entry{Asked: []string{collection}, Answer: insight.Answer{
		Time: time.Now(), Question: question, Outcome: outcome, Asker: asker, Channel: insight.API, Rating: rating,
		Content: []byte(`{"answer":"No."}`),
	}}))
}

// gapList returns the gaps as lines.
func (w *world) gapList(t *testing.T, f insight.GapFilter) (out []string) {
	t.Helper()
	f.Limit = 10
	all, err := w.gaps.Gaps(t.Context(), f)
	storetest.OK(t, err)
	for _, g := range all {
		first, _, _ := strings.Cut(g.Wording, " ")
		out = append(out, fmt.Sprintf("%s %d by %d in %s: %s", first, g.Count, g.People, strings.Join(g.Collections, "+"), g.State))
	}
	return out
}

// counts checks the numbers of gaps. Those since tomorrow are never new.
func (w *world) counts(t *testing.T, what string, collections []string, want insight.GapCounts) {
	t.Helper()
	got, err := w.gaps.CountGaps(t.Context(), collections, time.Now().Add(-time.Hour))
	storetest.OK(t, err)
	storetest.Want(t, "numbers "+what, got, want)
	want.New = 0
	got, err = w.gaps.CountGaps(t.Context(), collections, time.Now().Add(time.Hour))
	storetest.OK(t, err)
	storetest.Want(t, "numbers without new gaps, "+what, got, want)
}

func (w *world) steps(t *testing.T, g *insight.Grouper) {
	t.Helper()
	for range 8 {
		_, err := g.Step(t.Context())
		storetest.OK(t, err)
	}
}

func TestGaps(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.document(t, "manual")
		w.document(t, "hr")
		revision := int64(1)
		outcome := payload.AnswerNotFound
		g := grouper(t, w, &revision, func(q string) payload.RAGMessage {
			m := message(q, payload.AnswerNotFound)
			if strings.HasPrefix(q, "parking") {
				m.Outcome = outcome
			}
			return m
		})
		w.unanswered(t, "parking where", "ann", "hr", payload.AnswerNotFound, 0)
		w.unanswered(t, "parking how", "ann", "manual", payload.AnswerUnsure, 0)
		w.unanswered(t, "parking when", "bob", "hr", payload.AnswerNotFound, 0)
		w.unanswered(t, "pumps", "bob", "manual", payload.Answered, -1)
		w.unanswered(t, "fine", "bob", "manual", payload.Answered, 1)
		w.steps(t, g)
		storetest.Want(t, "gaps", w.gapList(t, insight.GapFilter{}), []string{"parking 3 by 2 in hr+manual: open", "pumps 1 by 1 in manual: open"})
		storetest.Want(t, "gaps of hr", w.gapList(t, insight.GapFilter{Collections: []string{"hr"}}), []string{"parking 3 by 2 in hr+manual: open"})

		w.counts(t, "of all gaps", nil, insight.GapCounts{Open: 2, Questions: 4, New: 2})
		w.counts(t, "of hr", []string{"hr"}, insight.GapCounts{Open: 1, Questions: 3, New: 1})
		w.counts(t, "of nothing", []string{}, insight.GapCounts{})

		other := grouper(t, w, &revision, nil)
		w.unanswered(t, "parking again", "eve", "hr", payload.AnswerNotFound, 0)
		w.steps(t, other) // the other one has the lease
		storetest.Want(t, "gaps of another process", w.gapList(t, insight.GapFilter{})[0], "parking 3 by 2 in hr+manual: open")

		revision, outcome = 2, payload.Answered
		w.steps(t, g)
		storetest.Want(t, "proposed", w.gapList(t, insight.GapFilter{State: insight.GapProposed}), []string{"parking 4 by 3 in hr+manual: proposed"})
		w.counts(t, "with a proposed gap", nil, insight.GapCounts{Open: 1, Questions: 1, New: 1, Proposed: 1})
		all, err := w.gaps.Gaps(t.Context(), insight.GapFilter{Limit: 1})
		storetest.OK(t, err)
		parking := all[0]
		if !strings.Contains(string(parking.Proposal), "Because.") {
			t.Errorf("the proposal is %s", parking.Proposal)
		}
		all, err = w.gaps.Gaps(t.Context(), insight.GapFilter{Limit: 1, Before: &parking})
		storetest.OK(t, err)
		storetest.Want(t, "the next page", all[0].Wording, "pumps")

		solved, owner := insight.GapSolved, "user:root"
		storetest.OK(t, w.gaps.ChangeGap(t.Context(), parking.ID, insight.GapChange{State: &solved, Owner: &owner}))
		w.unanswered(t, "parking once more", "eve", "hr", payload.AnswerNotFound, 0)
		revision, outcome = 3, payload.AnswerNotFound
		w.steps(t, g)
		got, err := w.gaps.Gap(t.Context(), parking.ID)
		storetest.OK(t, err)
		storetest.Want(t, "a solved gap that is asked again", []string{string(got.State), got.Owner}, []string{"open", owner})

		pumps, err := w.insights.Answers(t.Context(), insight.Filter{Rating: -1, Limit: 1})
		storetest.OK(t, err)
		storetest.OK(t, w.gaps.JoinGap(t.Context(), pumps[0].ID, parking.ID))
		storetest.OK(t, w.gaps.JoinGap(t.Context(), pumps[0].ID, parking.ID))
		storetest.Want(t, "after a move", w.gapList(t, insight.GapFilter{})[0], "parking 6 by 3 in hr+manual: open")
		storetest.Want(t, "the empty gap goes", len(w.gapList(t, insight.GapFilter{})), 1)
		storetest.OK(t, w.insights.MarkAnswer(t.Context(), pumps[0].ID, insight.OffTopic))
		w.steps(t, g)
		storetest.Want(t, "off topic", w.gapList(t, insight.GapFilter{})[0], "parking 5 by 3 in hr+manual: open")
		storetest.WantKind(t, "no gap", w.gaps.JoinGap(t.Context(), pumps[0].ID, 1<<40), fault.NotFound)
		storetest.WantKind(t, "no question", w.gaps.JoinGap(t.Context(), 1<<40, parking.ID), fault.NotFound)
	})
}

// TestMergedGaps: questions between two gaps join them.
func TestMergedGaps(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.document(t, "hr")
		for _, asker := range []string{"ann", "bob", "ann"} {
			w.unanswered(t, "x", asker, "hr", payload.AnswerNotFound, 0)
		}
		all, err := w.gaps.Ungrouped(t.Context(), 10)
		storetest.OK(t, err)
		a := &insight.Gap{Model: "m", Cluster: insight.Cluster{Sum: []float32{1, 0}}}
		b := &insight.Gap{Model: "m", Cluster: insight.Cluster{Sum: []float32{0, 1}}}
		storetest.OK(t, w.gaps.Group(t.Context(), []insight.Grouped{{Ungrouped: all[0], Gap: a}, {Ungrouped: all[1], Gap: b}}))
		storetest.OK(t, w.gaps.Group(t.Context(), []insight.Grouped{{Ungrouped: all[2], Gap: a, Merged: b.ID, Score: .9}}))
		got, err := w.gaps.Gap(t.Context(), a.ID)
		storetest.OK(t, err)
		storetest.Want(t, "questions, people, and the typical question", []int64{got.Count, got.People, got.Typical}, []int64{3, 2, all[2].ID})
		storetest.Want(t, "gaps", len(w.gapList(t, insight.GapFilter{})), 1)
	})
}

// TestGapLease: one process works on the gaps. A lease from before the clock was set back counts for nothing.
func TestGapLease(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		lease := func(owner string, ends time.Duration, want bool) {
			t.Helper()
			got, err := w.gaps.LeaseGaps(t.Context(), owner, time.Now().Add(ends))
			storetest.OK(t, err)
			storetest.Want(t, owner, got, want)
		}
		lease("first", time.Minute, true)
		lease("second", time.Minute, false)
		lease("first", 24*time.Hour, true)
		lease("second", time.Minute, true)
		lease("first", time.Minute, false)
	})
}

// TestSolutions: people learn once that a question of their conversation has an answer now.
func TestSolutions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.document(t, "hr")
		session := w.session(t, "one", "user:ann", insight.Page)
		for _, q := range []string{"parking where", "parking how", "fine"} {
			m := message(q, payload.AnswerNotFound)
			if q == "fine" {
				m.Outcome = payload.Answered
			}
			w.turn(t, session, m, time.Now())
		}
		w.unanswered(t, "parking when", "user:bob", "hr", payload.AnswerNotFound, 0) // without a conversation
		w.follow(t)
		revision := int64(1)
		w.steps(t, grouper(t, w, &revision, func(q string) payload.RAGMessage { return message(q, payload.AnswerNotFound) }))
		all, err := w.gaps.Gaps(t.Context(), insight.GapFilter{Limit: 10})
		storetest.OK(t, err)
		storetest.Want(t, "gaps", len(all), 1)
		want := func(what string, want ...insight.Solution) {
			t.Helper()
			got, err := w.Solutions(t.Context(), []int64{session, 1 << 40})
			storetest.OK(t, err)
			storetest.Want(t, what, got, want)
		}
		want("before")
		change := func(state insight.GapState, document int64) {
			t.Helper()
			storetest.OK(t, w.gaps.ChangeGap(t.Context(), all[0].ID, insight.GapChange{State: &state, Solution: &document}))
		}
		change(insight.GapSolved, 7)
		want("solved", insight.Solution{Session: session, Turn: 1, Document: 7}, insight.Solution{Session: session, Turn: 2, Document: 7})
		storetest.OK(t, w.SeeSolution(t.Context(), session, 1))
		want("one is seen", insight.Solution{Session: session, Turn: 2, Document: 7})
		change(insight.GapOpen, 0)
		want("open again")
		change(insight.GapSolved, 8)
		want("solved again", insight.Solution{Session: session, Turn: 1, Document: 8}, insight.Solution{Session: session, Turn: 2, Document: 8})
		_, err = w.Receive(t.Context(), journal.Incoming{
			Session: session, Type: payload.TypeStr, Content: chat.JSONString("parking how"), Replaces: 2,
			Event: journal.EventRecord{Name: chat.EventText, Human: true},
		})
		storetest.OK(t, err)
		want("one is asked again", insight.Solution{Session: session, Turn: 1, Document: 8})
		storetest.WantKind(t, "no gap", w.gaps.ChangeGap(t.Context(), 1<<40, insight.GapChange{Solution: &revision}), fault.NotFound)
	})
}
