// Package relay connects clients with sessions that other replicas run. It implements
// session.Replicas with package replica.
package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"docent/agent/peer"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/agent/session/replica"
	"docent/internal/fault"
	"docent/payload"
)

// Relay is this process among the replicas. It is safe for concurrent use.
type Relay struct {
	member *replica.Member
	leases journal.Leases
	log    *slog.Logger

	agents *session.Agents // set by Start
	shares []*share
}

// Config configures a Relay.
type Config struct {
	// Leases keeps the leases. Required.
	Leases journal.Leases
	// Replica configures the member. Its Leases and Causes are not used.
	Replica replica.Config
}

// causes are the causes of errors that the callers of a session recognize.
var causes = []error{
	session.ErrTooLong, session.ErrContent, session.ErrNoChoice, journal.ErrNoTurn, journal.ErrStale, peer.ErrTooManyHops,
}

// New returns a Relay that has not joined the other replicas.
func New(cfg Config) (*Relay, error) {
	if cfg.Leases == nil {
		return nil, fault.New(fault.Invalid, "config_relay_incomplete", "relay.Config: Leases is required")
	}
	cfg.Replica.Leases, cfg.Replica.Causes = cfg.Leases, causes
	if cfg.Replica.Logger == nil {
		cfg.Replica.Logger = slog.Default()
	}
	member, err := replica.New(cfg.Replica)
	if err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	return &Relay{member: member, leases: cfg.Leases, log: cfg.Replica.Logger}, nil
}

// Start joins the other replicas and serves their clients with the agents. It may be called once. The
// work goes on after the end of ctx, until Stop.
func (r *Relay) Start(ctx context.Context, agents *session.Agents) error {
	r.agents = agents
	return r.member.Start(ctx, host{r}) //nolint:wrapcheck // the error is complete
}

// Stop leaves the other replicas. It comes after the shutdown of the agents. It may be called more
// than once, and before Start.
func (r *Relay) Stop(ctx context.Context) { r.member.Stop(ctx) }

// ID implements session.Replicas.
func (r *Relay) ID() string { return r.member.ID() }

// Others returns the number of other live processes.
func (r *Relay) Others() int { return r.member.Others() }

// Await implements session.Replicas.
func (r *Relay) Await(ctx context.Context) error {
	return r.member.Await(ctx) //nolint:wrapcheck // the error is complete
}

// Deleted implements session.Replicas.
func (r *Relay) Deleted(key journal.SessionKey) { r.member.Tell(deleted, key) }

// Open implements session.Replicas.
func (r *Relay) Open(ctx context.Context, to string, req session.OpenRequest, listener session.Listener) (session.Remote, error) {
	link, err := r.member.Open(ctx, to, req, receiver{listener})
	switch {
	case errors.Is(err, replica.ErrGone):
		return nil, journal.Stale()
	case err != nil:
		return nil, err //nolint:wrapcheck // the error is complete
	}
	return link, nil
}

// The messages to other replicas. The first two are for their clients.
const (
	opened  = "opened"
	deliver = "deliver"
	deleted = "deleted"
	used    = "used"
)

// delivered is a session.Delivery between replicas. It keeps missing JSON apart from null.
type delivered struct {
	payload.Frame
	Message  json.RawMessage `json:"Message,omitempty"`
	Audience session.Audience
	Text     json.RawMessage `json:",omitempty"`
}

// receiver passes the messages of another replica to a client.
type receiver struct{ session.Listener }

// Receive implements replica.Receiver.
func (r receiver) Receive(op string, message json.RawMessage) {
	switch op {
	case opened:
		var o session.Opened
		if json.Unmarshal(message, &o) == nil {
			r.Opened(o)
		}
	case deliver:
		var d delivered
		if json.Unmarshal(message, &d) == nil {
			d.Frame.Message = d.Message
			r.Deliver(session.Delivery{Frame: d.Frame, Audience: d.Audience, Text: d.Text})
		}
	}
}

// Gone implements replica.Receiver.
func (r receiver) Gone(err error) {
	if leaver, ok := r.Listener.(session.Leaver); ok {
		leaver.Gone(err)
	}
}

// forward passes the messages for a client to its replica.
type forward struct{ *replica.Stream }

// Opened implements session.Listener.
func (f forward) Opened(o session.Opened) { f.Send(opened, o) }

// Deliver implements session.Listener.
func (f forward) Deliver(d session.Delivery) {
	f.Send(deliver, delivered{Frame: d.Frame, Message: d.Frame.Message, Audience: d.Audience, Text: d.Text})
}

// host implements replica.Host.
type host struct{ *Relay }

// Lost implements replica.Host.
func (h host) Lost(ctx context.Context) { h.agents.Abandon(ctx) }

// Left implements replica.Host. Sessions of the other replica may have alarms.
func (h host) Left(ctx context.Context, id string) {
	for _, s := range h.shares {
		s.limit.Others(id, nil)
	}
	if err := h.agents.Start(ctx); err != nil {
		h.log.WarnContext(ctx, "read alarms", "error", err)
	}
}

// Beat implements replica.Host.
func (h host) Beat() {
	for _, s := range h.shares {
		if amounts := s.news(); amounts != nil {
			h.member.Tell(used, usage{s.name, amounts})
		}
	}
}

// Told implements replica.Host.
func (h host) Told(from, op string, message json.RawMessage) {
	switch op {
	case deleted:
		var key journal.SessionKey
		if json.Unmarshal(message, &key) == nil {
			h.agents.Drop(key)
		}
	case used:
		var u usage
		if json.Unmarshal(message, &u) != nil {
			return
		}
		for _, s := range h.shares {
			if s.name == u.Limit {
				s.limit.Others(from, u.Amounts)
			}
		}
	}
}

// Accept implements replica.Host. A session that is not in memory becomes free.
func (h host) Accept(ctx context.Context, request json.RawMessage, stream *replica.Stream) (replica.Guest, error) {
	var req session.OpenRequest
	if err := json.Unmarshal(request, &req); err != nil {
		return nil, fmt.Errorf("request of another replica: %w", err)
	}
	runtime, err := h.agents.Named(req.Agent)
	if err != nil {
		return nil, err //nolint:wrapcheck // the error is complete
	}
	if !runtime.Holds(req.ID) {
		key := journal.SessionKey{Agent: runtime.Name(), ID: req.ID}
		if err := h.leases.ReleaseSession(ctx, key, h.ID()); err != nil {
			return nil, err //nolint:wrapcheck // it names the operation
		}
		return nil, journal.Stale()
	}
	s, err := runtime.OpenHere(ctx, req, forward{stream})
	if err != nil {
		return nil, err //nolint:wrapcheck // the error is complete
	}
	return guest{s, runtime}, nil
}
