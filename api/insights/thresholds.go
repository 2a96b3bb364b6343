package insights

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/insight/quality"
	"docent/internal/fault"
	"docent/rag"
	"docent/rag/pipeline"
)

// MovedQuestion is a question whose answer would have another outcome.
type MovedQuestion struct {
	// ID is its id.
	ID int64 `json:"id" doc:"The id in /api/insight/questions."`
	// Question is the text.
	Question string `json:"question"`
	// Timestamp is the time of the answer.
	Timestamp time.Time `json:"timestamp"`
	// Evidence says how well the passages supported an answer.
	Evidence float64 `json:"evidence"`
	// From is the outcome of the answer.
	From string `json:"from" enum:"answered,unsure,not_found"`
	// To is the outcome that the thresholds give.
	To string `json:"to" enum:"answered,unsure,not_found"`
}

// Thresholds are values of the evidence that separate the outcomes of answers.
type Thresholds struct {
	// MinEvidence is the evidence from which an answer is answered.
	MinEvidence float64 `json:"min_evidence" doc:"The evidence from which an answer is answered."`
	// MinShown is the evidence from which an answer is unsure.
	MinShown float64 `json:"min_shown" doc:"The evidence from which an answer is unsure. Below it, the answer is not found."`
}

type thresholdsInput struct {
	MinEvidence float64 `query:"min_evidence" minimum:"0" maximum:"1" default:"0" doc:"The value to try. 0 means the present one."`
	MinShown    float64 `query:"min_shown" minimum:"0" maximum:"1" default:"0" doc:"The value to try. 0 means the present one."`
	Days        int     `query:"days" minimum:"1" maximum:"90" default:"7"`
	Collection  string  `query:"collection" maxLength:"200"`
}

type thresholdsOutput struct {
	Body struct {
		Present   Thresholds      `json:"present" doc:"The thresholds of new answers."`
		Tried     Thresholds      `json:"tried" doc:"The thresholds that were tried."`
		Answers   int             `json:"answers" doc:"The number of answers whose outcome the present thresholds give, at most 10,000."`
		Answered  int             `json:"answered" doc:"How many of them would be answered."`
		Unsure    int             `json:"unsure" doc:"How many would be unsure."`
		NotFound  int             `json:"not_found" doc:"How many would not be found."`
		Changed   int             `json:"changed" doc:"How many would have another outcome."`
		Questions []MovedQuestion `json:"questions" doc:"The latest 50 of them, newest first."`
	} `nameHint:"ThresholdEffect"`
}

func (s server) addThresholds(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: "/api/insight/thresholds", OperationID: "try-thresholds", Tags: tags, Errors: missing,
		Summary: "Show the answers that other thresholds of the evidence would change",
		Description: "The thresholds are the settings min-evidence and min-shown. Only the stored evidence of answers counts; nothing is " +
			"asked again. Needs the scope admin, or the right manage in a collection.",
	}, s.tryThresholds)
}

func (s server) tryThresholds(ctx context.Context, in *thresholdsInput) (*thresholdsOutput, error) {
	if err := route.CheckText("collection", in.Collection); err != nil {
		return nil, err
	}
	collections, err := s.scope(ctx, in.Collection)
	if err != nil {
		return nil, err
	}
	present := s.Thresholds()
	next := present
	if in.MinEvidence > 0 {
		next.Answered = in.MinEvidence
	}
	if in.MinShown > 0 {
		next.Shown = in.MinShown
	}
	if next.Shown > next.Answered {
		return nil, fault.New(fault.Invalid, "thresholds_order", "the evidence of unsure answers must not exceed that of sure ones")
	}
	answers, err := s.Kept.Judged(ctx, time.Now().AddDate(0, 0, -in.Days), collections)
	if err != nil {
		return nil, err
	}
	e := quality.WhatIf(answers, present, next)
	out := &thresholdsOutput{}
	b := &out.Body
	b.Present, b.Tried, b.Answers, b.Changed = thresholdsFor(present), thresholdsFor(next), e.Answers, e.Changed
	b.Answered, b.Unsure, b.NotFound = e.Outcomes[rag.Answered], e.Outcomes[rag.Unsure], e.Outcomes[rag.NotFound]
	b.Questions = make([]MovedQuestion, len(e.Moved))
	for i, m := range e.Moved {
		b.Questions[i] = MovedQuestion{
			ID: m.ID, Question: m.Question, Timestamp: m.Time, Evidence: m.Evidence, From: string(m.Outcome), To: string(m.To),
		}
	}
	return out, nil
}

func thresholdsFor(t pipeline.Thresholds) Thresholds {
	return Thresholds{MinEvidence: t.Answered, MinShown: t.Shown}
}
