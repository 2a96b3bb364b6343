package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/client"
	"docent/payload"
	"docent/ws"
)

// check stops an example after an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// run serves an agent that answers every message with the result of a body, and
// returns its address. A real agent has a durable store.
func run(name string, body agent.Body) (url string, stop func()) {
	a := agent.New(name)
	begin, answer := a.State("begin", agent.Initial), a.State("answer")
	begin.OnMessage().GoTo(answer)
	answer.OnMessage().GoTo(answer)
	answer.Body(body)
	dialer, err := client.NewDialer(client.DialerConfig{Hosts: []string{"127.0.0.1"}})
	check(err)
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), Dialer: dialer})
	check(err)
	server, err := ws.NewServer(ws.Config{Runtime: rt})
	check(err)
	h := httptest.NewServer(server)
	return "ws" + strings.TrimPrefix(h.URL, "http"), func() {
		_ = server.Shutdown(context.Background())
		h.Close()
	}
}

// An agent forwards a question to another agent, and its user receives the
// answer.
func Example() {
	librarian, stop := run("librarian", func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, s.Message()+" is on shelf 7")
	})
	defer stop()
	clerk, stop := run("clerk", func(ctx context.Context, s *agent.Session) error {
		if event := s.Event(); !event.Human {
			return s.Reply(ctx, "The librarian says: "+event.Text)
		}
		_, err := s.SendToPeer(ctx, librarian, s.Message())
		return err
	})
	defer stop()

	ctx := context.Background()
	conn, err := client.Dial(ctx, client.Config{URL: clerk})
	check(err)
	check(conn.Send(ctx, payload.Frame{Action: payload.UserMessage, Message: []byte(`"Moby Dick"`)}))
	for frame, err := range conn.Frames() {
		check(err)
		fmt.Printf("%s\n", frame.Message)
		break // closes the connection
	}
	// Output: "The librarian says: Moby Dick is on shelf 7"
}
