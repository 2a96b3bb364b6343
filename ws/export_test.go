package ws

import (
	"context"
	"net/http"
	"sync"
	"time"

	"docent/payload"
)

// Echo serves connections that get back what they say: this package without an
// agent.
func Echo() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cfg := Config{Rate: 1e9, Burst: 1 << 30}
		_ = cfg.defaults() // only the runtime is missing
		echoing.Do(func() { echo = newServer(cfg) })
		hijacked := &hijacker{ResponseWriter: w}
		socket, err := echo.upgrader.Upgrade(hijacked, r, nil)
		if err != nil {
			return
		}
		c := &connection{server: echo, socket: socket, wire: hijacked.wire}
		c.prepare()
		go c.echo(&c.life)
	})
}

var (
	echoing sync.Once
	echo    *Server
)

func (c *connection) echo(ctx context.Context) {
	defer c.wire.Close()
	defer c.life.end()
	for c.wire.await() == nil {
		frame, refusal, err := c.read()
		if err != nil {
			return
		}
		if c.rate.exceeded() == nil && refusal == nil && ctx.Err() == nil {
			c.send(payload.Frame{Action: payload.ReplyStr, Message: frame.Message, Time: time.Now()})
		}
		c.heard()
	}
}

// Ledger is a ledger.
type Ledger struct{ l ledger }

// NewLedger makes one.
func NewLedger(cfg Config) *Ledger { return &Ledger{newLedger(cfg)} }

// Visit is a connection that comes and goes.
func (l *Ledger) Visit(id string, now time.Time) error {
	a, err := l.l.join(id, now)
	if err == nil {
		l.l.part(a)
	}
	return err
}

// Accounts counts those that are kept of principals.
func (l *Ledger) Accounts() int { return len(l.l.known) }

// Dozing counts the connections that no goroutine waits for.
func (s *Server) Dozing() int {
	d := s.dozing()
	if d == nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.conns)
}
