package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"docent/internal/fault"
	"docent/payload"
)

// link is a session's connection to a peer, with what is to be sent over it. Its
// goroutine connects, and again when the connection broke while something was
// outstanding; it ends with a reset or the session, when nothing was said for
// peerIdle, or when the peer cannot be reached.
type link struct {
	c *conversation
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

	mu       sync.Mutex // guards what follows
	x        exchange
	ended    bool      // takes no more requests
	usedAt   time.Time // when something was said last, by whichever side
	failures int       // to connect, or to keep a connection, since the peer was heard last
}

// How links behave.
const (
	// peerIdle is how long nothing may be said before a link ends.
	peerIdle = 5 * time.Minute
	// peerAttempts is how often a connection is tried, and peerPause the time
	// before the second attempt, which doubles up to maxPeerPause; a random
	// half of it is left out, so that sessions do not come back in step.
	peerAttempts = 5
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

// link returns the session's link to a URL and begins one if there is none.
func (c *conversation) link(ctx context.Context, url, name, session string, hops int) (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil { // a body that was stopped by a reset begins no link of the session as it is after it
		return nil, context.Cause(ctx)
	}
	if l := c.peers[url]; l != nil {
		return l, nil
	}
	switch {
	case c.rt.cfg.Dialer == nil:
		return nil, fault.New(fault.Unavailable, "this agent cannot reach other agents")
	case c.gone:
		return nil, c.err
	case len(c.peers) >= MaxSessionPeers:
		return nil, fault.New(fault.Busy, "a conversation may be connected to at most %d other agents", MaxSessionPeers)
	case !c.rt.peering.take(c.rt.cfg.MaxPeers):
		return nil, fault.New(fault.Busy, "docent is connected to as many other agents as it can be; try again in a moment")
	case !c.rt.begin():
		c.rt.peering.give()
		return nil, errClosing
	}
	// A link outlives the body that began it.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	l := &link{
		c: c, url: url, name: name, session: session, cancel: cancel,
		up: make(chan struct{}), done: make(chan struct{}), wake: make(chan struct{}, 1), said: make(chan struct{}, 1),
		storm: rate.NewLimiter(peerRate, peerBurst), x: exchange{echoes: c.rt.peering.echoes(name), hops: hops}, usedAt: time.Now(),
	}
	if c.peers == nil {
		c.peers = map[string]*link{}
	}
	c.peers[url] = l
	go l.run(ctx)
	return l, nil
}

// closePeersLocked ends the links of a session; nothing that they hear from
// then on is taken.
func (c *conversation) closePeersLocked(cause error) {
	for _, l := range c.peers {
		l.cancel(cause)
	}
	c.peers = nil
}

// send queues a request and waits until it is written.
func (l *link) send(ctx context.Context, r *request) error {
	l.mu.Lock()
	switch {
	case l.ended:
		l.mu.Unlock()
		return errLinkEnded
	case !l.x.add(r):
		l.mu.Unlock()
		return fault.New(fault.Busy, "%d messages to another agent wait already; try again in a moment", MaxPeerQueue)
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
	return <-r.written // it is being written, which does not take long
}

// signal wakes who waits, now or next.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run is the link's goroutine.
func (l *link) run(ctx context.Context) {
	defer l.c.rt.running.Done()
	var err error
	for err == nil {
		var conn PeerConn
		if conn, err = l.connect(ctx); err == nil {
			err = l.serve(ctx, conn)
		}
	}
	if errors.Is(err, errPeerIdle) {
		err = nil
	}
	if err != nil && ctx.Err() == nil {
		l.c.logError(ctx, "peer lost", err, "peer", l.name)
		err = fault.Wrap(fault.Unavailable, err, "the other agent cannot be reached")
	}
	l.cancel(nil)
	l.end(err)
}

// end forgets the link.
func (l *link) end(err error) {
	l.mu.Lock()
	l.ended, l.err = true, err
	waiting := l.x.waiting
	l.x = exchange{}
	l.mu.Unlock()
	c := l.c
	c.mu.Lock()
	if c.peers[l.url] == l {
		delete(c.peers, l.url)
	}
	c.rt.peering.give()
	c.dropLocked()
	c.mu.Unlock()
	close(l.done)
	for _, r := range waiting {
		if err == nil { // cannot be: an idle link has none
			err = errLinkEnded
		}
		r.tell(err)
	}
}

// connect connects, several times if need be.
func (l *link) connect(ctx context.Context) (PeerConn, error) {
	for {
		if err := l.pause(ctx); err != nil {
			return nil, err
		}
		conn, err := l.c.rt.cfg.Dialer.Dial(ctx, DialRequest{URL: l.url, SessionID: l.session})
		switch {
		case err == nil && ctx.Err() == nil:
			return conn, nil
		case err == nil:
			return nil, errors.Join(context.Cause(ctx), conn.Close())
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !fault.KindOf(err).Retryable() || l.failed() >= peerAttempts:
			return nil, err
		}
	}
}

// failed counts a failure.
func (l *link) failed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures++
	return l.failures
}

