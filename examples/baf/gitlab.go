package baf

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent"
)

// issueEvent is the part of GitLab's webhook for issues that the agent uses.
type issueEvent struct {
	Project struct {
		Path string `json:"path_with_namespace"`
	} `json:"project"`
	Issue struct {
		Number int `json:"iid"`
	} `json:"object_attributes"`
}

// GitLab thanks for new issues with a comment. A program passes GitLab's webhooks to
// POST /api/sessions/{id}/events.
func GitLab(v Services) (*agent.Agent, error) {
	a := agent.New("gitlab")
	idle, opened := a.State("idle", agent.Initial), a.State("opened")
	a.Fallback(say("Greetings from global fallback"))
	idle.OnEvent("issues_opened").GoTo(opened)
	idle.OnEvent("issues_updated", "issue_comment_created").GoTo(idle)
	opened.Body(func(ctx context.Context, s *agent.Session) error {
		var e issueEvent
		if err := json.Unmarshal(s.Event().Data, &e); err != nil {
			return fmt.Errorf("webhook: %w", err)
		}
		_, err := v.commentIssue(ctx, comment{
			Project: e.Project.Path, Issue: float64(e.Issue.Number),
			Text: "Hey, thanks for opening an issue! We will look at that as soon as possible.",
		})
		if err != nil {
			return err
		}
		return s.Reply(ctx, fmt.Sprintf("I thanked for issue %d of %s", e.Issue.Number, e.Project.Path))
	})
	opened.GoTo(idle)
	return a, nil
}
