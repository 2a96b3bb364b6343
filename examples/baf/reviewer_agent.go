package baf

import (
	"context"

	"docent/agent"
)

// ReviewerAgent finds errors in the code of other agents.
func ReviewerAgent(v Services) (*agent.Agent, error) {
	a := agent.New("reviewer_agent")
	start, review := a.State("start", agent.Initial), a.State("review")
	start.OnText().When(fromAgent).GoTo(review)
	review.Body(func(ctx context.Context, s *agent.Session) error {
		return v.reply(ctx, s, "", "You are a code reviewer. Find syntax errors in this code. Without errors, reply only: ok\n\n"+s.Message())
	})
	review.GoTo(start)
	return a, nil
}
