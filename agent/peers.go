package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"docent/internal/fault"
	"docent/payload"
)

// MaxPeerMessageBytes bounds a message to another agent, as JSON.
const MaxPeerMessageBytes = 256 << 10

// Peers talks to other agents for one session.
type Peers interface {
	// Connect connects to an agent and returns when that has succeeded.
	Connect(ctx context.Context, r PeerRequest) error
	// Send sends r.Content, connecting first if need be, and returns when it is
	// written. correlation is the id that answers carry.
	Send(ctx context.Context, r PeerRequest) (correlation string, err error)
}

// PeerRequest is a message to another agent, or asks for a connection.
type PeerRequest struct {
	// URL is the agent's, ws or wss.
	URL string
	// Session is the id of the session at the peer; "" if none is known yet.
	Session string
	// Remember is called with the session's id if it is not Session.
	Remember func(session string) error
	// Content is the message, as JSON.
	Content json.RawMessage
	// About is the event because of which the message is sent.
	About Event
}

// CreateAgentConnection connects the session to the agent at a URL, ws or wss,
// and returns when that has succeeded: fault.Unavailable says that it did not,
// after several attempts, fault.Busy that there are too many connections. The
// first SendToPeer connects as well; this is for hearing the peer's greeting
// before. The connection ends after five minutes without a message, with a
// reset, and when the session is deleted.
func (s *Session) CreateAgentConnection(ctx context.Context, url string) error {
	r, err := s.peerRequest(url)
	if err != nil {
		return err
	}
	return s.turn.env.Peers.Connect(ctx, r)
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
// When a connection breaks, the session sends its unanswered messages again only
// to a docent, which does not answer a message twice. Other peers may or may not
// have received them. An answer may therefore never come. Give a state that waits
// for one a way out with State.After.
//
// Agents that answer each other are stopped: each message counts the agents it
// went through, and one that went through more than session.RuntimeConfig.MaxHops is
// neither sent nor heard, and nor is one beyond the session.RuntimeConfig.MaxExchange
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
	r, err := s.peerRequest(url)
	if err != nil {
		return "", err
	}
	r.Content = content
	return s.turn.env.Peers.Send(ctx, r)
}

func (s *Session) peerRequest(url string) (PeerRequest, error) {
	s.turn.mu.Lock()
	over := s.turn.over
	s.turn.mu.Unlock()
	if over {
		return PeerRequest{}, ErrOver
	}
	variable := peerVariable(url)
	var known string
	if _, err := s.Get(variable, &known); err != nil {
		known = "" // overwritten with something else
	}
	remember := func(session string) error {
		if err := s.Set(variable, session); err != nil {
			return fmt.Errorf("remember the session at a peer: %w", err)
		}
		return nil
	}
	return PeerRequest{URL: url, Session: known, Remember: remember, About: s.Event()}, nil
}

// peerVariable names the session variable that keeps the id of the session at a
// peer, so that it outlives connections and restarts, and ends with a reset. It
// does not tell the URL, which may hold a password.
func peerVariable(url string) string {
	sum := sha256.Sum256([]byte(url))
	return peerSession + hex.EncodeToString(sum[:8])
}
