package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/insight"
)

type seenInput struct {
	SessionID string `path:"session_id" maxLength:"255"`
	Turn      int64  `path:"turn" minimum:"1" doc:"The turn of the question."`
	Agent     string `query:"agent_name" maxLength:"255" doc:"The agent. The default is the agent of the stored session."`
}

// solutions tell the owners of sessions that their questions have an answer now.
type solutions struct {
	ownedSessions
	store   insight.Solutions // nil has none
	lacking func(ctx context.Context, documents []int64) ([]int64, error)
}

func (s solutions) addRoutes(r *route.Router) {
	route.Add(r, huma.Operation{
		Method: http.MethodDelete, Path: "/api/sessions/{session_id}/solved/{turn}", OperationID: "see-solved-question",
		Tags: []string{"sessions"}, Errors: []int{http.StatusNotFound},
		Summary: "Mark a question that has an answer now as seen",
		Description: "GET /api/sessions and GET /api/sessions/{session_id}/messages then no longer list it in solved. " +
			"The request succeeds for other turns, too.",
	}, s.see)
}

func (s solutions) see(ctx context.Context, in *seenInput) (*struct{}, error) {
	key, err := s.key(ctx, in.SessionID, in.Agent)
	if err != nil {
		return nil, err
	}
	record, err := s.find(ctx, key)
	if err != nil || s.store == nil {
		return nil, err
	}
	return nil, s.store.SeeSolution(ctx, record.RowID, in.Turn)
}

// turns returns the solved turns of sessions by their rows. It leaves out those whose answer is in a
// document that the reader may not read.
func (s solutions) turns(ctx context.Context, sessions ...int64) (map[int64][]int64, error) {
	if s.store == nil || len(sessions) == 0 {
		return nil, nil //nolint:nilnil // there are none
	}
	all, err := s.store.Solutions(ctx, sessions)
	if err != nil {
		return nil, err
	}
	var documents, closed []int64
	for _, v := range all {
		if v.Document != 0 {
			documents = append(documents, v.Document)
		}
	}
	if s.lacking != nil && len(documents) > 0 {
		if closed, err = s.lacking(ctx, documents); err != nil {
			return nil, err
		}
	}
	out := map[int64][]int64{}
	for _, v := range all {
		if !slices.Contains(closed, v.Document) {
			out[v.Session] = append(out[v.Session], v.Turn)
		}
	}
	return out, nil
}
