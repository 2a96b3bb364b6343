package peer

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"docent/internal/errlog"
	"docent/internal/fault"
)

// run is the link's goroutine.
func (l *link) run(ctx context.Context) {
	var err error
	for err == nil {
		var conn Conn
		if conn, err = l.connect(ctx); err == nil {
			err = l.serve(ctx, conn)
		}
	}
	if errors.Is(err, errPeerIdle) {
		err = nil
	}
	if err != nil && ctx.Err() == nil {
		l.log(ctx, "peer lost", err)
		err = fault.Wrap(fault.Unavailable, err, "peer_unreachable", "the other agent cannot be reached")
	}
	l.cancel(nil)
	l.end(err)
}

// end removes the link from its session.
func (l *link) end(err error) {
	l.mu.Lock()
	l.ended, l.err = true, err
	waiting := l.x.waiting
	l.x = exchange{}
	l.mu.Unlock()
	s := l.links
	s.mu.Lock()
	if s.list[l.url] == l {
		delete(s.list, l.url)
	}
	s.mu.Unlock()
	s.network.give()
	s.mailbox.Unlinked()
	close(l.done)
	for _, r := range waiting {
		if err == nil { // impossible: an idle link has none
			err = errLinkEnded
		}
		r.tell(err)
	}
}

// connect connects, with several attempts if necessary.
func (l *link) connect(ctx context.Context) (Conn, error) {
	for {
		if err := l.pause(ctx); err != nil {
			return nil, err
		}
		conn, err := l.links.network.cfg.Dialer.Dial(ctx, DialRequest{URL: l.url, SessionID: l.session})
		switch {
		case err == nil && ctx.Err() == nil:
			return conn, nil
		case err == nil:
			return nil, errors.Join(context.Cause(ctx), conn.Close())
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !fault.KindOf(err).Retryable() || l.failed() >= l.attempts():
			return nil, err
		}
	}
}

// attempts returns the maximum number of connection attempts.
func (l *link) attempts() int {
	select {
	case <-l.up:
		return peerReturns
	default:
		return peerAttempts
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
	errPeerGone = fault.New(fault.Unavailable, "peer_disconnected", "the connection to the other agent broke")
)

// serve uses a connection until it ends. nil means that the link connects again.
func (l *link) serve(ctx context.Context, conn Conn) error {
	reading, leave := context.WithCancel(ctx)
	gone := make(chan struct{})
	select { // a message of the previous connection is not a greeting of this one
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
	leave() // wakes a reader that does not wait for the connection
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
	if l.failures >= l.attempts() {
		return errPeerGone
	}
	return nil
}

// write sends the waiting requests. nil means that the connection broke.
func (l *link) write(ctx context.Context, conn Conn, gone <-chan struct{}) error {
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

// rest returns how much longer the link may remain idle. If no time is left, the
// link accepts no more requests.
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

// awaitGreeting waits until the peer has greeted or is unlikely to greet.
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

func (l *link) log(ctx context.Context, what string, err error) {
	errlog.Failure(ctx, l.links.network.cfg.Logger, l.links.id, what, err, "peer", l.name)
}
