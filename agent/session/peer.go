package session

import (
	"context"
	"errors"
	"iter"
	"net/url"

	"github.com/google/uuid"

	"docent/agent"
	"docent/internal/fault"
	"docent/payload"
)

// Dialer connects to other agents; *client.Dialer is one. It is safe for
// concurrent use.
type Dialer interface {
	// Dial connects. Errors of a retryable kind are tried again; none may hold
	// secrets of the URL.
	Dial(ctx context.Context, req DialRequest) (PeerConn, error)
}

// DialRequest says whom to connect to.
type DialRequest struct {
	// URL is the agent's, ws or wss, as the caller wrote it.
	URL string
	// SessionID names the session at the peer; it is the same at each
	// reconnect.
	SessionID string
}

// PeerConn is a connection to another agent.
type PeerConn interface {
	// Send writes a frame; with an error the peer has not got the whole of it,
	// and the connection is of no more use.
	Send(ctx context.Context, f payload.Frame) error
	// Frames yields what the peer says, in order, until the connection ends;
	// an error comes last. One loop reads them; leaving it closes the
	// connection.
	Frames() iter.Seq2[payload.Frame, error]
	// Close ends the connection and the loop over Frames. It may be called more
	// than once.
	Close() error
}

// Limits of what a session does with other agents.
const (
	// MaxSessionPeers bounds the agents that a session is connected to at a
	// time.
	MaxSessionPeers = 8
	// MaxPeerQueue bounds the messages that wait to be written to one agent,
	// and those that wait for its answer.
	MaxPeerQueue = 32
)

// peers talks to other agents for a conversation.
type peers struct{ c *conversation }

// Connect implements agent.Peers.
func (p peers) Connect(ctx context.Context, r agent.PeerRequest) error {
	for {
		l, err := p.link(ctx, r)
		if err != nil {
			return err
		}
		select {
		case <-l.up:
			return nil
		case <-l.done:
			if l.err != nil {
				return l.err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Send implements agent.Peers.
func (p peers) Send(ctx context.Context, r agent.PeerRequest) (correlation string, err error) {
	hops, thread := r.About.Hops+1, threadFor(&r.About, p.c.key)
	if err := p.c.crosses(ctx, thread, hops); err != nil {
		return "", err
	}
	q := &request{hops: hops, thread: thread, cause: r.About.Request(), written: make(chan error, 1), frame: payload.Frame{
		Action: payload.ReplyStr, Message: r.Content, Correlation: correlationIn(thread), Hops: hops,
	}}
	for {
		l, err := p.link(ctx, r)
		if err != nil {
			return "", err
		}
		if err := l.send(ctx, q); !errors.Is(err, errLinkEnded) {
			return q.frame.Correlation, err
		}
		select { // it is about to be forgotten, and then made anew
		case <-l.done:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// link returns the session's link to a URL and begins one if there is none.
func (p peers) link(ctx context.Context, r agent.PeerRequest) (*link, error) {
	name, err := peerName(r.URL)
	if err != nil {
		return nil, err
	}
	session := r.Session
	if session == "" {
		session = uuid.NewString()
	}
	l, err := p.c.link(ctx, r.URL, name, session, r.About.Hops)
	if err != nil {
		return nil, err
	}
	if l.session != r.Session {
		if err := r.Remember(l.session); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// peerName is the URL of a peer without its secrets: no user and no query.
func peerName(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil { // which repeats the URL
		return "", fault.New(fault.Invalid, "the other agent's address is not a URL")
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Hostname() == "" {
		return "", fault.New(fault.Invalid, "another agent's address begins with ws:// or wss:// and a host")
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath(), nil
}
