package wiring

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"docent/internal/fault"
)

// connections counts and bounds the open HTTP connections. A further one takes the
// place of the connection that has been idle longest. If none is idle, it is
// closed. So idle connections, however many, shut nobody out. WebSockets have a
// bound of their own.
type connections struct {
	max int

	mu   sync.Mutex // guards the fields below
	open int
	idle *list.List // of net.Conn, idle longest first
	at   map[net.Conn]*list.Element
}

func newConnections(most int) *connections {
	return &connections{max: most, idle: list.New(), at: map[net.Conn]*list.Element{}}
}

// watch is for http.Server.ConnState.
func (c *connections) watch(conn net.Conn, state http.ConnState) {
	if excess := c.note(conn, state); excess != nil {
		_ = excess.Close() // the server notices and reports StateClosed
	}
}

// note notes the state of a connection. It returns a connection to close, or nil.
func (c *connections) note(conn net.Conn, state http.ConnState) (excess net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.at[conn]; e != nil {
		c.idle.Remove(e)
		delete(c.at, conn)
	}
	switch state {
	case http.StateNew:
		if c.open++; c.open > c.max {
			if excess = conn; c.idle.Len() > 0 {
				excess = c.idle.Remove(c.idle.Front()).(net.Conn) //nolint:forcetypeassert // the list has only connections
				delete(c.at, excess)
			}
		}
	case http.StateIdle:
		c.at[conn] = c.idle.PushBack(conn)
	case http.StateHijacked, http.StateClosed:
		c.open--
	case http.StateActive:
	}
	return excess
}

// Listen listens on an address. For an IPv4 address, it accepts only IPv4.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	network := "tcp"
	if at, err := netip.ParseAddrPort(addr); err == nil && at.Addr().Is4() {
		network = "tcp4"
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, network, addr)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "cli_listen", "%w; choose another address with --addr HOST:PORT", err)
	}
	return listener, nil
}
