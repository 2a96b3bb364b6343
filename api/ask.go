package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/agent"
	"docent/api/ask"
	"docent/api/route"
	"docent/api/sse"
	"docent/auth"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/talk"
)

// Question is a question with its options.
type Question struct {
	// Question is the text of the question.
	Question string `json:"question" minLength:"1" doc:"The question."`
	// K is the number of passages to answer from; 0 keeps the default.
	K int `json:"k,omitempty" minimum:"0" maximum:"50" doc:"The number of passages."`
	// History has the earlier messages.
	History []Turn `json:"history,omitempty" nullable:"true" maxItems:"200" doc:"Earlier messages, oldest first."`
	// Model names a configured model; empty for the default.
	Model string `json:"model,omitempty" maxLength:"200" doc:"A configured model, or extractive for quotes only."`
	// Prompt replaces the instructions for the model.
	Prompt string `json:"prompt,omitempty" doc:"Replaces the instructions for the model. Needs the scope admin."`
	// Collections are the collections to search; an empty list means all.
	Collections []string `json:"collections,omitempty" nullable:"true" maxItems:"100" doc:"Searches only these collections."`
	// Documents are the ids of the documents to search; an empty list means all.
	Documents []int64 `json:"documents,omitempty" nullable:"true" maxItems:"100" doc:"Searches only the documents with these ids."`
	// Folders are folders to search.
	Folders []string `json:"folders,omitempty" nullable:"true" maxItems:"50" doc:"Also searches the documents in these folders and below them, in the chosen collections."`
	// Tags are tags of documents to search.
	Tags []string `json:"tags,omitempty" nullable:"true" maxItems:"50" doc:"Also searches the documents with one of these tags, in the chosen collections."`
}

// Turn is an earlier message.
type Turn struct {
	// Role is the role of its author.
	Role talk.Role `json:"role" enum:"user,assistant"`
	// Text is its text.
	Text string `json:"text"`
}

type askInput struct {
	route.JSONBody
	Accept string `header:"Accept" hidden:"true"`
	Site   string `header:"Sec-Fetch-Site" hidden:"true"`
	Body   Question
}

func (q Question) request(ctx context.Context) (rag.Request, error) {
	if strings.TrimSpace(q.Question) == "" {
		return rag.Request{}, fault.New(fault.Invalid, "question_empty", "the question is empty")
	}
	if p, _ := auth.FromContext(ctx); q.Prompt != "" && !p.May(auth.Admin) {
		return rag.Request{}, fault.New(fault.Forbidden, "prompt_admin_only",
			"only administrators may replace the instruction to the model; leave out prompt")
	}
	if err := cmp.Or(route.CheckText("model", q.Model), route.CheckTexts("collections", q.Collections),
		route.CheckTexts("folders", q.Folders), route.CheckTexts("tags", q.Tags)); err != nil {
		return rag.Request{}, err
	}
	req := rag.Request{
		Question: q.Question, Prompt: q.Prompt, Model: q.Model, K: q.K, Collections: q.Collections,
		Documents: q.Documents, Place: corpus.Place{Folders: q.Folders, Tags: q.Tags}, History: len(q.History),
	}
	for _, t := range q.History {
		req.Turns = append(req.Turns, talk.Turn(t))
	}
	return req, nil
}

// questions handles the route for questions.
type questions struct {
	routes   *route.Router
	answers  *ask.Service
	ofPage   *ask.Service // for the page, whose questions are suggestions and not recorded
	maxBytes int64        // of a request
	ticks    func() (ticks <-chan time.Time, stop func())
}

func (q questions) addRoutes() {
	message := route.SchemaOf[payload.RAGMessage](q.routes)
	route.Add(q.routes, huma.Operation{
		Method: http.MethodPost, Path: "/api/ask", OperationID: "ask", Tags: []string{"answers"}, Summary: "Ask a question",
		Description: "Answers one question from the documents, without a conversation or an agent. GET /api/documents lists the documents. " +
			"With Accept: text/event-stream, the answer is streamed in the events phase {\"phase\"}, delta {\"text\"} and, " +
			"finally, message with the complete, checked answer, or error {\"code\",\"message\",\"retryable\"}. Comments keep a slow stream alive.",
		MaxBodyBytes: q.maxBytes,
		Errors:       []int{http.StatusNotFound, http.StatusTooManyRequests},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: message}, sse.MediaType: {Schema: &huma.Schema{Type: "string"}},
		}}},
	}, q.ask)
}

func (q questions) ask(ctx context.Context, in *askInput) (*huma.StreamResponse, error) {
	req, err := in.Body.request(ctx)
	if err != nil {
		return nil, err
	}
	if in.Site == "same-origin" {
		q.answers = q.ofPage
	}
	if strings.Contains(in.Accept, sse.MediaType) {
		return q.stream(ctx, req)
	}
	answer, err := q.answers.Answer(ctx, req)
	if err != nil {
		return nil, err
	}
	return route.JSON(agent.AnswerMessage(answer)), nil
}

// stream sends the parts of an answer as events.
func (q questions) stream(ctx context.Context, req rag.Request) (*huma.StreamResponse, error) {
	parts, err := q.answers.Stream(ctx, req)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humago.Unwrap(hc)
		out := sse.NewWriter(w)
		ticks, end := q.ticks()
		defer end()
		defer out.Beat(ticks)()
		for part, err := range parts {
			if err != nil {
				_ = out.Send("error", q.routes.Fail(ctx, err)) // the client is gone
				return
			}
			if sendPart(out, part) != nil {
				return // the client is gone; leaving the loop cancels the rest
			}
		}
	}}, nil
}

func sendPart(out *sse.Writer, p rag.Part) error {
	switch {
	case p.Answer != nil:
		return out.Send("message", agent.AnswerMessage(*p.Answer))
	case p.Delta != "":
		return out.Send("delta", map[string]string{"text": p.Delta})
	case p.Phase != "":
		return out.Send("phase", map[string]rag.Phase{"phase": p.Phase})
	default:
		return nil
	}
}
