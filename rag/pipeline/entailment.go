package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Limits of the judgments for an answer.
const (
	// maxJudged is the maximum number of pairs of a passage and a statement.
	maxJudged = 24
	// maxJudgedPassages is the maximum number of pairs for a statement.
	maxJudgedPassages = 3
	// judgedAtOnce is the number of pairs in a call.
	judgedAtOnce = 8
	// judgeTimeout bounds the time of all calls for an answer.
	judgeTimeout = 5 * time.Second
	// minJudged is the probability from which a judgment counts. It is more than that of
	// all other classes together.
	minJudged = .5
)

// asserted is a statement and the passages that may entail it.
type asserted struct {
	text     string
	passages []rag.Passage
}

// judgment is that of the passages of a statement.
type judgment int

const (
	unjudged     judgment = iota
	neutral               // no passage entails or contradicts the statement
	entailed              // a passage entails it
	contradicted          // a passage contradicts it, and none entails it
)

// judge lets the model of entailment decide on the work on a request.
type judge struct{ *answering }

// all returns a judgment for each statement. Without a model for their languages, and behind the limits, statements are
// unjudged. Their marks then come from the words alone.
func (a judge) all(ctx context.Context, statements []asserted) []judgment {
	model := a.pipeline.cfg.Entailment
	out := make([]judgment, len(statements))
	var of []int // the statement of each pair
	var premises, claims []string
	for i, s := range statements {
		passages := s.passages[:min(len(s.passages), maxJudgedPassages)]
		if len(passages) == 0 || len(of)+len(passages) > maxJudged || !model.Accepts(text.Language(s.text)) ||
			slices.ContainsFunc(passages, func(p rag.Passage) bool { return !model.Accepts(languageOf(p.Passage)) }) {
			continue
		}
		for _, p := range passages {
			of, claims = append(of, i), append(claims, s.text)
			premises = append(premises, corpus.IndexText(p.Document.Title, p.Chunk))
		}
	}
	limited, cancel := context.WithTimeout(ctx, judgeTimeout)
	defer cancel()
	for at := 0; at < len(of); {
		end := min(at+judgedAtOnce, len(of))
		for end < len(of) && of[end] == of[end-1] { // all pairs of a statement count, or none
			end++
		}
		yes, no, err := model.Judge(limited, premises[at:end], claims[at:end])
		if err == nil && (len(yes) != end-at || len(no) != end-at) {
			err = fmt.Errorf("%d judgments for %d pairs", len(yes), end-at)
		}
		if err != nil {
			a.pipeline.cfg.Logger.WarnContext(ctx, "the model of entailment did not judge the whole answer; the rest is marked by its words", "error", err)
			break
		}
		for i := range yes {
			j := neutral
			switch {
			case yes[i] >= minJudged:
				j = entailed
			case no[i] >= minJudged:
				j = contradicted
			}
			out[of[at+i]] = jointly(out[of[at+i]], j)
		}
		at = end
	}
	return out
}

// jointly joins the judgments of two passages.
func jointly(a, b judgment) judgment {
	if a == entailed || b == entailed {
		return entailed
	}
	return max(a, b)
}

// languageOf returns the language of a passage, or "".
func languageOf(p corpus.Passage) string {
	if p.Document.Language != "" {
		return p.Document.Language
	}
	return text.Language(p.Text)
}

// written decides the marks and the outcome of an answer that a model wrote. The words of
// sentence and passages still decide on numbers, names, and denials that differ. A neutral judgment leaves weak support at most.
func (a judge) written(ctx context.Context) {
	if a.pipeline.cfg.Entailment == nil || a.out.Outcome == rag.NotFound {
		return
	}
	statements := make([]asserted, len(a.out.Sentences))
	for i, s := range a.out.Sentences {
		if s.Found { // a passage has its words
			continue
		}
		statements[i].text = text.Unmarked(a.out.Text[s.Start:s.End])
		for _, n := range s.Passages {
			statements[i].passages = append(statements[i].passages, a.out.Passages[n-1])
		}
	}
	check := newChecker(a.pipeline.cfg.Static, a.found.Results)
	outcome := rag.Unsure
	for i, j := range a.all(ctx, statements) {
		s := &a.out.Sentences[i]
		switch {
		case j == entailed && !check.differs(statements[i].text, s.Passages):
			s.Support = rag.Strong
		case j == contradicted:
			s.Support = rag.None
		case j == neutral && s.Support == rag.Strong:
			s.Support = rag.Weak
		}
		if s.Support == rag.Strong || j == unjudged && s.Support == rag.Weak {
			outcome = rag.Answered
		}
	}
	a.out.Outcome = outcome
}

// differs reports whether a statement has a number or identifier that the passages lack, or contradicts them by its words.
func (c *checker) differs(statement string, docs []int) bool {
	return c.conflict(statement, docs) != "" ||
		slices.ContainsFunc(meaningful(statement), func(w text.Word) bool { return w.Exact && !c.held(w.Stem, docs) })
}

// answersQuestion is the statement about a passage whose entailment makes an answer sure.
const answersQuestion = "This text answers the question: "

// quotes decides whether an answer from quotes is unsure. A neutral judgment changes nothing.
// Quotes that lack a subject of the question stay unsure.
func (a judge) quotes(ctx context.Context) {
	if a.pipeline.cfg.Entailment == nil || a.thresholds.Shown == a.thresholds.Answered {
		return // the author of the request wants no unsure answers
	}
	quoted := asserted{text: answersQuestion + a.question}
	for _, s := range a.out.Sentences {
		for _, n := range s.Passages {
			p := a.out.Passages[n-1]
			if !slices.ContainsFunc(quoted.passages, func(q rag.Passage) bool { return q.ID == p.ID }) {
				quoted.passages = append(quoted.passages, p)
			}
		}
	}
	switch j := a.all(ctx, []asserted{quoted})[0]; {
	case j == entailed && len(a.found.Coverage.Subjects) == 0:
		a.out.Outcome = rag.Answered
	case j == contradicted:
		a.out.Outcome = rag.Unsure
	}
}
