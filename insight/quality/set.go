package quality

import (
	"fmt"

	"docent/eval"
)

// kind is the kind of answerable questions in an exported set.
const kind = "kept"

// Set returns the questions with an expectation in the form that docent eval measures.
func Set(kept []Question) []eval.Question {
	var out []eval.Question
	for _, q := range kept {
		e := eval.Question{ID: fmt.Sprint("kept-", q.ID), Text: q.Text, History: q.History}
		switch q.Expect {
		case Undecided:
			continue
		case Absent:
			e.Kind = eval.Unanswerable
		case Passage:
			e.Kind, e.Evidence = kind, []eval.Evidence{{File: q.File, Quote: q.Quote}}
		}
		out = append(out, e)
	}
	return out
}

// FromSet returns questions of a set as questions to keep for a collection. The first piece of
// evidence becomes the expected passage.
func FromSet(set []eval.Question, collection string) []Question {
	out := make([]Question, len(set))
	for i, e := range set {
		q := Question{Collection: collection, Text: e.Text, History: e.History, Expect: Absent}
		if len(e.Evidence) > 0 {
			q.Expect, q.File, q.Quote = Passage, e.Evidence[0].File, e.Evidence[0].Quote
		}
		out[i] = q
	}
	return out
}
