package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/api/route"
	"docent/auth"
	"docent/internal/quota"
)

type branchInput struct {
	route.JSONBody
	SessionID string `path:"session_id" maxLength:"255"`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of the stored session."`
	Body      struct {
		Turn int64 `json:"turn" minimum:"1" doc:"The last turn of the new session. It must have begun with a message of the user."`
	} `nameHint:"SessionBranch"`
}

type branchOutput struct {
	Body struct {
		SessionID string `json:"session_id" doc:"The id of the new session."`
	} `nameHint:"NewSession"`
}

// copies handles the route that begins a session with a copy of another one.
type copies struct {
	ownedSessions
	store  journal.Versions
	quotas *quota.Quotas
}

func (c copies) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/sessions/{session_id}/branch", OperationID: "branch-session", Tags: []string{"sessions"},
		Summary: "Begin a new session with the messages of a session up to a turn",
		Description: "The new session has its own copies of the messages, the reasoning steps, and the attached files. " +
			"Ratings and shared links are not copied.",
		DefaultStatus: http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, c.branch)
}

func (c copies) branch(ctx context.Context, in *branchInput) (*branchOutput, error) {
	key, err := c.key(ctx, in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	of, err := c.find(ctx, key)
	if err != nil {
		return nil, err
	}
	to := journal.SessionRecord{
		Key: journal.SessionKey{Agent: key.Agent, ID: uuid.NewString()}, Name: of.Name, Username: of.Username, Owner: of.Owner,
		Address: auth.RemoteOf(ctx), Platform: of.Platform, Channel: of.Channel, State: of.State, Folder: of.Folder,
		Variables: agent.UserVariables(of.Variables),
	}
	err = c.store.CopySession(ctx, of.RowID, in.Body.Turn, to, func(bytes int) error { return c.quotas.Receive(ctx, false, bytes) })
	if err != nil {
		return nil, err
	}
	out := &branchOutput{}
	out.Body.SessionID = to.Key.ID
	return out, nil
}
