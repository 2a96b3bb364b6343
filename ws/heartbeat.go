package ws

import (
	"context"
	"time"

	"github.com/gorilla/websocket"
)

// beats is how often, per Config.PingEvery, connections are looked at that a
// ping is due for. One goroutine does it for all: a timer of its own would cost
// each connection more.
const beats = 8

// heartbeat pings, and wakes who has dozed for too long, until ctx ends.
func (s *Server) heartbeat(ctx context.Context) {
	defer s.served.Done()
	ticker := time.NewTicker(max(min(s.cfg.PingEvery, s.cfg.Silence)/beats, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			for _, c := range s.due(now) {
				c.ping()
			}
			s.rouseSilent(now)
		}
	}
}

// due are the connections that a ping is due for.
func (s *Server) due(now time.Time) (due []*connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if !now.Before(c.pingAt) {
			c.pingAt = now.Add(s.cfg.PingEvery)
			due = append(due, c)
		}
	}
	return due
}

// ping sends a ping, unless one waits behind what the client does not read.
func (c *connection) ping() {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if c.out.closing || c.out.writing {
		return
	}
	c.server.meters.pings.Inc()
	c.pushLocked(item{data: controlFrame(websocket.PingMessage, nil)})
}

// pong answers a ping.
func (c *connection) pong(data string) error {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if !c.out.closing {
		c.queueLocked(item{data: controlFrame(websocket.PongMessage, []byte(data))})
	}
	return nil
}
