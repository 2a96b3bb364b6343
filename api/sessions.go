package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent"
)

// Session is a conversation in a list. The first five keys are those of the
// BESSER Agentic Framework's React client.
type Session struct {
	// ID is the row's id.
	ID int64 `json:"id"`
	// SessionID is the public id.
	SessionID string `json:"session_id"`
	// SessionName is the display name; null if it has none.
	SessionName *string `json:"session_name"`
	// First is how the user's first text begins, at most 100 characters, for
	// what has no name; absent if there is none.
	First string `json:"first,omitempty"`
	// PlatformName says where it is held.
	PlatformName string `json:"platform_name"`
	// Timestamp is when it was last used.
	Timestamp time.Time `json:"timestamp"`
	// Messages counts what was said.
	Messages int `json:"messages"`
}

// Message is one message of a conversation.
type Message struct {
	// Seq orders the session's messages.
	Seq int64 `json:"seq"`
	// Turn is the turn it belongs to.
	Turn int64 `json:"turn"`
	// Type is the stored type, such as str or rag_answer.
	Type string `json:"type"`
	// Content is the message as it is on the wire.
	Content any `json:"content"`
	// IsUser tells the user's messages from the agent's.
	IsUser bool `json:"is_user"`
	// Sender is the other agent that said it: its URL, or agent; absent if the
	// session's user or agent did.
	Sender string `json:"sender,omitempty"`
	// Timestamp is when it was made.
	Timestamp time.Time `json:"timestamp"`
}

// Step is a step of reasoning or a state of its task list.
type Step struct {
	// Seq is its place among the session's messages.
	Seq int64 `json:"seq"`
	// Turn is the turn it belongs to.
	Turn int64 `json:"turn"`
	// ChatID is the row's id of the message that it led to; null if there is none.
	ChatID *int64 `json:"chat_id"`
	// Kind is reasoning_step or task_list_update.
	Kind string `json:"kind"`
	// StepKind is a step's kind, such as tool_result; empty for a task list.
	StepKind string `json:"step_kind"`
	// Step counts a run's model calls from 0; of no meaning for a task list.
	Step int `json:"step"`
	// Summary is a line for people; empty for a task list.
	Summary string `json:"summary"`
	// Payload is the whole as it is on the wire.
	Payload any `json:"payload"`
	// Timestamp is when it was made.
	Timestamp time.Time `json:"timestamp"`
}

type sessionsInput struct {
	Agent    string `query:"agent_name" maxLength:"255" doc:"Only this agent's."`
	Username string `query:"username" maxLength:"255" doc:"Only this user's."`
	Spoken   bool   `query:"spoken" doc:"Only those in which a user said something."`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
}

type sessionsOutput struct {
	Body []Session
}

type sessionInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent; default is this server's own."`
}

// The inputs below repeat sessionInput's fields: huma does not look into an
// embedded struct that is not exported.

type deleteSessionInput struct {
	SessionID string `query:"session_id" required:"true" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent; default is this server's own."`
}

type renameInput struct {
	bodyRead
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent; default is this server's own."`
	Body      struct {
		SessionName string `json:"session_name" maxLength:"200" doc:"The display name; empty removes it."`
	} `nameHint:"SessionName"`
}

type messagesInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent; default is this server's own."`
	After     int64  `query:"after" minimum:"0" doc:"Only what is after this seq."`
	Last      int    `query:"last" minimum:"1" maximum:"1000" default:"1000" doc:"Only the newest, so many messages and so many steps."`
}

type messagesOutput struct {
	Body struct {
		Messages []Message `json:"messages"`
		Steps    []Step    `json:"steps"`
	} `nameHint:"Messages"`
}

