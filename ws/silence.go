package ws

import "time"

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
	case c.tookAt.After(c.heardAt):
		return c.tookAt.Add(c.server.cfg.Silence)
	}
	return c.heardAt.Add(c.server.cfg.Silence)
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
