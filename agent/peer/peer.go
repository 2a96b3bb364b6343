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

	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
)

// Dialer connects to other agents. It is safe for concurrent use. *client.Dialer implements it.
type Dialer interface {
	// Dial connects. The caller retries after errors of a retryable kind. Errors must not contain secrets of the URL.
	Dial(ctx context.Context, req DialRequest) (Conn, error)
}

// DialRequest is a request to connect.
type DialRequest struct {
	// URL is the agent's URL, ws or wss, as the caller wrote it.
	URL string
	// SessionID identifies the session at the peer. It stays the same when reconnecting.
	SessionID string
}

// Conn is a connection to another agent.
type Conn interface {
	// Send writes a frame. After an error, the peer has not received the whole frame, and the connection is unusable.
	Send(ctx context.Context, f payload.Frame) error
	// Frames yields the peer's frames in order until the connection ends. An error comes last. Only one loop may read them.
	// Leaving it closes the connection.
	Frames() iter.Seq2[payload.Frame, error]
	// Close ends the connection and the loop over Frames. It may be called more than once.
	Close() error
}

// Limits of a session that talks to other agents.
const (
	// MaxSessionPeers limits the concurrent connections of a session to other agents.
	MaxSessionPeers = 8
	// MaxPeerQueue limits the messages that wait to be written to one agent, and those that wait for its answer.
	MaxPeerQueue = 32
)

// Mailbox is the interface of a session for its links.
type Mailbox interface {
	// Hear stores a message of a peer and queues its turn.
	Hear(ctx context.Context, m Message) error
	// Refuse reports a refused message of a peer to the session's clients.
	Refuse(m Message, err error)
	// Unlinked is called after a link has ended.
	Unlinked()
}

// Message is a message of a peer.
type Message struct {
	// Content is the message as JSON.
	Content json.RawMessage
	// From is the peer's URL without user and query.
	From string
	// Correlation is the id of the answered request, or "".
	Correlation string
	// Cause is the id of the incoming request that the answered request was made for, or "".
	Cause string
	// Thread is the thread of the message, or "".
	Thread string
	// Hops counts the agents that the message has passed.
	Hops int
}

// ErrTooManyHops is the cause of refusing a message between agents. The message has passed too many agents, or one message
// of a user has caused too many messages. Agents receive no error, because they might answer it.
var ErrTooManyHops = errors.New("too many hops")

// Links are the connections of one session. They implement agent.Peers.
type Links struct {
	network *Network
	id      string
	mailbox Mailbox

	mu   sync.Mutex // guards the following fields; not held while the mailbox is called
	list map[string]*link
}

// Links returns an empty set of links for a session. id identifies the session and its agent.
func (p *Network) Links(id string, m Mailbox) *Links {
	return &Links{network: p, id: id, mailbox: m}
}

// None reports whether there are no links.
func (s *Links) None() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list) == 0
}

// Close ends the links with a cause. They accept no messages afterwards. The caller must first end the contexts of bodies
// that may begin links.
func (s *Links) Close(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.list {
		l.cancel(cause)
	}
	s.list = nil
}

// Connect implements agent.Peers.
func (s *Links) Connect(ctx context.Context, r chat.PeerRequest) error {
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
func (s *Links) Send(ctx context.Context, r chat.PeerRequest) (correlation string, err error) {
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
		select { // it is removed first, and then made again
		case <-l.done:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// link returns the session's link to a URL. It begins one if necessary.
func (s *Links) link(ctx context.Context, r chat.PeerRequest) (*link, error) {
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

// peerName returns the URL of a peer without user and query, which may contain secrets.
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
