package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/payload"
)

// held returns an agent whose answers wait for hold or for the end of their context.
func held(hold chan struct{}) *agent.Agent {
	return echo(func(ctx context.Context, _ *agent.Session) error {
		select {
		case <-hold:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// Shutdown waits for the running turn. Waiting turns run after the restart.
func TestShutdown(t *testing.T) { bubble(t, testShutdown) }

func testShutdown(t *testing.T) {
	hold := make(chan struct{})
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: held(hold), Store: store})
	sub, c, _ := open(t, rt, "S")
	c.Until(payload.ReplyStr)
	send(t, sub, "", "running")
	send(t, sub, "", "waiting")
	synctest.Wait()
	done := make(chan struct{})
	go func() { stop(t, rt); close(done) }()
	synctest.Wait()
	select {
	case <-done:
		t.Fatal("Shutdown did not wait for the turn")
	default:
	}
	close(hold)
	<-done
	if d := c.Until(payload.ReplyStr); text(t, d) != "running" {
		t.Errorf("got %s", d.Frame.Message)
	}
	c.Until(payload.TurnFinishedAction)
	c.Quiet()
	sub.Close()

	rt = start(t, session.RuntimeConfig{Agent: held(hold), Store: store})
	_, c, _ = open(t, rt, "S")
	if d := c.Until(payload.ReplyStr); text(t, d) != "waiting" {
		t.Errorf("got %s", d.Frame.Message)
	}
}

// A turn that runs longer than Shutdown may wait is interrupted and not committed. It runs again
// after the restart.
func TestInterrupted(t *testing.T) { bubble(t, testInterrupted) }

func testInterrupted(t *testing.T) {
	store := agenttest.NewStore()
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: held(nil), Store: store})
	if err != nil {
		t.Fatal(err)
	}
	sub, c, _ := open(t, rt, "S")
	c.Until(payload.ReplyStr)
	send(t, sub, "", "hi")
	synctest.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := rt.Shutdown(ctx); err == nil {
		t.Error("Shutdown says nothing of the interrupted turn")
	}
	sub.Close()
	if _, messages, _ := store.Stored("S"); len(messages) != 2 {
		t.Errorf("stored %+v", messages)
	}
	hold := make(chan struct{})
	close(hold)
	rt = start(t, session.RuntimeConfig{Agent: held(hold), Store: store})
	_, c, _ = open(t, rt, "S")
	if d := c.Until(payload.ReplyStr); text(t, d) != "hi" {
		t.Errorf("got %s", d.Frame.Message)
	}
}
