package ws

import (
	"context"
	"time"
)

// beats is the number of checks for due pings in each Config.PingEvery. One
// goroutine serves all connections, because a timer for each would need much
// memory.
const beats = 8

// heartbeat sends pings until ctx ends.
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
		}
	}
}

// due returns the connections with a ping due.
func (s *Server) due(now time.Time) (due []*Connection) {
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
