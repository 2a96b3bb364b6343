package baf

import (
	"context"

	"docent/agent"
)

// maxPersons is the largest number of persons in a picture that CV accepts.
const maxPersons = 3

// CV looks for persons with an iPhone in a picture. It is the example of BAF before
// version 4.
func CV(v Services) (*agent.Agent, error) {
	a := agent.New("cv")
	start, look := a.State("start", agent.Initial), a.State("look")
	start.Body(say("Hi! Show me a picture."))
	start.OnFile("image/*").GoTo(look)
	look.Body(func(ctx context.Context, s *agent.Session) error {
		seen, err := v.look(ctx, nothing{})
		if err != nil {
			return err
		}
		if seen.Persons >= 1 && seen.Persons <= maxPersons && seen.Phone && seen.IPhone {
			return s.Reply(ctx, "I can see you!")
		}
		return s.Reply(ctx, "I look for one to three persons with an iPhone.")
	})
	look.GoTo(start)
	return a, nil
}
