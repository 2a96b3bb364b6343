package client

import (
	"bytes"
	"io"
	"time"
)

// read returns the next frame that is not too long.
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
		if n > c.cfg.ReadLimit { // read to its end, so that the next can be
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

// alive notes a sign of life; once the connection is being closed or is broken,
// only closeGrace counts.
func (c *Conn) alive() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.broken {
		return nil
	}
	return c.heard()
}

// arriving is a frame that arrives: what comes of it is a sign of life, however
// slowly it does.
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
