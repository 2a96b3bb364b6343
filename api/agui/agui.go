// Package agui serves the agent over AG-UI, the protocol of agent front ends. It
// converts a run into a message of a session, and the frames of the turn into events.
// See https://docs.ag-ui.com.
package agui

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"docent/agent"
	"docent/api/route"
	"docent/api/sse"
	"docent/internal/fault"
	"docent/payload"
)

// Path is the path of the protocol.
const Path = "/agui"

// Conversations continues stored sessions of the caller.
type Conversations interface {
	// Turn sends a text with options to a session and yields the frames of its turn. If answers is
	// not 0, it is the sequence number of the options that the text answers. Turn fails with
	// fault.Conflict if they are not the open question.
	Turn(ctx context.Context, session, text string, options payload.AskOptions, answers int64) (iter.Seq2[[]payload.Frame, error], error)
}

// Slots limits the concurrent runs.
type Slots interface {
	// Slot takes the slot of a run; done gives it back.
	Slot(ctx context.Context, questions int64) (done func(), err error)
}

// Config connects the route with the rest of docent. All fields are required.
type Config struct {
	// Conversations continues sessions.
	Conversations Conversations
	// Within returns a context in which Turn uses the sessions of an agent. Default: nil, there is one agent.
	Within func(ctx context.Context, agent string) context.Context
	// Slots limits the runs.
	Slots Slots
	// MaxBytes bounds a request.
	MaxBytes int64
	// Ticks returns the times of comments in streams, and their end.
	Ticks func() (ticks <-chan time.Time, stop func())
}

// AgentRun starts a run. Other parameters are ignored.
type AgentRun struct {
	_        struct{}       `additionalProperties:"true"`
	ThreadID string         `json:"threadId" minLength:"1" maxLength:"200" doc:"The session. It is created if it does not exist."`
	RunID    string         `json:"runId" minLength:"1" maxLength:"200" doc:"The id of the run, for its events."`
	Messages []AgentMessage `json:"messages,omitempty" maxItems:"1000" doc:"The last one must be of the user. It is the message of the run."`
	Tools    []any          `json:"tools,omitempty" doc:"Refused unless it is empty: the agent has its own tools."`
	Props    any            `json:"forwardedProps,omitempty" doc:"An object. Of its keys, collections, documents, folders, and tags say where to search, as in a message over the WebSocket."`
	Resume   []AgentResume  `json:"resume,omitempty" maxItems:"1" doc:"The answer to the open interrupt. If resolved, it replaces the message."`
}

// AgentMessage is a message of the thread.
type AgentMessage struct {
	_       struct{} `additionalProperties:"true"`
	Role    string   `json:"role"`
	Content any      `json:"content,omitempty" doc:"A text, or a list of parts of the type text."`
}

// AgentResume answers an interrupt.
type AgentResume struct {
	_           struct{} `additionalProperties:"true"`
	InterruptID string   `json:"interruptId"`
	Status      string   `json:"status" enum:"resolved,cancelled"`
	Payload     any      `json:"payload,omitempty" doc:"The chosen option, as a text. For a call of a tool also {approved, editedArgs, always}."`
}

type runInput struct {
	route.JSONBody
	Agent string `query:"agent" maxLength:"255" doc:"The agent of a new session. The default is the first agent of this server."`
	Body  AgentRun
}

// server handles the route.
type server struct {
	Config

	routes *route.Router
}

// AddRoutes adds the route.
func AddRoutes(r *route.Router, cfg Config) {
	s := server{cfg, r}
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: Path, OperationID: "agui", Tags: []string{"agui"}, Summary: "Run the agent over AG-UI",
		Description: "Sends the last message of the user to a session, and responds with the events of AG-UI. " +
			"The session keeps its own history, so the earlier messages are ignored.",
		MaxBodyBytes: cfg.MaxBytes,
		Errors:       []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			sse.MediaType: {Schema: &huma.Schema{Type: "string"}},
		}}},
	}, s.run)
}

// run answers a message. Errors before the message is stored are HTTP errors; later
// ones are events.
func (s server) run(ctx context.Context, in *runInput) (*huma.StreamResponse, error) {
	text, answers, err := in.Body.text()
	if err != nil {
		return nil, err
	}
	scope, err := in.Body.scope()
	if err != nil {
		return nil, err
	}
	done, err := s.Slots.Slot(ctx, 0) // the session counts the question
	if err != nil {
		return nil, err
	}
	frames, err := s.Conversations.Turn(s.within(ctx, in.Agent), in.Body.ThreadID, text, scope, answers)
	if err != nil {
		done()
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer done()
		_, w := humago.Unwrap(hc)
		out := sse.NewWriter(w)
		ticks, end := s.Ticks()
		defer end()
		defer out.Beat(ticks)()
		s.send(ctx, out, in.Body, frames)
	}}, nil
}

