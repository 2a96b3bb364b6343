// Package peer connects sessions to other agents: it dials them, sends requests,
// and matches their answers.
package peer

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/url"
	"sync"

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
	Dial(ctx context.Context, req DialRequest) (Conn, error)
}

// DialRequest says whom to connect to.
type DialRequest struct {
	// URL is the agent's, ws or wss, as the caller wrote it.
	URL string
	// SessionID names the session at the peer; it is the same at each
	// reconnect.
	SessionID string
}

// Conn is a connection to another agent.
type Conn interface {
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

// Limits of a session that talks to other agents.
const (
	// MaxSessionPeers bounds the agents that a session is connected to at a
	// time.
	MaxSessionPeers = 8
	// MaxPeerQueue bounds the messages that wait to be written to one agent,
	// and those that wait for its answer.
	MaxPeerQueue = 32
)

// Mailbox is a session, as its links to other agents need it.
type Mailbox interface {
	// Hear stores a message of a peer and queues its turn.
	Hear(ctx context.Context, m Message) error
	// Refuse tells the session's clients that a message of a peer was not taken.
	Refuse(m Message, err error)
	// Unlinked is called when a link has ended.
	Unlinked()
}

// Message is what a peer says.
type Message struct {
	// Content is JSON.
	Content json.RawMessage
	// From is the peer's URL without user and query.
	From string
	// Correlation is the id of the request that it answers; "" if none.
	Correlation string
	// Cause is the id of the request for whose answer that request was made; ""
	// if there was none.
	Cause string
	// Thread is the thread of requests that the message belongs to; "" if none.
	Thread string
	// Hops counts the agents that the message came through.
	Hops int
}

// ErrTooManyHops is the cause of refusing a message between agents that came
// through too many of them, or is one too many of all that one message caused.
// Agents are not told in words: they might answer.
var ErrTooManyHops = errors.New("too many hops")

// Links are the connections of one session. They implement agent.Peers.
type Links struct {
	network *Network
	id      string
	mailbox Mailbox

	mu   sync.Mutex // guards the following fields; not held while the mailbox is called
	list map[string]*link
}

// Links returns the links of a session, of which there are none yet. The id is
// the session's, with its agent.
func (p *Network) Links(id string, m Mailbox) *Links {
	return &Links{network: p, id: id, mailbox: m}
}

// None reports whether there is no link.
func (s *Links) None() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list) == 0
}

// Close ends the links because of cause; nothing that they hear from then on is
// taken. The contexts of bodies that might begin others have to be ended before.
func (s *Links) Close(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.list {
		l.cancel(cause)
	}
	s.list = nil
}

// Connect implements agent.Peers.
func (s *Links) Connect(ctx context.Context, r agent.PeerRequest) error {
	for {
		l, err := s.link(ctx, r)
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
func (s *Links) Send(ctx context.Context, r agent.PeerRequest) (correlation string, err error) {
	hops, thread := r.About.Hops+1, threadFor(&r.About, s.id)
	if err := s.crosses(ctx, thread, hops); err != nil {
		return "", err
	}
	q := &request{hops: hops, thread: thread, cause: r.About.Request(), written: make(chan error, 1), frame: payload.Frame{
		Action: payload.ReplyStr, Message: r.Content, Correlation: correlationIn(thread), Hops: hops,
	}}
	for {
		l, err := s.link(ctx, r)
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
func (s *Links) link(ctx context.Context, r agent.PeerRequest) (*link, error) {
	name, err := peerName(r.URL)
	if err != nil {
		return nil, err
	}
	session := r.Session
	if session == "" {
		session = uuid.NewString()
	}
	l, err := s.begin(ctx, r.URL, name, session, r.About.Hops)
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
		return "", fault.New(fault.Invalid, "peer_address_invalid", "the other agent's address is not a URL")
	}
	if u.Scheme != "ws" && u.Scheme != "wss" || u.Hostname() == "" {
		return "", fault.New(fault.Invalid, "peer_address_scheme", "another agent's address begins with ws:// or wss:// and a host")
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath(), nil
}
