package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/url"

	"github.com/google/uuid"

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
	// MaxPeerMessageBytes bounds a message to another agent, as JSON.
	MaxPeerMessageBytes = 256 << 10
)

// CreateAgentConnection connects the session to the agent at a URL, ws or wss,
// and returns when that has succeeded: fault.Unavailable says that it did not,
// after several attempts, fault.Busy that there are too many connections. The
// first SendToPeer connects as well; this is for hearing the peer's greeting
// before. The connection ends after five minutes without a message, with a
// reset, and when the session is deleted.
func (s *Session) CreateAgentConnection(ctx context.Context, url string) error {
	for {
		l, err := s.link(ctx, url)
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

// SendToPeer sends a message, a string or anything that encodes as JSON, to the
// agent at a URL, ws or wss, and returns when it is written. What the agent
// says comes as events, which are not Human and have From, the URL without user
// and query; those that answer this message have the id that SendToPeer returns
// as their Correlation. A peer that is no docent answers without ids, so its
// next message counts as the answer to the oldest one sent.
//
// There is one connection per URL and session. It is made when it is first
// needed and again when it broke, always to the same session of the peer, unless
// the URL names one; a message waits for it. fault.Unavailable says that it could
// not be made, after several attempts, fault.Busy that too many messages wait.
//
// What was written when a connection broke is written again only to a docent,
// which does not answer it twice; of others nobody knows whether they got it. So
// an answer may never come, as from a peer that says nothing: let the state that
// waits for it have a way out with State.After.
//
// Agents that answer each other are stopped: each message counts the agents it
// went through, and one that went through more than RuntimeConfig.MaxHops is
// neither sent nor heard, and nor is one beyond the RuntimeConfig.MaxExchange
// that this runtime has seen because of one message of a user. Of both
// SendToPeer says fault.Conflict, with the cause ErrTooManyHops. Greetings are
// not counted: two agents must not call each other from their initial states.
func (s *Session) SendToPeer(ctx context.Context, url string, message any) (correlation string, err error) {
	content, err := payload.Marshal(message)
	if err != nil {
		return "", fmt.Errorf("message to a peer: %w", err)
	}
	if len(content) > MaxPeerMessageBytes {
		return "", fault.New(fault.Invalid,
			"peer_message_too_long", "a message to another agent may have at most %d bytes, this has %d", MaxPeerMessageBytes, len(content))
	}
	event := s.Event()
	hops, thread := event.Hops+1, event.in(s.conversation.key)
	if err := s.conversation.crosses(ctx, thread, hops); err != nil {
		return "", err
	}
	r := &request{hops: hops, thread: thread, cause: event.request(), written: make(chan error, 1), frame: payload.Frame{
		Action: payload.ReplyStr, Message: content, Correlation: correlationIn(thread), Hops: hops,
	}}
	for {
		l, err := s.link(ctx, url)
		if err != nil {
			return "", err
		}
		if err := l.send(ctx, r); !errors.Is(err, errLinkEnded) {
			return r.frame.Correlation, err
		}
		select { // it is about to be forgotten, and then made anew
		case <-l.done:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// link returns the session's link to a URL and begins one if there is none.
func (s *Session) link(ctx context.Context, raw string) (*link, error) {
	name, err := peerName(raw)
	if err != nil {
		return nil, err
	}
	if s.over() {
		return nil, errOver
	}
	variable := peerVariable(raw)
	var known string
	if _, err := s.Get(variable, &known); err != nil {
		known = "" // overwritten with something else
	}
	session := known
	if session == "" {
		session = uuid.NewString()
	}
	l, err := s.conversation.link(ctx, raw, name, session, s.Event().Hops)
	if err != nil {
		return nil, err
	}
	if l.session != known {
		if err := s.Set(variable, l.session); err != nil {
			return nil, fmt.Errorf("remember the session at a peer: %w", err)
		}
	}
	return l, nil
}

// over reports whether the body has returned.
func (s *Session) over() bool {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	return s.turn.over
}

// request is the id of the request, of an agent that is a client of the session,
// that the turn of an event answers: the event is the request, or an answer to
// what was asked for it. "" if there is none.
func (e *Event) request() string {
	if e.From == "" {
		return e.Correlation
	}
	return e.cause
}

// peerVariable names the session variable that keeps the id of the session at a
// peer, so that it outlives connections and restarts, and ends with a reset. It
// does not tell the URL, which may hold a password.
func peerVariable(url string) string {
	sum := sha256.Sum256([]byte(url))
	return peerSession + hex.EncodeToString(sum[:8])
}

// peerName is the URL of a peer without its secrets: no user and no query.
func peerName(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil { // which repeats the URL
		return "", fault.New(fault.Invalid, "peer_address_invalid", "the other agent's address is not a URL")
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Hostname() == "" {
		return "", fault.New(fault.Invalid, "peer_address_scheme", "another agent's address begins with ws:// or wss:// and a host")
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath(), nil
}
