package session

import (
	"context"
	"encoding/json"

	"docent/agent"
	"docent/agent/session/replica"
	"docent/internal/fault"
)

// SetVariables sets session variables, in order with the sent events, and then checks the
// conditions of the state. It returns when the change is queued. The listener receives a later
// failure. SetVariables fails with fault.Invalid for reserved names: prev_state, and names that
// begin with peer_session_, reasoning_, model_context_, or session_document_.
func (s *Subscription) SetVariables(ctx context.Context, values map[string]json.RawMessage) error {
	if s.remote != nil {
		return s.remote.Call(ctx, replica.OpSet, values, nil) //nolint:wrapcheck // the error is complete
	}
	c := s.c
	size, err := agent.CheckReserved(values)
	if err == nil {
		err = c.rt.cfg.Quotas.Receive(ctx, false, size)
	}
	if err != nil {
		return err
	}
	leave, err := c.admit(ctx, ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	within, cancel := withIntakeWait(ctx)
	defer cancel()
	err = c.mail.ask(within, nil, func(context.Context) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.queue.add(work{slot: true, do: func(ctx context.Context) { c.set(ctx, values, s) }})
		return nil
	})
	if err != nil {
		<-c.queue.slots
	}
	return err
}

// set sets variables and requests a step. caller is the client that receives failures, or nil.
func (c *conversation) set(ctx context.Context, values map[string]json.RawMessage, caller *Subscription) {
	err := c.setVariables(ctx, values)
	if err != nil {
		c.logError(ctx, "set variables", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mail.gone != nil {
		return
	}
	c.sched.eventLocked()
	c.sched.backoff = 0
	if err != nil && caller != nil {
		for _, d := range Failure(err, "") {
			d.Frame.Time = c.rt.cfg.Now()
			caller.listener.Deliver(d)
		}
	}
}

func (c *conversation) setVariables(ctx context.Context, values map[string]json.RawMessage) error {
	set, all, err := agent.SetVariables(c.record.Variables, values)
	if err != nil {
		return err
	}
	c.place.Zone = agent.Zone(all, c.rt.programs.location())
	record := c.standing()
	record.Set = set
	if _, err := c.commit(ctx, nil, record); err != nil {
		if fault.KindOf(err).Retryable() {
			c.abandon(ctx, err)
		}
		return err
	}
	c.record.Variables = all
	return nil
}
