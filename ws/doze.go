package ws

import (
	"sync"
	"time"
)

// dozer waits for all idle clients at once, with one goroutine, where the system
// can: one for each would be most of what an idle connection costs.
type dozer struct {
	poll *poll

	mu    sync.Mutex // guards what follows
	over  bool
	conns map[int32]*connection // that doze, by their sockets' numbers
}

// dozing is the dozer of the connections there are; nil where the system has
// none.
func (s *Server) dozing() *dozer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dozer == nil {
		p, err := newPoll()
		if err != nil {
			return nil
		}
		s.dozer = &dozer{poll: p, conns: map[int32]*connection{}}
		s.served.Go(s.dozer.run) // until there are no connections
	}
	return s.dozer
}

// run wakes those of whom something has come, until end.
func (d *dozer) run() {
	ready := make([]int32, 0, pollBatch)
	var err error
	for err == nil {
		for _, fd := range ready {
			d.mu.Lock()
			c := d.conns[fd] // a number may have gone to another, who then looks in vain
			d.mu.Unlock()
			if c != nil {
				c.rouse()
			}
		}
		ready, err = d.poll.wait(ready[:0])
	}
	d.mu.Lock()
	d.over = true
	left := d.wokenLocked(func(*connection) bool { return true })
	d.mu.Unlock()
	for _, c := range left {
		c.rouse()
	}
}

// end ends run. It may be called of a dozer that is nil.
func (d *dozer) end() {
	if d != nil {
		d.poll.close()
	}
}

// watch begins to wait for a connection; false if that cannot be.
func (d *dozer) watch(c *connection) bool {
	again := c.wire.polled
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return false
	}
	err := c.wire.raw.Control(func(fd uintptr) {
		if d.poll.once(int(fd), again) == nil {
			c.wire.polled, c.wire.fd = true, int32(fd)
			d.conns[c.wire.fd] = c
		}
	})
	return err == nil && d.conns[c.wire.fd] == c
}

// forget ends waiting for a connection.
func (d *dozer) forget(c *connection) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conns[c.wire.fd] == c {
		delete(d.conns, c.wire.fd)
	}
}

// wokenLocked are the connections to wake.
func (d *dozer) wokenLocked(wake func(c *connection) bool) (woken []*connection) {
	for _, c := range d.conns {
		if wake(c) {
			woken = append(woken, c)
		}
	}
	return woken
}

// rouseSilent wakes those who may be silent no longer.
func (s *Server) rouseSilent(now time.Time) {
	s.mu.Lock()
	d := s.dozer
	s.mu.Unlock()
	if d == nil {
		return
	}
	d.mu.Lock()
	silent := d.wokenLocked(func(c *connection) bool { return now.Sub(c.heardAt) >= s.cfg.Silence }) // nobody else reads meanwhile
	d.mu.Unlock()
	for _, c := range silent {
		c.rouse()
	}
}

// doze leaves waiting for the client to the dozer, and with it what the reader
// alone uses; false if the caller has to wait.
func (c *connection) doze() bool {
	if c.wire.raw == nil {
		return false
	}
	d := c.server.dozing()
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if d == nil || c.out.closing || !c.closeBy.IsZero() {
		return false
	}
	c.dozer = d
	if c.dozing = d.watch(c); c.dozing {
		_ = c.wire.SetReadDeadline(time.Time{}) // it would cost a timer; rouse sets it
	}
	return c.dozing
}

// rouse has a goroutine of its own wait for the client again.
func (c *connection) rouse() {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.rouseLocked()
}

func (c *connection) rouseLocked() {
	if !c.dozing {
		return
	}
	c.dozing = false
	c.dozer.forget(c)
	_ = c.wire.SetReadDeadline(c.patienceLocked()) // a dead socket is found by reading
	go c.rest(&c.life)
}