func (s *server) sessionRoutes() {
	const list, one = "/api/sessions", "/api/sessions/{session_id}"
	tags, missing := []string{"sessions"}, []int{http.StatusNotFound}
	register(s, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-sessions", Tags: tags, Summary: "List sessions, newest use first",
	}, s.listSessions)
	register(s, huma.Operation{
		Method: http.MethodDelete, Path: list, OperationID: "delete-session-by-query", Tags: tags, Summary: "Delete a session", Errors: missing,
		Description: "The same as DELETE /api/sessions/{session_id}, in the form of the BESSER Agentic Framework's React client.",
	}, func(ctx context.Context, in *deleteSessionInput) (*struct{}, error) {
		return s.deleteSession(ctx, &sessionInput{in.SessionID, in.Agent})
	})
	register(s, huma.Operation{
		Method: http.MethodDelete, Path: one, OperationID: "delete-session", Tags: tags, Summary: "Delete a session", Errors: missing,
	}, s.deleteSession)
	register(s, huma.Operation{
		Method: http.MethodPatch, Path: one, OperationID: "rename-session", Tags: tags, Summary: "Rename a session", Errors: missing,
		BodyReadTimeout: s.cfg.bodyTimeout,
	}, func(ctx context.Context, in *renameInput) (*struct{}, error) {
		key, err := s.key(in.SessionID, in.Agent)
		if err == nil {
			err = plain("session_name", in.Body.SessionName)
		}
		if err != nil {
			return nil, err
		}
		return nil, s.cfg.Directory.RenameSession(ctx, key, in.Body.SessionName)
	})
	register(s, huma.Operation{
		Method: http.MethodGet, Path: one + "/messages", OperationID: "list-messages", Tags: tags, Summary: "What was said and reasoned, oldest first", Errors: missing,
	}, s.messages)
}

// key names the session of a request.
func (s *server) key(id, name string) (agent.SessionKey, error) {
	key := agent.SessionKey{Agent: name, ID: id}
	setDefault(&key.Agent, s.cfg.Agent)
	return key, plain("session_id", key.ID, "agent_name", key.Agent)
}

func (s *server) listSessions(ctx context.Context, in *sessionsInput) (*sessionsOutput, error) {
	if err := plain("agent_name", in.Agent, "username", in.Username); err != nil {
		return nil, err
	}
	records, err := s.cfg.Directory.Sessions(ctx, agent.SessionFilter{Agent: in.Agent, Username: in.Username, Spoken: in.Spoken, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	out := &sessionsOutput{Body: []Session{}}
	for _, r := range records {
		out.Body = append(out.Body, Session{
			ID: r.RowID, SessionID: r.Key.ID, SessionName: label(r.Name), First: r.First, PlatformName: r.Platform,
			Timestamp: r.UpdatedAt.UTC(), Messages: r.Messages,
		})
	}
	return out, nil
}

func (s *server) deleteSession(ctx context.Context, in *sessionInput) (*struct{}, error) {
	key, err := s.key(in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	return nil, s.cfg.Directory.DeleteSession(ctx, key)
}

func (s *server) messages(ctx context.Context, in *messagesInput) (*messagesOutput, error) {
	key, err := s.key(in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	record, err := s.cfg.Directory.Session(ctx, key)
	if err != nil {
		return nil, err
	}
	query := agent.MessageQuery{After: in.After, Last: in.Last}
	messages, err := s.cfg.Messages.Messages(ctx, record.RowID, query)
	if err != nil {
		return nil, err
	}
	steps, err := s.cfg.Messages.Steps(ctx, record.RowID, query)
	if err != nil {
		return nil, err
	}
	out := &messagesOutput{}
	out.Body.Messages, out.Body.Steps = []Message{}, []Step{}
	for _, m := range messages {
		out.Body.Messages = append(out.Body.Messages, Message{
			Seq: m.Seq, Turn: m.Turn, Type: m.Type, Content: content(m.Content), IsUser: m.IsUser, Sender: m.Sender, Timestamp: m.Time.UTC(),
		})
	}
	for _, r := range steps {
		step := Step{
			Seq: r.Seq, Turn: r.Turn, Kind: r.Kind, StepKind: r.StepKind, Step: r.Step, Summary: r.Summary,
			Payload: content(r.Payload), Timestamp: r.Time.UTC(),
		}
		if r.ChatID != 0 {
			step.ChatID = &r.ChatID
		}
		out.Body.Steps = append(out.Body.Steps, step)
	}
	return out, nil
}

// content is stored JSON as it is answered with.
func content(stored json.RawMessage) json.RawMessage {
	if len(stored) == 0 {
		return json.RawMessage("null")
	}
	return stored
}