// within returns a context in which sessions are those of an agent, unless its name is "".
func (s server) within(ctx context.Context, agent string) context.Context {
	if agent == "" || s.Within == nil {
		return ctx
	}
	return s.Within(ctx, agent)
}

// send sends the events of a run. Errors of out mean that the client is gone.
func (s server) send(ctx context.Context, out *sse.Writer, in AgentRun, frames iter.Seq2[[]payload.Frame, error]) {
	e := events{thread: in.ThreadID, run: in.RunID}
	if out.Send("", e.started()) != nil {
		for range frames { // gives the subscription back
			break
		}
		return
	}
	for stored, err := range frames {
		if err != nil {
			failed := s.routes.Fail(ctx, err)
			_ = out.Send("", event{"type": "RUN_ERROR", "message": failed.Message, "code": failed.ID})
			return
		}
		var all []event
		for _, f := range stored {
			all = append(all, e.of(f)...)
		}
		if sse.SendAll(out, "", all) != nil {
			return
		}
	}
}

// text returns the message of the run, and the sequence number of the options that it
// answers, or 0.
func (in AgentRun) text() (text string, answers int64, err error) {
	if len(in.Tools) > 0 {
		return "", 0, fault.New(fault.Invalid, "agui_tools", "this agent has its own tools; send no tools")
	}
	if len(in.Resume) > 0 && in.Resume[0].Status == "resolved" {
		text, ok := in.Resume[0].Payload.(string)
		if object, is := in.Resume[0].Payload.(map[string]any); is {
			text, ok = consent(object)
		}
		if !ok || strings.TrimSpace(text) == "" {
			return "", 0, fault.New(fault.Invalid, "agui_resume", "to answer an interrupt, send the chosen option as a text, with the status resolved")
		}
		return text, optionsOf(in.Resume[0].InterruptID), nil
	}
	if n := len(in.Messages); n > 0 && in.Messages[n-1].Role == "user" {
		text, err := contentText(in.Messages[n-1].Content)
		if err == nil && strings.TrimSpace(text) == "" {
			return "", 0, fault.New(fault.Invalid, "message_empty", "the message is empty")
		}
		return text, 0, err
	}
	return "", 0, fault.New(fault.Invalid, "agui_no_message", "the last message of the run must be one of the user")
}

// consent returns the answer to the question about a call of a tool, as a text. It returns false for another object.
func consent(object map[string]any) (text string, ok bool) {
	approved, ok := object["approved"].(bool)
	always, _ := object["always"].(bool)
	switch {
	case !ok:
		return "", false
	case !approved:
		return agent.RefuseCall, true
	case always:
		text = agent.AlwaysAllowCall
	default:
		text = agent.AllowCall
	}
	if edited, is := object["editedArgs"].(map[string]any); is {
		arguments, err := json.Marshal(edited)
		if err != nil { // it was decoded from JSON
			return "", false
		}
		text += " " + string(arguments)
	}
	return text, true
}

// scope returns the searched collections, documents, folders, and tags. Front ends forward other
// keys to other agents, so they are ignored.
func (in AgentRun) scope() (payload.AskOptions, error) {
	props, ok := in.Props.(map[string]any)
	if !ok {
		return payload.AskOptions{}, nil
	}
	question := map[string]any{"message": ""}
	for _, key := range []string{"collections", "documents", "folders", "tags"} {
		if value, ok := props[key]; ok {
			question[key] = value
		}
	}
	content, err := json.Marshal(question)
	if err != nil {
		return payload.AskOptions{}, fmt.Errorf("write the scope of a run: %w", err)
	}
	return payload.ReadAskOptions(content) //nolint:wrapcheck // the error is complete
}

// contentText returns the text of a message.
func contentText(content any) (string, error) {
	if text, ok := content.(string); ok {
		return text, nil
	}
	parts, ok := content.([]any)
	var texts []string
	for _, p := range parts {
		part, _ := p.(map[string]any)
		text, isText := part["text"].(string)
		ok = ok && isText && part["type"] == "text"
		texts = append(texts, text)
	}
	if !ok {
		return "", fault.New(fault.Invalid, "agui_content", "docent reads messages of text only")
	}
	return strings.Join(texts, "\n"), nil
}
