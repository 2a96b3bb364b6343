package client_test

import (
	"context"
	"fmt"

	"docent/agent"
	"docent/client"
)

// library runs an agent that knows one shelf.
func library() (url string, stop func()) {
	return run("library", func(ctx context.Context, s *agent.Session) error {
		if err := s.Stream(ctx, "It is on "); err != nil {
			return err
		}
		return s.Reply(ctx, "It is on shelf 7.")
	})
}

// A question and its answer, whatever happens to the connection meanwhile.
func ExampleSession_Ask() {
	url, stop := library()
	defer stop()
	ctx := context.Background()
	s, err := client.Open(ctx, client.SessionConfig{URL: url})
	check(err)
	defer s.Close()
	answer, err := s.Ask(ctx, "Where is Moby Dick?")
	check(err)
	fmt.Println(answer.Text())
	if m, ok := answer.RAG(); ok { // from documents, with citations
		for _, d := range m.Docs {
			fmt.Println(d.Metadata.Title)
		}
	}
	// Output: It is on shelf 7.
}

// Everything that happens in a session, as it happens.
func ExampleSession_Events() {
	url, stop := library()
	defer stop()
	ctx := context.Background()
	s, err := client.Open(ctx, client.SessionConfig{URL: url})
	check(err)
	defer s.Close()
	_, err = s.Send(ctx, "Where is Moby Dick?")
	check(err)
	for event, err := range s.Events(ctx) {
		check(err)
		switch e := event.(type) {
		case *client.UserMessage:
			fmt.Println("you:", e.Text())
		case *client.Reply:
			fmt.Println("agent:", e.Text())
		case *client.TurnFinished:
			fmt.Println(e.Outcome)
			return
		}
	}
	// Output:
	// you: Where is Moby Dick?
	// agent: It is on shelf 7.
	// done
}
