package ws

import (
	"net"
	"sync"
	"time"
)

// minUpload is the least speed of a half-sent message, in bytes per second.
const minUpload = 8 << 10

// patience sets the read deadline of a connection. The deadline is the earliest
// time at which the client counts as gone:
//
//   - no sign of life for Config.Silence: no message, ping, or pong came, and the
//     client took no part of a long message;
//   - a half-sent message came on too slowly, see Config.Stall;
//   - the client did not say hello in time;
//   - the client did not answer a close frame in time.
type patience struct {
	conn    net.Conn
	silence time.Duration
	stall   time.Duration

	mu      sync.Mutex // guards the fields below
	aliveAt time.Time  // last sign of life
	dueAt   time.Time  // when more of the message at hand must have come; zero without one
	helloBy time.Time  // zero once the client has said hello, or need not
	closeBy time.Time  // zero until a close frame is sent
}

// alive notes a sign of life.
func (p *patience) alive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aliveAt = time.Now()
	p.setLocked()
}

// begin notes the beginning of a message.
func (p *patience) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aliveAt = time.Now()
	p.dueAt = p.aliveAt.Add(p.stall)
	p.setLocked()
}

// progress notes that n bytes of the message came.
func (p *patience) progress(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aliveAt = time.Now()
	p.dueAt = p.dueAt.Add(time.Duration(n) * time.Second / minUpload)
	if latest := p.aliveAt.Add(p.stall); p.dueAt.After(latest) {
		p.dueAt = latest
	}
	p.setLocked()
}

// complete notes the end of the message.
func (p *patience) complete() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dueAt = time.Time{}
}

// awaitHello sets the time by which the client has to say hello, or none.
func (p *patience) awaitHello(by time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.helloBy = by
	p.setLocked()
}

// awaitClose sets the time by which the client has to answer a close frame.
func (p *patience) awaitClose(by time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeBy = by
	p.setLocked()
}

// stalled reports whether a half-sent message stands still.
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
	_ = p.conn.SetReadDeadline(deadline) // a closed socket shows at the next read
}
