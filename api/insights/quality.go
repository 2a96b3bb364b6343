package insights

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/insight"
	"docent/insight/quality"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag/talk"
)

// Runner asks kept questions. *quality.Runner implements it.
type Runner interface {
	// Start begins to ask the questions of collections for the reader of ctx; nil means all.
	Start(ctx context.Context, collections []string) (quality.Run, error)
	// Last returns the latest run; ok is false without one.
	Last(ctx context.Context) (run quality.Run, ok bool, err error)
}

// KeptTurn is an earlier message of a kept question.
type KeptTurn struct {
	// Role is the author.
	Role string `json:"role" enum:"user,assistant"`
	// Text is the message.
	Text string `json:"text" maxLength:"4000"`
}

// KeptFields are the fields of a kept question that people write.
type KeptFields struct {
	// Question is the text.
	Question string `json:"question" minLength:"1" maxLength:"4000"`
	// Collection is searched.
	Collection string `json:"collection" maxLength:"200" doc:"The collection to search. Its managers see the question. Empty searches all collections; only administrators can do that."`
	// History are the earlier messages.
	History []KeptTurn `json:"history,omitempty" nullable:"true" maxItems:"20" doc:"The earlier messages, oldest first."`
	// Expect says what a good answer has.
	Expect string `json:"expect" enum:",passage,absent" doc:"passage: a passage with the quote. absent: nothing, because the answer is not in the documents. Empty: nobody has decided."`
	// File names the document of the passage.
	File string `json:"file,omitempty" maxLength:"1000" doc:"The end of the path of the document with the expected passage."`
	// Quote is a part of the passage.
	Quote string `json:"quote,omitempty" maxLength:"2000" doc:"A sentence of the expected passage."`
}

// KeptResult is the result of a kept question in a run.
type KeptResult struct {
	// Timestamp is the time of the answer.
	Timestamp time.Time `json:"timestamp"`
	// Outcome is the outcome of the answer.
	Outcome string `json:"outcome" enum:"answered,unsure,not_found,replied"`
	// Evidence says how well the passages support an answer.
	Evidence *float64 `json:"evidence,omitempty" doc:"From 0 to 1. Absent without a search."`
	// Rank is the place of the expected passage.
	Rank int `json:"rank,omitempty" doc:"The place of the expected passage among those of the answer, from 1. Absent if it is not among them."`
	// Verdict compares the result with the expectation.
	Verdict string `json:"verdict" enum:",passed,failed" doc:"Empty without an expectation."`
}

// KeptQuestion is a question that is kept as a test.
type KeptQuestion struct {
	KeptFields

	// ID identifies it.
	ID int64 `json:"id"`
	// Answer is the id of the question of somebody that it was kept from.
	Answer int64 `json:"answer,omitempty" doc:"The id of the question in /api/insight/questions that it was kept from."`
	// Timestamp is the time of the last change.
	Timestamp time.Time `json:"timestamp"`
	// Changed reports a difference between the last two runs.
	Changed bool `json:"changed" doc:"The last run differs from the run before."`
	// Last is the result of the last run.
	Last *KeptResult `json:"last,omitempty" doc:"The result of the last run. A change of the question removes the results."`
	// Before is the result of the run before.
	Before *KeptResult `json:"before,omitempty" doc:"The result of the run before."`
}

// QualityRun is a run of kept questions.
type QualityRun struct {
	// State says whether it runs.
	State string `json:"state" enum:"running,done,interrupted" doc:"interrupted: its process was stopped."`
	// Started is the beginning.
	Started time.Time `json:"started"`
	// Ended is the end.
	Ended *time.Time `json:"ended,omitempty"`
	// Questions is the number of questions.
	Questions int `json:"questions"`
	// Done is the number of asked questions.
	Done int `json:"done"`
	// Failed is the number of questions without an answer because of an error.
	Failed int `json:"failed"`
	// Problem is the first error.
	Problem *fault.Text `json:"problem,omitempty" doc:"The first error."`
}

type qualityOutput struct {
	Body struct {
		Questions []KeptQuestion `json:"questions" doc:"The kept questions, newest first."`
		Run       *QualityRun    `json:"run,omitempty" doc:"The latest run on this installation. Absent before the first one."`
	} `nameHint:"Quality"`
}

