package baf

import (
	"context"
	"fmt"

	"docent/agent"
)

// GitHub counts the stars of a repository. A program passes GitHub's webhooks to
// POST /api/sessions/{id}/events.
func GitHub(v Services) (*agent.Agent, error) {
	a := agent.New("github")
	start, idle, star, unstar := a.State("start", agent.Initial), a.State("idle"), a.State("star"), a.State("unstar")
	start.Body(func(ctx context.Context, s *agent.Session) error {
		stars, err := v.stars(ctx, repository{Name: "BESSER-PEARL/BESSER"})
		if err != nil {
			return err
		}
		return s.Set("stars", stars)
	})
	start.GoTo(idle)
	idle.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, fmt.Sprintf("The repo has %d stars currently", agent.Get(s, "stars", 0)))
	})
	idle.OnEvent("star_deleted").GoTo(unstar)
	idle.OnEvent("star_created").GoTo(star)
	star.Body(adding("stars", 1))
	star.GoTo(idle)
	unstar.Body(adding("stars", -1))
	unstar.GoTo(idle)
	return a, nil
}

// adding returns a body that adds to a variable.
func adding(variable string, n int) agent.Body {
	return func(_ context.Context, s *agent.Session) error { return s.Set(variable, agent.Get(s, variable, 0)+n) }
}
