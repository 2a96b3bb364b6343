// Command faq is an agent that answers frequent questions of a shop's customers. It
// recognizes intents by examples, finds entities in messages, and offers options to
// choose from. Run it and open http://127.0.0.1:8765, or connect a BAF client:
//
//	go run ./examples/faq
//
// faq.yaml is the same agent without Go: docent serve --agent examples/faq/faq.yaml
package main

import (
	"context"
	"fmt"
	"log"

	"docent"
	"docent/agent"
	"docent/agent/intent"
)

// newAgent returns an agent with a state for the choice and one for each answer.
func newAgent() *agent.Agent {
	a := agent.New("faq")
	city := a.Entity(intent.Listed("city", intent.Value{Value: "Bilbao"},
		intent.Value{Value: "Luxembourg", Synonyms: []string{"Lux", "Lëtzebuerg"}}))
	number := a.Entity(intent.Number())
	opening := a.Intent("opening", "when are you open in CITY", "opening hours", "CITY").Parameter("city", "CITY", city)
	shipping := a.Intent("shipping", "how much is shipping of NUMBER parcels", "what does delivery cost", "shipping").Parameter("parcels",
		"NUMBER", number)
	returns := a.Intent("returns", "how do I send something back", "I want my money back", "returns")

	choose, open, ship, back := a.State("choose", agent.Initial), a.State("open"), a.State("ship"), a.State("back")
	choose.Body(func(ctx context.Context, s *agent.Session) error {
		if err := s.Reply(ctx, "What would you like to know?"); err != nil {
			return err
		}
		return s.ReplyOptions(ctx, "Opening hours", "Shipping", "Returns")
	})
	choose.OnIntent(opening).GoTo(open)
	choose.OnIntent(shipping).GoTo(ship)
	choose.OnIntent(returns).GoTo(back)
	choose.Fallback(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "I do not know that. Ask me about opening hours, shipping or returns.")
	})

	say := func(state *agent.State, text func(p agent.Prediction) string) {
		state.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, text(s.Prediction())) })
		state.GoTo(choose)
	}
	say(open, func(p agent.Prediction) string {
		if city, ok := p.Parameter("city"); ok {
			return "In " + city + " we are open from 9 to 18."
		}
		return "Bilbao and Luxembourg: 9 to 18."
	})
	say(ship, func(p agent.Prediction) string {
		var parcels int
		if n, ok := p.Parameter("parcels"); ok {
			if _, err := fmt.Sscan(n, &parcels); err == nil {
				return fmt.Sprintf("Shipping costs %d €.", 4*parcels)
			}
		}
		return "Shipping costs 4 € a parcel."
	})
	say(back, func(agent.Prediction) string { return "Send it back within 30 days and we return your money." })
	return a
}

func main() {
	if err := docent.Run(context.Background(), newAgent(), docent.Options{}); err != nil {
		log.Fatal(err)
	}
}