type runOutput struct{ Body QualityRun }

type keptInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type keptAddInput struct {
	route.JSONBody
	Body KeptFields
}

type keptChangeInput struct {
	route.JSONBody
	ID   int64 `path:"id" minimum:"1"`
	Body KeptFields
}

type keptOutput struct{ Body KeptQuestion }

func (s server) addQuality(r *route.Router) {
	const all, kept, one = "/api/insight/quality", "/api/insight/kept", "/api/insight/kept/{id}"
	const note = "Needs the scope admin, or the right manage in the collection of the question."
	taken := []int{http.StatusNotFound, http.StatusConflict}
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: all, OperationID: "read-quality", Tags: tags, Errors: missing,
		Summary: "List the kept questions with their results, and the latest run", Description: note,
	}, s.quality)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: all + "/runs", OperationID: "run-quality", Tags: tags, Errors: taken,
		Summary: "Ask the kept questions again", DefaultStatus: http.StatusAccepted,
		Description: "The questions are asked in the background, with your rights, and without a chat model. There is one run at a time. " + note,
	}, s.runQuality)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: kept, OperationID: "keep-question", Tags: tags, Errors: taken,
		Summary: "Keep a question as a test", DefaultStatus: http.StatusOK, MaxBodyBytes: 256 << 10,
		Description: "The mark test of a question of somebody keeps it, too. " + note,
	}, s.addKept)
	route.Add(r, huma.Operation{
		Method: http.MethodPut, Path: one, OperationID: "change-kept-question", Tags: tags, Errors: missing,
		Summary: "Change a kept question", MaxBodyBytes: 256 << 10, Description: "Its results are removed. " + note,
	}, s.changeKept)
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "remove-kept-question", Tags: tags, Errors: missing,
		Summary: "Remove a kept question", DefaultStatus: http.StatusNoContent, Description: note,
	}, s.removeKept)
	s.addThresholds(r)
}

func (s server) quality(ctx context.Context, _ *struct{}) (*qualityOutput, error) {
	collections, err := s.scope(ctx, "")
	if err != nil {
		return nil, err
	}
	kept, err := s.Kept.Kept(ctx, collections)
	if err != nil {
		return nil, err
	}
	out := &qualityOutput{}
	out.Body.Questions = make([]KeptQuestion, len(kept))
	for i, q := range kept {
		out.Body.Questions[i] = keptFor(q)
	}
	last, ok, err := s.Runner.Last(ctx)
	if ok && err == nil {
		run := runFor(last)
		out.Body.Run = &run
	}
	return out, err
}

func (s server) runQuality(ctx context.Context, _ *struct{}) (*runOutput, error) {
	collections, err := s.scope(ctx, "")
	if err != nil {
		return nil, err
	}
	run, err := s.Runner.Start(ctx, collections)
	return &runOutput{runFor(run)}, err
}

func (s server) addKept(ctx context.Context, in *keptAddInput) (*keptOutput, error) {
	return s.saveKept(ctx, quality.Question{}, in.Body)
}

