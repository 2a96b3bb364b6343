package ws

import (
	"net"
	"sync"
	"time"
)

// minUpload is the minimum speed of a half-sent message, in bytes per second.
const minUpload = 8 << 10

// patience sets the read deadline of a connection. The connection is closed at
// the earliest of these times:
//
//   - Config.Silence has passed without a message, ping, or pong, and without
//     progress in sending a long message.
//   - A half-sent message arrives too slowly; see stallAfter.
//   - The client has not said hello in time.
//   - The client has not answered a close frame in time.
type patience struct {
	conn    net.Conn
	silence time.Duration

	mu      sync.Mutex // guards the fields below
	aliveAt time.Time  // time of the last activity of the client
	dueAt   time.Time  // when more of the current message must have arrived; zero without one
	helloBy time.Time  // zero after the client has said hello, or if it need not
	closeBy time.Time  // zero until a close frame is sent
}

// alive records activity of the client.
func (p *patience) alive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aliveAt = time.Now()
	p.setLocked()
}

// begin records the beginning of a message.
func (p *patience) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aliveAt = time.Now()
	p.dueAt = p.aliveAt.Add(stallAfter)
	p.setLocked()
}

// progress records that n bytes of the message arrived.
func (p *patience) progress(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aliveAt = time.Now()
	p.dueAt = p.dueAt.Add(time.Duration(n) * time.Second / minUpload)
	if latest := p.aliveAt.Add(stallAfter); p.dueAt.After(latest) {
		p.dueAt = latest
	}
	p.setLocked()
}

// complete records the end of the message.
func (p *patience) complete() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dueAt = time.Time{}
}

// awaitHello sets the deadline for the hello, or removes it.
func (p *patience) awaitHello(by time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.helloBy = by
	p.setLocked()
}

// awaitClose sets the deadline for the answer to a close frame.
func (p *patience) awaitClose(by time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeBy = by
	p.setLocked()
}

// stalled reports whether a half-sent message makes no progress.
func (p *patience) stalled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.dueAt.IsZero() && p.helloBy.IsZero() && !time.Now().Before(p.dueAt)
}

func (p *patience) setLocked() {
	deadline := p.aliveAt.Add(p.silence)
	switch {
	case !p.closeBy.IsZero():
		deadline = p.closeBy
	case !p.helloBy.IsZero():
		deadline = p.helloBy
	case !p.dueAt.IsZero() && p.dueAt.Before(deadline):
		deadline = p.dueAt
	}
	_ = p.conn.SetReadDeadline(deadline) // the next read fails if the socket is closed
}
