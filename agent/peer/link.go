package peer

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"docent/internal/fault"
)

// link is a session's connection to a peer, with the requests to send. Its goroutine connects, and reconnects after a
// broken connection if something is outstanding. The link ends with a reset or the session, after peerIdle without a
// message, or if the peer cannot be reached.
type link struct {
	links *Links
	// url contains secrets. name is its part for logs and users.
	url, name string
	// session is the id of the session at the peer.
	session string
	// cancel ends the link.
	cancel context.CancelCauseFunc
	// up is closed after the first connection is made.
	up chan struct{}
	// done is closed after the link has ended and the session has removed it. err is the reason, or nil after idle time.
	done chan struct{}
	err  error
	// wake signals a waiting request to the goroutine. said signals a message of the peer.
	wake, said chan struct{}
	// storm slows down a peer that sends too much.
	storm *rate.Limiter

	mu       sync.Mutex // guards the following fields
	x        exchange
	ended    bool      // takes no more requests
	usedAt   time.Time // the time of the last message in either direction
	failures int       // attempts to connect since the last message of the peer
}

// Timeouts and limits of links.
const (
	// peerIdle is the time without a message after which a link ends.
	peerIdle = 5 * time.Minute
	// peerAttempts is the number of attempts for the first connection. peerReturns is the number for reconnecting, which lasts
	// 14 to 28 seconds, enough for an agent that restarts. peerPause is the pause before the second attempt. It doubles up to
	// maxPeerPause. Up to half of it is left out at random, so that sessions do not reconnect at the same time.
	peerAttempts = 5
	peerReturns  = 10
	peerPause    = 250 * time.Millisecond
	maxPeerPause = 5 * time.Second
	// greetingWait is the time that the first message waits for the peer's greeting, unless the peer repeats ids. A later
	// greeting would count as the answer. greetingPause is the silence that ends the greeting.
	greetingWait  = 500 * time.Millisecond
	greetingPause = 50 * time.Millisecond
	// peerRate is the number of messages per second that a peer may send, and peerBurst the number at once. Further messages
	// wait.
	peerRate  = 20
	peerBurst = 60
)

// errLinkEnded asks the caller to begin another link.
var errLinkEnded = errors.New("the link has ended")

// begin returns the session's link to a URL. It begins one if necessary.
func (s *Links) begin(ctx context.Context, url, name, session string, hops int) (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil { // a body that a reset has stopped must not begin a link of the new session
		return nil, context.Cause(ctx)
	}
	if l := s.list[url]; l != nil {
		return l, nil
	}
	n := s.network
	switch {
	case n.cfg.Dialer == nil:
		return nil, fault.New(fault.Unavailable, "peers_off", "this agent cannot reach other agents")
	case len(s.list) >= MaxSessionPeers:
		return nil, fault.New(fault.Busy,
			"session_peers_full", "a conversation may be connected to at most %d other agents", MaxSessionPeers)
	case !n.take(n.cfg.MaxLinks):
		return nil, fault.New(fault.Busy,
			"peers_full", "docent is connected to as many other agents as it can handle; try again in a moment")
	}
	// A link outlives the body that began it.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	l := &link{
		links: s, url: url, name: name, session: session, cancel: cancel,
		up: make(chan struct{}), done: make(chan struct{}), wake: make(chan struct{}, 1), said: make(chan struct{}, 1),
		storm: rate.NewLimiter(peerRate, peerBurst), x: exchange{echoes: n.echoes(name), hops: hops}, usedAt: time.Now(),
	}
	if !n.cfg.Go(func() { l.run(ctx) }) {
		n.give()
		cancel(nil)
		return nil, errClosing
	}
	if s.list == nil {
		s.list = map[string]*link{}
	}
	s.list[url] = l
	return l, nil
}

var errClosing = fault.New(fault.Unavailable, "shutting_down", "docent is shutting down; try again in a moment")

// send queues a request and waits until it is written.
func (l *link) send(ctx context.Context, r *request) error {
	l.mu.Lock()
	switch {
	case l.ended:
		l.mu.Unlock()
		return errLinkEnded
	case !l.x.add(r):
		l.mu.Unlock()
		return fault.New(fault.Busy, "peer_queue_full", "%d messages to another agent are already waiting; try again in a moment", MaxPeerQueue)
	}
	l.mu.Unlock()
	signal(l.wake)
	select {
	case err := <-r.written:
		return err
	case <-ctx.Done():
	}
	l.mu.Lock()
	withdrawn := l.x.withdraw(r)
	l.mu.Unlock()
	if withdrawn {
		return context.Cause(ctx)
	}
	// The request is being written, which is quick.
	if err := <-r.written; !errors.Is(err, errAbandoned) {
		return err
	}
	return context.Cause(ctx)
}

// signal wakes the current or the next waiter.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
