package baf

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent"
)

// starEvent is the part of GitHub's webhook for stars that the agent uses.
type starEvent struct {
	Repository struct {
		Name string `json:"full_name"`
	} `json:"repository"`
	Sender struct {
		Login string `json:"login"`
	} `json:"sender"`
}

// Stargazer tells who stars two repositories. A program passes GitHub's webhooks to
// POST /api/sessions/{id}/events.
func Stargazer(v Services) (*agent.Agent, error) {
	a := agent.New("stargazer")
	init, idle, star, unstar := a.State("init", agent.Initial), a.State("idle"), a.State("star"), a.State("unstar")
	init.Body(func(ctx context.Context, s *agent.Session) error {
		for _, repo := range []string{"BESSER-PEARL/BESSER-Agentic-Framework", "BESSER-PEARL/BESSER"} {
			stars, err := v.stars(ctx, repository{Name: repo})
			if err != nil {
				return err
			}
			if err := s.Set(repo, stars); err != nil {
				return err
			}
		}
		return nil
	})
	init.OnNoIntent().GoTo(idle)
	a.Fallback(say("Greetings from global fallback"))
	idle.OnEvent("star_created").GoTo(star)
	idle.OnEvent("star_deleted").GoTo(unstar)
	star.Body(starred("star", 1))
	star.GoTo(idle)
	unstar.Body(starred("unstar", -1))
	unstar.GoTo(idle)
	return a, nil
}

// starred returns a body that changes the stars of the repository of the event.
func starred(verb string, n int) agent.Body {
	return func(ctx context.Context, s *agent.Session) error {
		var e starEvent
		if err := json.Unmarshal(s.Event().Data, &e); err != nil {
			return fmt.Errorf("webhook: %w", err)
		}
		repo := e.Repository.Name
		stars := agent.Get(s, repo, 0) + n
		if err := s.Set(repo, stars); err != nil {
			return err
		}
		return s.Reply(ctx, fmt.Sprintf("%s decided to %s %s, it now has %d stars", e.Sender.Login, verb, repo, stars))
	}
}
