package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"docent/api/ask"
	"docent/api/converse"
	"docent/api/route"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/brief"
	"docent/rag/corpus"
)

// Starter starts conversations.
type Starter interface {
	// Start sends a text with options to a session and returns when it is stored.
	Start(ctx context.Context, session, text string, options payload.AskOptions) error
}

// Assignment is the task of a brief with its scope.
type Assignment struct {
	// Task is the text of the task.
	Task string `json:"task" minLength:"1" maxLength:"4000" doc:"The task, such as: What do we promise about returns, in all countries?"`
	// Model names a configured model; empty for the default.
	Model string `json:"model,omitempty" maxLength:"200" doc:"A configured model, or extractive for quotes only."`
	// K is the number of passages for each section; 0 keeps the default.
	K int `json:"k,omitempty" minimum:"0" maximum:"50" doc:"The number of passages for each section."`
	// Collections are the collections to search; an empty list means all.
	Collections []string `json:"collections,omitempty" nullable:"true" maxItems:"50" doc:"Searches only these collections."`
	// Documents are the ids of the documents to search; an empty list means all.
	Documents []int64 `json:"documents,omitempty" nullable:"true" maxItems:"100" doc:"Searches only the documents with these ids."`
	// Folders are folders to search.
	Folders []string `json:"folders,omitempty" nullable:"true" maxItems:"50" doc:"Also searches the documents in these folders and below them, in the chosen collections."`
	// Tags are tags of documents to search.
	Tags []string `json:"tags,omitempty" nullable:"true" maxItems:"50" doc:"Also searches the documents with one of these tags, in the chosen collections."`
}

// check fails for a task that no brief can have.
func (t Assignment) check() error {
	if strings.TrimSpace(t.Task) == "" {
		return fault.New(fault.Invalid, "brief_task_empty", "the task is empty")
	}
	return cmp.Or(route.CheckText("task", t.Task, "model", t.Model), route.CheckTexts("collections", t.Collections),
		route.CheckTexts("folders", t.Folders), route.CheckTexts("tags", t.Tags))
}

// request returns the request to the answers.
func (t Assignment) request() rag.Request {
	return rag.Request{
		Question: t.Task, Model: t.Model, K: t.K, Collections: t.Collections, Documents: t.Documents,
		Place: corpus.Place{Folders: t.Folders, Tags: t.Tags},
	}
}

type briefOutlineInput struct {
	route.JSONBody
	Body Assignment
}

type briefOutlineOutput struct {
	Body struct {
		Headings []string `json:"headings" nullable:"false" doc:"The headings, at least one and at most 8."`
		ByModel  bool     `json:"by_model" doc:"A model wrote the headings. Otherwise they are headings and titles of the documents."`
	} `nameHint:"BriefOutline"`
}

type briefStartInput struct {
	route.JSONBody
	Body struct {
		Assignment
		Headings []string `json:"headings,omitempty" nullable:"true" maxItems:"8" doc:"The headings of the brief. Without them, docent makes the outline."`
	} `nameHint:"Brief"`
}

type briefStartOutput struct {
	Body struct {
		SessionID string   `json:"session_id" doc:"The id of the session that has the brief."`
		Headings  []string `json:"headings" nullable:"false" doc:"The headings of the brief."`
	} `nameHint:"BriefStarted"`
}

// briefs handles the routes that plan and start briefs: reports about a task with an answer under each heading of an outline. A
// brief is a conversation whose only question is the task, so the routes for sessions read, stop, export, and share it.
type briefs struct {
	answers       *ask.Service
	conversations Starter
	agent         string // of the sessions
}

func (s briefs) addRoutes(r *route.Router) {
	failures := []int{http.StatusNotFound, http.StatusTooManyRequests}
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/briefs/outline", OperationID: "outline-brief", Tags: []string{"answers"},
		Summary: "Make an outline for a brief", Errors: failures,
		Description: "Searches once, and makes headings for the task. Nothing is stored. Change the headings as you like, and start the brief with them.",
	}, s.outline)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/briefs", OperationID: "start-brief", Tags: []string{"answers"},
		Summary: "Write a brief", Errors: failures, DefaultStatus: http.StatusAccepted,
		Description: "Starts a session that searches and answers for each heading, and joins the answers. The brief is the last message of " +
			"GET /api/sessions/{session_id}/messages, of type rag_answer. Until then, the steps there show the progress. A restart of the " +
			"server does not end it. POST /api/sessions/{session_id}/stop ends it early and keeps the finished sections. " +
			"GET /api/sessions/{session_id}/export returns it as DOCX, PDF, or Markdown. Each user can have one running brief.",
	}, s.start)
}

func (s briefs) outline(ctx context.Context, in *briefOutlineInput) (*briefOutlineOutput, error) {
	headings, byModel, err := s.plan(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	out := &briefOutlineOutput{}
	out.Body.Headings, out.Body.ByModel = headings, byModel
	return out, nil
}

// plan returns an outline. It takes the slot of an answer.
func (s briefs) plan(ctx context.Context, t Assignment) (headings []string, byModel bool, err error) {
	if err := t.check(); err != nil {
		return nil, false, err
	}
	return brief.Outline(ctx, planner{s.answers}, t.request()) //nolint:wrapcheck // it names the operation
}

// planner is an ask.Service as brief.Answers.
type planner struct{ *ask.Service }

// Run implements brief.Answers.
func (p planner) Run(ctx context.Context, req rag.Request) (rag.Answer, error) {
	return p.Answer(ctx, req)
}

func (s briefs) start(ctx context.Context, in *briefStartInput) (*briefStartOutput, error) {
	t, headings := in.Body.Assignment, in.Body.Headings
	err := cmp.Or(t.check(), payload.CheckHeadings(headings), route.CheckTexts("headings", headings))
	if err == nil && len(headings) == 0 {
		headings, _, err = s.plan(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	out := &briefStartOutput{}
	out.Body.SessionID, out.Body.Headings = uuid.NewString(), headings
	return out, s.conversations.Start(converse.WithAgent(ctx, s.agent), out.Body.SessionID, t.Task, payload.AskOptions{
		Collections: t.Collections, Documents: t.Documents, Folders: t.Folders, Tags: t.Tags, Model: t.Model, K: t.K, Brief: headings,
	})
}