// pause waits before the next attempt to connect.
func (l *link) pause(ctx context.Context) error {
	l.mu.Lock()
	failures := l.failures
	l.mu.Unlock()
	if failures == 0 {
		return nil
	}
	pause := min(peerPause<<(failures-1), maxPeerPause)
	timer := time.NewTimer(pause/2 + rand.N(pause/2)) //nolint:gosec // no secret
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var (
	errPeerIdle = errors.New("nothing was said for long")
	errPeerGone = fault.New(fault.Unavailable, "the connection to the other agent broke")
)

// serve uses a connection until it ends: nil asks to connect again.
func (l *link) serve(ctx context.Context, conn PeerConn) error {
	reading, leave := context.WithCancel(ctx)
	gone := make(chan struct{})
	select { // what the connection before said is no greeting of this one
	case <-l.said:
	default:
	}
	go func() {
		defer close(gone)
		l.read(reading, conn)
	}()
	select {
	case <-l.up:
	default:
		close(l.up)
	}
	err := l.write(ctx, conn, gone)
	leave() // wakes a reader that waits for anything but the connection
	_ = conn.Close()
	<-gone
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures++
	if !l.x.broken() {
		l.ended = true
		return errPeerIdle
	}
	if l.failures >= peerAttempts {
		return errPeerGone
	}
	return nil
}

// write sends what waits; nil tells that the connection broke.
func (l *link) write(ctx context.Context, conn PeerConn, gone <-chan struct{}) error {
	l.awaitGreeting(ctx, gone)
	idle := time.NewTimer(peerIdle)
	defer idle.Stop()
	for {
		for r := l.next(); r != nil; r = l.next() {
			if err := conn.Send(ctx, r.frame); err != nil {
				l.unwritten(r)
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				return nil
			}
			r.tell(nil)
		}
		select {
		case <-l.wake:
		case <-gone:
			return nil
		case <-idle.C:
			rest := l.rest()
			if rest <= 0 {
				return errPeerIdle
			}
			idle.Reset(rest)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// rest is how long the link may still be idle; with none it takes no more
// requests.
func (l *link) rest() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.x.waiting) > 0 {
		return peerIdle
	}
	rest := peerIdle - time.Since(l.usedAt)
	l.ended = rest <= 0
	return rest
}

func (l *link) next() *request {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.x.next()
	if r != nil {
		l.usedAt = time.Now()
	}
	return r
}

func (l *link) unwritten(r *request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.x.unwritten(r)
}

// awaitGreeting waits until the peer has greeted, or probably does not.
func (l *link) awaitGreeting(ctx context.Context, gone <-chan struct{}) {
	if l.echoes() {
		return
	}
	end := time.NewTimer(greetingWait)
	defer end.Stop()
	var pause <-chan time.Time
	for {
		select {
		case <-l.said:
			pause = time.After(greetingPause)
		case <-pause:
			return
		case <-end.C:
			return
		case <-gone:
			return
		case <-ctx.Done():
			return
		}
	}
}

// echoes reports whether the peer is known to repeat ids.
func (l *link) echoes() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.x.echoes
}

// read takes what the peer says, in order.
func (l *link) read(ctx context.Context, conn PeerConn) {
	for frame, err := range conn.Frames() {
		if err != nil {
			l.c.rt.cfg.Logger.DebugContext(ctx, "peer connection ended", "session", l.c.key.ID, "peer", l.name, ErrorAttr(err))
			return
		}
		message, ok := l.hear(frame)
		if !ok {
			continue
		}
		if l.storm.Wait(ctx) != nil || !l.take(ctx, message) {
			return
		}
	}
}

// hear makes a frame a message to this agent; false if it is none.
func (l *link) hear(f payload.Frame) (Message, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.usedAt, l.failures = time.Now(), 0
	content, ok := crossing(f, l.x.echoes || f.Correlation != "")
	if !ok {
		return Message{}, false
	}
	knew := l.x.echoes
	m := Message{Content: content, Wait: true, From: l.name, Hops: max(f.Hops, l.x.hops+1)}
	if r := l.x.match(f); r != nil { // a peer that does not count is counted
		m.Correlation, m.cause, m.Hops = r.frame.Correlation, r.cause, max(f.Hops, r.hops+1)
	}
	if l.x.echoes && !knew {
		l.c.rt.peering.remember(l.name)
	}
	signal(l.said)
	return m, true
}

// take stores a message of the peer; false if the link is of no more use. While
// the store does not answer it tries again, as nobody else would.
func (l *link) take(ctx context.Context, m Message) bool {
	pause := commitPause
	for attempt := 1; ; attempt++ {
		err := l.c.receive(ctx, m)
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil:
			return false
		case attempt == commitAttempts || !fault.KindOf(err).Retryable():
			l.c.logError(ctx, "message of a peer", err, "peer", l.name)
			return fault.KindOf(err) != fault.NotFound
		}
		select {
		case <-time.After(pause):
			pause *= 2
		case <-ctx.Done():
			return false
		}
	}
}
