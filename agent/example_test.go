package agent_test

import (
	"context"
	"fmt"

	"docent/agent"
	"docent/rag"
)

// An agent that greets, then answers every message from the documents.
func Example() {
	a := agent.New("support")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	greet.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "Hi! Ask me about the manuals.")
	})
	greet.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		msg, err := s.RunRAG(ctx, rag.Request{K: 6, History: 4}) // no Question: the text of the event
		if err != nil {
			return err
		}
		return s.ReplyRAG(ctx, msg)
	})
	answer.OnMessage().GoTo(answer)
	err := a.Validate() // names the first state or transition that is wrong
	fmt.Println(err)
	// Output: <nil>
}
