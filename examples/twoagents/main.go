// Command twoagents runs two agents that talk to each other over WebSocket. A
// concierge asks a forecaster in a separate session and passes on the reply. Open
// http://127.0.0.1:8765 to talk to the concierge:
//
//	go run ./examples/twoagents
package main

import (
	"context"
	"log"
	"os"
	"strings"

	"golang.org/x/sync/errgroup"

	"docent"
	"docent/agent"
)

// newForecaster returns an agent that answers every message with a forecast.
func newForecaster() *agent.Agent {
	a := agent.New("forecaster")
	wait, tell := a.State("wait", agent.Initial), a.State("tell")
	wait.OnMessage().GoTo(tell)
	tell.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "It will rain in "+s.Message()+".")
	})
	tell.GoTo(wait)
	return a
}

// newConcierge returns an agent that forwards every question to the agent at a URL.
func newConcierge(forecaster string) *agent.Agent {
	a := agent.New("concierge")
	hello, ask, pass := a.State("hello", agent.Initial), a.State("ask"), a.State("pass")
	hello.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "Hi! Which city are you going to?")
	})
	ask.Body(func(ctx context.Context, s *agent.Session) error {
		_, err := s.SendToPeer(ctx, forecaster, s.Message())
		return err // the answer comes as an event
	})
	pass.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "The forecaster says: "+s.Message())
	})
	user := func(_ context.Context, s *agent.Session) (bool, error) { return s.Event().Human, nil }
	answer := func(_ context.Context, s *agent.Session) (bool, error) { return s.Event().From != "", nil }
	for _, state := range a.States() {
		state.OnMessage().When(answer).GoTo(pass)
		state.OnMessage().When(user).GoTo(ask)
	}
	return a
}

func main() {
	if err := run(context.Background(), docent.Options{}); err != nil {
		log.Fatal(err)
	}
}

// run serves both agents. The options are for the concierge.
func run(ctx context.Context, opts docent.Options) error {
	folder, err := os.MkdirTemp("", "forecaster-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	group, ctx := errgroup.WithContext(ctx)
	forecaster := make(chan string, 1)
	group.Go(func() error {
		return docent.Run(ctx, newForecaster(), docent.Options{
			Args:   []string{"--addr=127.0.0.1:0", "--data=" + folder},
			Output: opts.Output,
			Ready:  func(url string) { forecaster <- url },
		})
	})
	group.Go(func() error {
		select {
		case url := <-forecaster:
			return docent.Run(ctx, newConcierge("ws"+strings.TrimPrefix(url, "http")), opts)
		case <-ctx.Done():
			return nil
		}
	})
	return group.Wait()
}
