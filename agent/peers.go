package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
)

// MaxPeerMessageBytes limits a message to another agent, as JSON.
const MaxPeerMessageBytes = 256 << 10

// Peers talks to other agents for one session.
type Peers interface {
	// Connect connects to an agent and waits for the connection.
	Connect(ctx context.Context, r chat.PeerRequest) error
	// Send sends r.Content and returns after it is written. It connects first if necessary. Answers carry the returned
	// correlation id.
	Send(ctx context.Context, r chat.PeerRequest) (correlation string, err error)
}

// CreateAgentConnection connects the session to the agent at a URL, ws or wss, and waits for the connection. It fails with
// fault.Unavailable after several attempts, and with fault.Busy if there are too many connections. SendToPeer connects as
// well. Use CreateAgentConnection to receive the peer's greeting first. The connection ends after five minutes without a
// message, with a reset, and when the session is deleted.
func (s *Session) CreateAgentConnection(ctx context.Context, url string) error {
	r, err := s.peerRequest(url)
	if err != nil {
		return err
	}
	return s.turn.env.Peers.Connect(ctx, r)
}

// SendToPeer sends a message to the agent at a URL, ws or wss, and returns after it is written. The message is a string or
// any value that JSON can encode. The agent's messages arrive as events. They are not Human, and From is the URL without
// user and query. Answers to this message carry the returned id as their Correlation. Peers other than docent answer
// without ids. Their next message counts as the answer to the oldest request.
//
// Each session has one connection per URL. It is made when needed, and again after it breaks. It always uses the same
// session of the peer, unless the URL names one. Messages wait for the connection. SendToPeer fails with fault.Unavailable
// if several attempts to connect fail, and with fault.Busy if too many messages wait.
//
// When a connection breaks, the session repeats unanswered messages only to a docent, which does not answer a message
// twice. Other peers may or may not have received them. An answer may therefore never come. Use State.After to leave a
// state that waits for one.
//
// Two limits stop agents that keep answering each other. Each message counts the agents that it has passed, at most
// session.MaxHops. One message of a user may cause at most peer.DefaultExchange messages in
// this runtime. Messages beyond a limit are neither sent nor received. SendToPeer then fails with fault.Conflict and the
// cause ErrTooManyHops. Greetings are not counted, so two agents must not call each other from their initial states.
func (s *Session) SendToPeer(ctx context.Context, url string, message any) (correlation string, err error) {
	content, err := payload.Marshal(message)
	if err != nil {
		return "", fmt.Errorf("message to a peer: %w", err)
	}
	if len(content) > MaxPeerMessageBytes {
		return "", fault.New(fault.Invalid,
			"peer_message_too_long", "a message to another agent may have at most %d bytes; this one has %d", MaxPeerMessageBytes, len(content))
	}
	r, err := s.peerRequest(url)
	if err != nil {
		return "", err
	}
	r.Content = content
	return s.turn.env.Peers.Send(ctx, r)
}

func (s *Session) peerRequest(url string) (chat.PeerRequest, error) {
	s.turn.mu.Lock()
	over := s.turn.over
	s.turn.mu.Unlock()
	if over {
		return chat.PeerRequest{}, ErrOver
	}
	variable := peerVariable(url)
	var known string
	if _, err := s.Get(variable, &known); err != nil {
		known = "" // something else has overwritten the variable
	}
	remember := func(session string) error {
		if err := s.Set(variable, session); err != nil {
			return fmt.Errorf("remember the session at a peer: %w", err)
		}
		return nil
	}
	return chat.PeerRequest{URL: url, Session: known, Remember: remember, About: s.Event()}, nil
}

// peerVariable returns the name of the session variable that keeps the id of the session at a peer. The variable survives
// lost connections and restarts, and ends with a reset. Its name does not contain the URL, which may include a password.
func peerVariable(url string) string {
	sum := sha256.Sum256([]byte(url))
	return peerSession + hex.EncodeToString(sum[:8])
}
