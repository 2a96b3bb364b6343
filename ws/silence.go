package ws

import (
	"errors"
	"time"
)

// heard notes that something came of the peer, or that nobody listened to it.
// Only the reader calls it.
func (c *connection) heard() { c.heardAt = time.Now() }

// alive is heard for those who read.
func (c *connection) alive() error {
	c.heard()
	return nil
}

// took notes that the peer takes a long frame.
func (c *connection) took(now time.Time) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.tookAt = now
}

// patienceLocked is until when something has to be heard of the peer.
func (c *connection) patienceLocked() time.Time {
	switch {
	case !c.closeBy.IsZero():
		return c.closeBy
	case !c.helloBy.IsZero():
		return c.helloBy
	}
	heard := c.heardAt
	if c.tookAt.After(heard) {
		heard = c.tookAt
	}
	until := heard.Add(c.server.cfg.Silence)
	if !c.due.IsZero() && c.due.Before(until) {
		return c.due
	}
	return until
}

// minUpload is how fast a message has to come, in bytes per second.
const minUpload = 8 << 10

// begin notes that a message has begun. A client may send pongs for ever while it
// holds the memory of one that it does not end, so the message itself has to come
// on. Only the reader calls it, and progress and stalled.
func (c *connection) begin() { c.due = c.heardAt.Add(c.server.cfg.Stall) }

// progress notes that n bytes of the message came.
func (c *connection) progress(n int) {
	c.due = c.due.Add(time.Duration(n) * time.Second / minUpload)
	if latest := c.heardAt.Add(c.server.cfg.Stall); c.due.After(latest) {
		c.due = latest
	}
}

// errStalled ends a connection whose message does not come on.
var errStalled = errors.New("a message stood still")

// stalled reports whether a message has not come on for too long.
func (c *connection) stalled() bool {
	return !c.due.IsZero() && c.helloBy.IsZero() && !time.Now().Before(c.due)
}

// prolong lets a read go on whose deadline came; false if the peer has been
// silent for too long. A deadline is only an occasion to look: so that not each
// frame has to move it.
func (c *connection) prolong() bool {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	until := c.patienceLocked()
	return time.Now().Before(until) && c.wire.SetReadDeadline(until) == nil
}

// wakeLater makes the reader look up when nothing comes for a while, as rest is
// then the better place to wait.
func (c *connection) wakeLater() {
	w := c.wire
	if w.wakeAt.Sub(c.heardAt) >= restAfter/2 {
		return
	}
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if c.closeBy.IsZero() {
		w.wakeAt = c.heardAt.Add(min(restAfter, c.server.cfg.Silence))
		_ = w.SetReadDeadline(w.wakeAt) // a dead socket is found by reading
	}
}
