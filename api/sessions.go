package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/agent/session/journal"
	"docent/internal/fault"
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
	// Pinned says that it is kept before the others.
	Pinned bool `json:"pinned"`
	// Messages counts what was said.
	Messages int `json:"messages"`
	// Owner is the principal that created it; absent if authentication was off.
	Owner string `json:"owner,omitempty"`
}

// listTimeout bounds looking for sessions: texts are compared one by one.
const listTimeout = 10 * time.Second

type sessionsInput struct {
	Agent    string `query:"agent_name" maxLength:"255" doc:"Lists only sessions of this agent."`
	Username string `query:"username" maxLength:"255" doc:"Lists only sessions of this user."`
	Owner    string `query:"owner" maxLength:"1000" doc:"Lists only sessions of this principal. Other principals need the scope admin."`
	Spoken   bool   `query:"spoken" doc:"Lists only sessions with a message of a user."`
	Match    string `query:"match" maxLength:"200" doc:"Lists only sessions with this text in the name, in messages of users, or in answers that are text, Markdown, or based on documents. Case is ignored, and no character has a special meaning."`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
}

type sessionsOutput struct {
	Body []Session
}

type sessionInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of this server."`
}

// The inputs below repeat sessionInput's fields: huma does not look into an
// embedded struct that is not exported.

type deleteSessionInput struct {
	SessionID string `query:"session_id" required:"true" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of this server."`
}

type changeInput struct {
	bodyRead
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of this server."`
	Body      struct {
		SessionName *string `json:"session_name,omitempty" maxLength:"200" doc:"The display name. An empty name removes it. Without it, the name stays."`
		Pinned      *bool   `json:"pinned,omitempty" doc:"Whether lists show the session first. Without it, the value stays."`
	} `nameHint:"SessionChange"`
}

func (s *server) sessionRoutes() {
	const list, one = "/api/sessions", "/api/sessions/{session_id}"
	tags, missing := []string{"sessions"}, []int{http.StatusNotFound}
	register(s, huma.Operation{
		Method: http.MethodGet, Path: list, OperationID: "list-sessions", Tags: tags, Summary: "List sessions: pinned sessions first, then by last use",
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
		Method: http.MethodPatch, Path: one, OperationID: "rename-session", Tags: tags, Summary: "Name or pin a session", Errors: missing,
		BodyReadTimeout: s.cfg.bodyTimeout,
	}, s.changeSession)
}

// changeSession names or pins a session, which is no use of it.
func (s *server) changeSession(ctx context.Context, in *changeInput) (*struct{}, error) {
	change := journal.SessionChange{Name: in.Body.SessionName, Pinned: in.Body.Pinned}
	key, err := s.key(in.SessionID, in.Agent)
	switch {
	case err != nil:
	case change.Name == nil && change.Pinned == nil:
		err = fault.New(fault.Invalid, "nothing_to_change", "the request changes nothing; send session_name, pinned, or both")
	case change.Name != nil:
		err = plain("session_name", *change.Name)
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.own(ctx, key); err != nil {
		return nil, err
	}
	return nil, s.cfg.Directory.ChangeSession(ctx, key, change)
}

// key names the session of a request.
func (s *server) key(id, name string) (journal.SessionKey, error) {
	key := journal.SessionKey{Agent: name, ID: id}
	setDefault(&key.Agent, s.cfg.Agent)
	return key, plain("session_id", key.ID, "agent_name", key.Agent)
}

func (s *server) listSessions(ctx context.Context, in *sessionsInput) (*sessionsOutput, error) {
	if err := plain("agent_name", in.Agent, "username", in.Username, "owner", in.Owner, "match", in.Match); err != nil {
		return nil, err
	}
	out := &sessionsOutput{Body: []Session{}}
	owner, none := whose(ctx, in.Owner)
	if none {
		return out, nil
	}
	within, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	records, err := s.cfg.Directory.Sessions(within, journal.SessionFilter{
		Agent: in.Agent, Username: in.Username, Owner: owner, Spoken: in.Spoken, Match: strings.TrimSpace(in.Match), Limit: in.Limit,
	})
	switch {
	case err != nil && within.Err() != nil && ctx.Err() == nil:
		return nil, fault.Wrap(fault.Unavailable, err,
			"session_search_slow", "searching the conversations took too long; try again, or search for another text")
	case err != nil:
		return nil, err
	}
	for _, r := range records {
		out.Body = append(out.Body, sessionShape(r))
	}
	return out, nil
}

func sessionShape(r journal.SessionRecord) Session {
	return Session{
		ID: r.RowID, SessionID: r.Key.ID, SessionName: label(r.Name), First: r.First, PlatformName: r.Platform,
		Timestamp: r.UpdatedAt.UTC(), Pinned: r.Pinned, Messages: r.Messages, Owner: r.Owner,
	}
}

func (s *server) deleteSession(ctx context.Context, in *sessionInput) (*struct{}, error) {
	key, err := s.key(in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	if _, err := s.own(ctx, key); err != nil {
		return nil, err
	}
	return nil, s.cfg.Directory.DeleteSession(ctx, key)
}
