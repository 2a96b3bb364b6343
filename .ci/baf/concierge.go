// Concierge is an agent in Go that passes messages of users to a BAF agent, and its
// replies to users. Run .ci/baf-clients.
package main

import (
	"context"
	"log"
	"os"

	"docent"
	"docent/agent"
)

func main() {
	a := agent.New("concierge")
	idle, ask, tell := a.State("idle", agent.Initial), a.State("ask"), a.State("tell")
	human := func(_ context.Context, s *agent.Session) (bool, error) { return s.Event().Human, nil }
	idle.OnMessage().When(human).GoTo(ask)
	idle.OnMessage().GoTo(tell)
	ask.Body(func(ctx context.Context, s *agent.Session) error {
		_, err := s.SendToPeer(ctx, os.Getenv("ORACLE"), s.Message())
		return err
	})
	ask.GoTo(idle)
	tell.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "They say: "+s.Message()) })
	tell.GoTo(idle)
	if err := docent.Run(context.Background(), a, docent.Options{}); err != nil {
		log.Fatal(err)
	}
}
