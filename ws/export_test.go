package ws

import (
	"context"
	"net/http"
	"sync"
	"time"

	"docent/agent/session"
	"docent/auth"
	"docent/payload"
	"docent/ws/dialect"
)

// Limits are bounds of a Server that only tests change.
type Limits = fixedLimits

// With returns the configuration with other limits.
func (c Config) With(l Limits) Config {
	c.fixed = l
	return c
}

// Echo returns each client's messages. It uses this package without an agent.
func Echo() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cfg := Config{Rate: 1e9, Burst: 1 << 30}
		_ = cfg.defaults() // only the runtime is missing
		echoing.Do(func() { echo = newServer(cfg) })
		socket, err := echo.upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		everybody := auth.Anyone()
		u := upgrade{name: bafName, who: &everybody, begin: func(c *Connection) Handler { return &echoer{talk{c: c}} }}
		c := newConnection(echo, socket, u, cancel)
		c.place = place{echo.bounds.anonymous, ""}
		c.sub.Store(&session.Subscription{})
		go c.echo(ctx)
	})
}

// echo has the reader of a connection that belongs to no server.
func (c *Connection) echo(ctx context.Context) {
	for {
		_, r, err := c.socket.NextReader()
		if err != nil || !c.act(ctx, r) {
			break
		}
	}
	_ = c.socket.Close()
	c.out.stop()
	c.out.awaitEnd()
}

var (
	echoing sync.Once
	echo    *Server
)

// echoer is a Handler that sends back each message.
type echoer struct{ talk }

func (e *echoer) Decode(m dialect.Message) func(ctx context.Context) {
	frame, refusal := payload.DecodeBAF(m.Data)
	return func(ctx context.Context) {
		if e.c.Allow() == nil && refusal == nil && ctx.Err() == nil {
			e.send(payload.Frame{Action: payload.ReplyStr, Message: frame.Message, Time: time.Now()})
		}
	}
}
