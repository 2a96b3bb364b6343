package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
)

// Agents are the runtimes of a server, one for each agent. The first agent is the default. A session
// belongs to the agent that created it. An Agents is safe for concurrent use.
type Agents struct{ all []*Runtime }

// NewAgents returns runtimes as those of one server. It fails with fault.Invalid without a runtime, or
// if two agents have the same name.
func NewAgents(all ...*Runtime) (*Agents, error) {
	if len(all) == 0 {
		return nil, fault.New(fault.Invalid, "config_runtime_incomplete", "RuntimeConfig.Agent and RuntimeConfig.Store are required")
	}
	for i, r := range all {
		if slices.ContainsFunc(all[:i], func(o *Runtime) bool { return o.Name() == r.Name() }) {
			return nil, fault.New(fault.Invalid, "agents_same_name", "two agents have the name %q: give each agent its own name", r.Name())
		}
	}
	return &Agents{all}, nil
}

// Name returns the name of the runtime's agent.
func (r *Runtime) Name() string { return r.cfg.Agent.Name() }

// Names returns the names of the agents, the default first.
func (a *Agents) Names() []string {
	names := make([]string, len(a.all))
	for i, r := range a.all {
		names[i] = r.Name()
	}
	return names
}

// Named returns the runtime of an agent; "" is the default. It fails with fault.NotFound for other names.
func (a *Agents) Named(name string) (*Runtime, error) {
	for _, r := range a.all {
		if name == "" || r.Name() == name {
			return r, nil
		}
	}
	return nil, fault.New(fault.NotFound, "agent_not_served", "this server does not have the agent %.200q; it has: %s",
		name, strings.Join(a.Names(), ", "))
}

// Open is Runtime.Open of the agent req.Agent. Without one, the agent of the stored session req.ID decides, or
// else the default. If several agents have a session with this id, Open takes the one of req.Owner that was used
// last. Open fails with fault.NotFound for an agent that is not here.
func (a *Agents) Open(ctx context.Context, req OpenRequest, listener Listener) (*Subscription, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	r, err := a.choose(ctx, req)
	if err != nil {
		return nil, err
	}
	return r.Open(ctx, req, listener)
}

// choose returns the runtime for a client.
func (a *Agents) choose(ctx context.Context, req OpenRequest) (*Runtime, error) {
	if req.Agent != "" || req.ID == "" || len(a.all) == 1 {
		return a.Named(req.Agent)
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	stored, err := a.all[0].cfg.Store.Sessions(ctx, journal.SessionFilter{ID: req.ID, Latest: true})
	if err != nil {
		return nil, fmt.Errorf("look for the agent of session %s: %w", req.ID, err)
	}
	slices.SortStableFunc(stored, func(x, y journal.SessionRecord) int { // the own sessions first; they stay in the order of use
		return cmp.Compare(others(x, req), others(y, req))
	})
	for _, s := range stored {
		if i := slices.IndexFunc(a.all, func(r *Runtime) bool { return r.Name() == s.Key.Agent }); i >= 0 {
			return a.all[i], nil
		}
	}
	return a.all[0], nil
}

// others returns 1 if a session belongs to another owner than the client, and otherwise 0.
func others(s journal.SessionRecord, req OpenRequest) int {
	if s.Owner == req.Owner || req.AnyOwner {
		return 0
	}
	return 1
}

// Start is Runtime.Start for all agents.
func (a *Agents) Start(ctx context.Context) error {
	for _, r := range a.all {
		if err := r.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Shutdown is Runtime.Shutdown for all agents at once.
func (a *Agents) Shutdown(ctx context.Context) error {
	errs := make([]error, len(a.all))
	var group sync.WaitGroup
	for i, r := range a.all {
		group.Go(func() { errs[i] = r.Shutdown(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// Abandon is Runtime.Abandon for all agents.
func (a *Agents) Abandon(ctx context.Context) {
	for _, r := range a.all {
		r.Abandon(ctx)
	}
}

// Takes reports whether some state of an agent takes events with a name. "" asks all agents.
func (a *Agents) Takes(agent, event string) bool {
	return slices.ContainsFunc(a.all, func(r *Runtime) bool { return (agent == "" || r.Name() == agent) && r.Takes(event) })
}

// DispatchOnce is Runtime.DispatchOnce for a session of one of the agents.
func (a *Agents) DispatchOnce(ctx context.Context, key journal.SessionKey, id string, event chat.Event) error {
	r, err := a.Named(key.Agent)
	if err != nil {
		return err
	}
	return r.DispatchOnce(ctx, key.ID, id, event)
}

// DispatchAll is Runtime.DispatchAll for the agents that take the event.
func (a *Agents) DispatchAll(ctx context.Context, id string, event chat.Event, accept func(owner string) bool) (int, error) {
	var errs []error
	sent := 0
	for _, r := range a.all {
		if r.Takes(event.Name) {
			n, err := r.DispatchAll(ctx, id, event, accept)
			sent, errs = sent+n, append(errs, err)
		}
	}
	return sent, errors.Join(errs...)
}

// Drop is Runtime.Drop for a session of one of the agents.
func (a *Agents) Drop(key journal.SessionKey) {
	for _, r := range a.all {
		if r.Name() == key.Agent {
			r.Drop(key.ID)
		}
	}
}
