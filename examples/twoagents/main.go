// Command twoagents runs two agents that talk to each other over WebSocket. A
// concierge asks a forecaster in a separate session and passes on the reply. Connect
// to the concierge:
//
//	go run ./examples/twoagents
//	npx wscat -c ws://127.0.0.1:8772
package main

import (
	"context"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"docent/agent"
	"docent/examples/host"
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

func main() { host.Main("127.0.0.1:8772", run) }

func run(ctx context.Context, addr, folder string, ready func(url string)) error {
	group, ctx := errgroup.WithContext(ctx)
	forecaster := make(chan string, 1)
	group.Go(func() error {
		return serve(ctx, "127.0.0.1:0", filepath.Join(folder, "forecaster"), newForecaster(), func(url string) { forecaster <- url })
	})
	group.Go(func() error {
		select {
		case url := <-forecaster:
			return serve(ctx, addr, filepath.Join(folder, "concierge"), newConcierge(url), ready)
		case <-ctx.Done():
			return nil
		}
	})
	return group.Wait()
}

func serve(ctx context.Context, addr, folder string, a *agent.Agent, ready func(url string)) error {
	h, err := host.Open(ctx, folder)
	if err != nil {
		return err
	}
	defer h.Close()
	return h.Serve(ctx, addr, a, ready)
}
