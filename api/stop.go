package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/converse"
	"docent/api/route"
)

// Stopper ends running answers.
type Stopper interface {
	// Stop ends the running turn of a session, and keeps its answer so far. Without a running turn it does nothing.
	Stop(ctx context.Context, session string) error
}

// stops handles the route that stops an answer.
type stops struct {
	ownedSessions
	conversations Stopper
}

func (s stops) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: "/api/sessions/{session_id}/stop", OperationID: "stop-session", Tags: []string{"sessions"},
		Summary: "Stop the running answer of a session", Errors: []int{http.StatusNotFound},
		Description: "Keeps the answer so far. Without a running answer, it does nothing.",
	}, s.stop)
}

func (s stops) stop(ctx context.Context, in *struct {
	SessionID string `path:"session_id" maxLength:"255"`
},
) (*struct{}, error) {
	key, err := s.key(ctx, in.SessionID, "")
	if err != nil {
		return nil, err
	}
	if _, err := s.find(ctx, key); err != nil {
		return nil, err
	}
	return nil, s.conversations.Stop(converse.WithAgent(ctx, key.Agent), key.ID)
}
