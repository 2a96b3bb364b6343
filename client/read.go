package client

import (
	"bytes"
	"io"
	"time"
)

// read returns the next frame within the limit.
func (c *Conn) read() ([]byte, error) {
	for {
		_, r, err := c.socket.NextReader()
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		arriving := &arriving{r: r, c: c, at: time.Now()}
		n, err := io.Copy(&b, io.LimitReader(arriving, c.cfg.ReadLimit+1))
		if err != nil {
			return nil, err
		}
		if n > c.cfg.ReadLimit { // read to its end, so that the next frame can be read
			skipped, err := io.Copy(io.Discard, arriving)
			if err != nil {
				return nil, err
			}
			c.cfg.Logger.Warn("frame skipped: too long", "bytes", n+skipped)
			continue
		}
		if err := c.alive(); err != nil {
			return nil, err
		}
		return b.Bytes(), nil
	}
}

// alive notes received data. While the connection is closing or broken, only
// closeGrace counts.
func (c *Conn) alive() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.broken {
		return nil
	}
	return c.heard()
}

// arriving reads a frame. Each piece of it counts as a sign of life.
type arriving struct {
	r  io.Reader
	c  *Conn
	at time.Time
}

func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if now := time.Now(); err == nil && now.Sub(a.at) > a.c.cfg.Silence/4 {
		a.at = now
		err = a.c.alive()
	}
	return n, err
}
