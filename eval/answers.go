package eval

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"docent/rag/evidence"
	"docent/rag/retrieve"

	"docent/internal/fault"
	"docent/rag"
)

// Answerer answers questions. pipeline.Pipeline implements it.
type Answerer interface {
	// Run returns the whole answer.
	Run(ctx context.Context, r rag.Request) (rag.Answer, error)
}

// firstDocs is the number of first passages that count as found. An answer from them should contain the fact.
const firstDocs = 3

// AnswersConfig configures MeasureAnswers.
type AnswersConfig struct {
	// Answerer is the measured answerer. Its evidence threshold is switched off. Required.
	Answerer Answerer
	// Retriever provides the evidence for an answer. Required.
	Retriever Retriever
	// Questions are the questions to ask. Required.
	Questions []Question
	// K is the number of passages for an answer. Default: retrieve.AnswerK.
	K int
	// Model is the name of the answering model. Default: the Answerer's default.
	Model string
	// Collections are the searched collections. Default: none, which means all.
	Collections []string
	// Threshold is the current evidence threshold, for comparison with the calibrated one. Default: 0, which answers
	// everything.
	Threshold float64
	// Workers is the number of concurrent questions. Default: GOMAXPROCS.
	Workers int
	// Progress is called after each question with the number of finished ones. Default: nil.
	Progress func(done, total int)
}

// complete applies the defaults and checks the rest.
func (c AnswersConfig) complete() (AnswersConfig, error) {
	switch {
	case c.Answerer == nil:
		return c, fault.New(fault.Internal, "eval_answerer_missing", "eval: AnswersConfig.Answerer is required")
	case c.Retriever == nil:
		return c, fault.New(fault.Internal, "eval_answers_retriever_missing", "eval: AnswersConfig.Retriever is required")
	case len(c.Questions) == 0:
		return c, fault.New(fault.Invalid, "eval_no_questions", "there are no questions, so answers cannot be measured")
	}
	if c.K == 0 {
		c.K = retrieve.AnswerK
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	return c, nil
}

// Outcome is the result of one question.
type Outcome struct {
	// ID is the ID of the question.
	ID string `json:"id"`
	// Kind is the kind of the question.
	Kind string `json:"kind"`
	// Facts is the share of the question's facts in the answer, or 0 if it has no facts.
	Facts float64 `json:"facts"`
	// Complete reports that the answer has all facts.
	Complete bool `json:"complete"`
	// Rank is the rank of the first passage with a quote, or 0.
	Rank int `json:"rank"`
	// Citations counts pairs of a sentence and a cited passage.
	Citations int `json:"citations"`
	// RightCitations counts the pairs whose passage contains the sentence.
	RightCitations int `json:"right_citations"`
	// Evidence is the evidence that retrieval reports.
	Evidence float64 `json:"evidence"`
	// Signs are the parts of Evidence.
	Signs evidence.Signs `json:"signs"`
	// Written describes the text of the answer.
	Written Written `json:"written"`

	hasFacts, odd bool
}

func (o *Outcome) judgement() judgement {
	return judgement{evidence: o.Evidence, answerable: o.Kind != Unanswerable, found: o.Rank > 0}
}

// MeasureAnswers asks every question once. It reports the quality of the answers and the effect of abstention. Answers
// that fail because the model is unavailable are counted. It stops at any other error, or if all answers fail.
func MeasureAnswers(ctx context.Context, cfg AnswersConfig) (*AnswersReport, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(cfg.Questions))
	err = each(ctx, len(cfg.Questions), cfg.Workers, cfg.Progress, func(ctx context.Context, i int) error {
		o, err := cfg.ask(ctx, cfg.Questions[i])
		if err != nil {
			return fmt.Errorf("question %s: %w", cfg.Questions[i].ID, err)
		}
		outcomes[i] = o
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Written.Failed == "" }) {
		return nil, fault.New(fault.Unavailable, "eval_all_answers_failed",
			"every answer failed; the first error: %s", outcomes[0].Written.Failed)
	}
	return newAnswersReport(cfg, outcomes), nil
}

// ask answers a question regardless of the evidence.
func (c AnswersConfig) ask(ctx context.Context, q Question) (Outcome, error) {
	always, turns := 0.0, q.Turns()
	answer, err := c.Answerer.Run(ctx, rag.Request{
		Question: q.Text, Model: c.Model, K: c.K, History: len(turns), Turns: turns, Collections: c.Collections, MinEvidence: &always,
	})
	failed := ""
	if err != nil && fault.KindOf(err) == fault.Unavailable {
		failed, err = err.Error(), nil
	}
	if err != nil {
		return Outcome{}, err
	}
	found, err := c.Retriever.Retrieve(ctx, retrieve.Query{Question: q.Text, Turns: turns, K: c.K, Collections: c.Collections})
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{ID: q.ID, Kind: q.Kind, Evidence: found.Evidence, Signs: found.Signs, hasFacts: len(q.Facts) > 0, odd: q.Odd()}
	has := 0
	for _, f := range q.Facts {
		count(&has, HasFact(answer.Text, f))
	}
	o.Facts, o.Complete = share(has, len(q.Facts)), o.hasFacts && has == len(q.Facts)
	j := newJudge(q)
	for i, d := range answer.Passages {
		v := j.judge(newPassage(d.Passage.Document.Source, d.Passage.Text))
		if o.Rank == 0 && (v.also || slices.Contains(v.holds, true)) {
			o.Rank = i + 1
		}
	}
	o.Citations, o.RightCitations = cited(answer)
	o.Written = newWritten(answer, j)
	o.Written.Failed = failed
	if answer.Search != nil {
		o.Evidence = answer.Search.Evidence
	}
	return o, nil
}