func (s server) changeKept(ctx context.Context, in *keptChangeInput) (*keptOutput, error) {
	q, err := s.findKept(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return s.saveKept(ctx, q, in.Body)
}

func (s server) removeKept(ctx context.Context, in *keptInput) (*struct{}, error) {
	q, err := s.findKept(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return nil, s.Kept.RemoveKept(ctx, q.ID) //nolint:nilnil // there is no content
}

// findKept returns a kept question that the principal may see.
func (s server) findKept(ctx context.Context, id int64) (quality.Question, error) {
	visible, err := s.scope(ctx, "")
	if err != nil {
		return quality.Question{}, err
	}
	q, err := s.Kept.KeptQuestion(ctx, id)
	if err == nil && visible != nil && !slices.Contains(visible, q.Collection) {
		err = quality.NotKept()
	}
	return q, err
}

// saveKept stores the fields of a question. A question without an id is new.
func (s server) saveKept(ctx context.Context, q quality.Question, f KeptFields) (*keptOutput, error) {
	if err := route.CheckText("question", f.Question, "collection", f.Collection, "file", f.File, "quote", f.Quote); err != nil {
		return nil, err
	}
	visible, err := s.scope(ctx, f.Collection)
	if err != nil {
		return nil, err
	}
	if len(visible) == 0 && f.Collection != "" || visible != nil && f.Collection == "" {
		return nil, fault.New(fault.Forbidden, "kept_not_managed", "choose a collection that you manage")
	}
	q.Collection, q.Text, q.Expect, q.File, q.Quote = f.Collection, strings.TrimSpace(f.Question), quality.Expect(f.Expect), "", ""
	if q.Expect == quality.Passage {
		q.File, q.Quote = strings.TrimSpace(f.File), strings.TrimSpace(f.Quote)
	}
	q.History = nil
	for _, t := range f.History {
		if err := route.CheckText("history", t.Text); err != nil {
			return nil, err
		}
		q.History = append(q.History, talk.Turn{Role: talk.Role(t.Role), Text: t.Text})
	}
	if err := q.Check(); err != nil {
		return nil, err
	}
	if q.ID == 0 {
		q.ID, err = s.Kept.Keep(ctx, q)
	} else {
		err = s.Kept.ChangeKept(ctx, q)
	}
	if err == nil {
		q, err = s.Kept.KeptQuestion(ctx, q.ID)
	}
	return &keptOutput{keptFor(q)}, err
}

// maxKeptQuote bounds the quote that keep copies, in bytes.
const maxKeptQuote = 300

// keep keeps a question of somebody for a person who sees some collections; nil means all. The passage that a good answer
// cites is expected. A person decides about the others.
func (s server) keep(ctx context.Context, a insight.Answer, visible []string) error {
	q := quality.Question{Text: a.Question, Answer: a.ID}
	switch {
	case len(a.Collections) == 1:
		q.Collection = a.Collections[0]
	case visible != nil:
		q.Collection = a.Collections[slices.IndexFunc(a.Collections, func(c string) bool { return slices.Contains(visible, c) })]
	}
	// Managers of the collection must not see passages of others.
	if a.Outcome == payload.Answered && a.Rating >= 0 && (q.Collection == "" || len(a.Collections) == 1) {
		m, _, err := s.message(ctx, a)
		if err != nil {
			return err
		}
		if m != nil {
			q.File, q.Quote = citedIn(*m)
		}
		if q.File != "" && q.Quote != "" {
			q.Expect = quality.Passage
		}
	}
	_, err := s.Kept.Keep(ctx, q)
	return err
}

// citedIn returns the source and the beginning of the first cited passage of the library, or "".
func citedIn(m payload.RAGMessage) (file, quote string) {
	for _, sentence := range m.Sentences {
		for _, n := range sentence.Docs {
			if n < 1 || n > len(m.Docs) || m.Docs[n-1].Metadata.File != 0 {
				continue
			}
			d := m.Docs[n-1]
			quote = strings.TrimSpace(d.Content)
			if len(quote) > maxKeptQuote {
				quote = quote[:strings.LastIndexAny(quote[:maxKeptQuote], " \n")+1]
			}
			return d.Metadata.Source, strings.TrimSpace(quote)
		}
	}
	return "", ""
}

func keptFor(q quality.Question) KeptQuestion {
	out := KeptQuestion{
		ID: q.ID, Answer: q.Answer, Timestamp: q.At, Changed: q.Changed(), Last: resultFor(q, q.Last), Before: resultFor(q, q.Before),
		KeptFields: KeptFields{Question: q.Text, Collection: q.Collection, Expect: string(q.Expect), File: q.File, Quote: q.Quote},
	}
	for _, t := range q.History {
		out.History = append(out.History, KeptTurn{string(t.Role), t.Text})
	}
	return out
}

func resultFor(q quality.Question, r *quality.Result) *KeptResult {
	if r == nil {
		return nil
	}
	return &KeptResult{Timestamp: r.At, Outcome: string(r.Outcome), Evidence: r.Evidence, Rank: r.Rank, Verdict: string(q.Verdict(r))}
}

func runFor(r quality.Run) QualityRun {
	out := QualityRun{State: "done", Started: r.Started, Questions: r.Questions, Done: r.Done, Failed: r.Failed}
	switch {
	case r.Running:
		out.State = "running"
	case r.Ended.IsZero():
		out.State = "interrupted"
	default:
		out.Ended = &r.Ended
	}
	if r.Problem.Message != "" {
		out.Problem = &r.Problem
	}
	return out
}
