package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/payload"
	"docent/rag"
)

// terminal is a client that prints the agent's replies.
type terminal struct{ ended chan struct{} }

func newTerminal() *terminal { return &terminal{ended: make(chan struct{}, 10)} }

func (p *terminal) Opened(session.Opened) {}

func (p *terminal) Deliver(d session.Delivery) {
	switch d.Frame.Action {
	case payload.ReplyStr, payload.ReplyOptions:
		var text string
		if json.Unmarshal(d.Frame.Message, &text) == nil && d.Audience != session.Streaming {
			fmt.Println("agent:", text)
		}
	case payload.TurnFinishedAction:
		p.ended <- struct{}{}
	}
}

// talk sends lines to an agent, one after the other, and prints the conversation.
func talk(a *agent.Agent, lines ...string) {
	ctx := context.Background()
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := newTerminal()
	opened, err := rt.Open(ctx, session.OpenRequest{ID: "a session"}, client)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range lines {
		content, err := json.Marshal(line)
		if err == nil {
			err = opened.Send(ctx, session.Message{Content: content, Human: true})
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		<-client.ended
	}
	opened.Close()
	if err := rt.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
}

// An agent that greets, then answers every message from the documents.
func Example() {
	a := agent.New("support")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	greet.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "Hi! Ask me about the manuals.")
	})
	greet.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		msg, err := s.RunRAG(ctx, rag.Request{K: 6, History: 4}) // without a Question, it answers the text of the event
		if err != nil {
			return err
		}
		return s.ReplyRAG(ctx, msg)
	})
	answer.OnMessage().GoTo(answer)
	err := a.Validate() // returns the first invalid state or transition
	fmt.Println(err)
	// Output: <nil>
}

// Example sentences distinguish intents. The fallback of a state handles all other messages.
func ExampleState_OnIntent() {
	a := agent.New("shop")
	order, bye := a.Intent("order", "I want to order something", "order a book"), a.Intent("bye", "bye", "see you")
	start, ordering, end := a.State("start", agent.Initial), a.State("ordering"), a.State("end")
	start.OnIntent(order).GoTo(ordering)
	start.OnIntent(bye).GoTo(end)
	start.Fallback(func(ctx context.Context, s *agent.Session) error {
		return s.ReplyOptions(ctx, "order a book", "bye")
	})
	ordering.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Ordered.") })
	ordering.GoTo(start) // at once
	end.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Bye!") })
	talk(a, "qwertz", "order a book", "bye")
	// Output:
	// agent: {"0": "order a book", "1": "bye"}
	// agent: Ordered.
	// agent: Bye!
}

// A session keeps its variables. A transition may wait for one.
func ExampleState_WhenVariable() {
	a := agent.New("patient")
	listen, enough := a.State("listen", agent.Initial), a.State("enough")
	listen.Body(func(_ context.Context, s *agent.Session) error {
		return s.Set("messages", agent.Get(s, "messages", -1)+1) // the greeting is none
	})
	listen.WhenVariable("messages", agent.GreaterEqual, 3).GoTo(enough)
	listen.OnMessage().GoTo(listen)
	enough.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "That is enough.") })
	talk(a, "one", "two", "three")
	// Output: agent: That is enough.
}

// A global state can be reached from every state, and leads back to that state.
func ExampleState_Global() {
	a := agent.New("guide")
	help, next := a.Intent("help", "help"), a.Intent("next", "next page")
	one, two, helping := a.State("page one", agent.Initial), a.State("page two"), a.State("help")
	page := func(ctx context.Context, s *agent.Session) error {
		if s.Returning() {
			return s.Reply(ctx, "Back on "+s.CurrentState())
		}
		return s.Reply(ctx, s.CurrentState())
	}
	one.Body(page)
	two.Body(page)
	one.OnIntent(next).GoTo(two)
	two.OnIntent(next).GoTo(one)
	helping.Global(help)
	helping.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Say: next page.") })
	talk(a, "next page", "help")
	// Output:
	// agent: page one
	// agent: page two
	// agent: Say: next page.
	// agent: Back on page two
}

// Programs send events. An event that the current state does not take waits for a state that does.
func ExampleRuntime_Dispatch() {
	ctx := context.Background()
	a := agent.New("deliveries")
	asleep, awake := a.State("asleep", agent.Initial), a.State("awake")
	asleep.OnEvent("morning").GoTo(awake)
	awake.OnEvent("parcel").GoTo(awake)
	awake.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, s.Event().Name+string(s.Event().Data))
	})
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := newTerminal()
	session, err := rt.Open(ctx, session.OpenRequest{ID: "a session"}, client)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = rt.Dispatch(ctx, "a session", agent.Event{Name: "parcel", Data: []byte(`{"n":1}`)})
	<-client.ended // the event is held
	err = errors.Join(err, rt.Dispatch(ctx, "a session", agent.Event{Name: "morning"}))
	<-client.ended // the turn of the morning
	<-client.ended // the turn of the parcel
	session.Close()
	fmt.Println(errors.Join(err, rt.Shutdown(ctx)))
	// Output:
	// agent: morning
	// agent: parcel{"n":1}
	// <nil>
}

// Processors change texts, here the user's.
func ExampleAgent_ProcessUser() {
	a := agent.New("loud")
	listen := a.State("listen", agent.Initial)
	answer := a.State("answer")
	listen.OnText().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, s.Message()) })
	answer.OnText().GoTo(answer)
	a.ProcessUser(func(_ context.Context, _ *agent.Session, text string) (string, error) { return text + "!", nil })
	talk(a, "hello")
	// Output: agent: hello!
}
