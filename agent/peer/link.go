package peer

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"docent/internal/fault"
)

// link is a session's connection to a peer, with what is to be sent over it. Its
// goroutine connects, and again when the connection broke while something was
// outstanding; it ends with a reset or the session, when nothing was said for
// peerIdle, or when the peer cannot be reached.
type link struct {
	links *Links
	// url holds secrets; name is what may be told of it.
	url, name string
	// session is the id of the session at the peer.
	session string
	// cancel ends the link.
	cancel context.CancelCauseFunc
	// up is closed when the first connection is made.
	up chan struct{}
	// done is closed when the link has ended and the session has forgotten it;
	// err is why, nil if because nothing was said for long.
	done chan struct{}
	err  error
	// wake tells the goroutine that something waits to be written, said that
	// the peer has said something.
	wake, said chan struct{}
	// storm slows a peer down that says too much.
	storm *rate.Limiter

	mu       sync.Mutex // guards the following fields
	x        exchange
	ended    bool      // takes no more requests
	usedAt   time.Time // when something was said last, by whichever side
	failures int       // to connect, or to keep a connection, since the peer was heard last
}

// How links behave.
const (
	// peerIdle is how long nothing may be said before a link ends.
	peerIdle = 5 * time.Minute
	// peerAttempts is how often a connection is tried, peerReturns the same
	// after it broke, as an agent that is restarted comes back: for 14 to 28
	// seconds. peerPause is the time before the second attempt, which doubles up
	// to maxPeerPause; a random half of it is left out, so that sessions do not
	// come back in step.
	peerAttempts = 5
	peerReturns  = 10
	peerPause    = 250 * time.Millisecond
	maxPeerPause = 5 * time.Second
	// greetingWait is how long the first message waits for the peer's greeting,
	// unless the peer repeats ids: a greeting that comes later would be taken
	// for the answer. greetingPause is how long nothing may come after it.
	greetingWait  = 500 * time.Millisecond
	greetingPause = 50 * time.Millisecond
	// peerRate is how many messages a second are taken from a peer, and
	// peerBurst how many at once; those beyond wait.
	peerRate  = 20
	peerBurst = 60
)

// errLinkEnded asks to begin another link.
var errLinkEnded = errors.New("the link has ended")

// begin returns the session's link to a URL and begins one if there is none.
func (s *Links) begin(ctx context.Context, url, name, session string, hops int) (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil { // a body that was stopped by a reset begins no link of the session as it is after it
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
		return fault.New(fault.Busy, "peer_queue_full", "%d messages to another agent wait already; try again in a moment", MaxPeerQueue)
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
	// It is being written, which does not take long.
	if err := <-r.written; !errors.Is(err, errAbandoned) {
		return err
	}
	return context.Cause(ctx)
}

// signal wakes who waits, now or next.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
