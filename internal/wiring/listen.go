package wiring

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"docent/auth"
	"docent/internal/fault"
)

// connections counts and bounds the open HTTP connections. A further one takes the
// place of one of the address with the most connections. That is the connection that has
// waited longest for a request. If none waits, it is the newest one. So one host cannot
// shut out others.
type connections struct {
	max int

	mu    sync.Mutex // guards the fields below
	open  int
	hosts map[string]*host
	at    map[net.Conn]*spot
}

// host has the connections of an address.
type host struct {
	waiting *list.List // of net.Conn without a request, longest first
	active  *list.List // of net.Conn with a request, longest first
}

func (h *host) len() int { return h.waiting.Len() + h.active.Len() }

// spot is the place of a connection in a list of its host.
type spot struct {
	host    string
	in      *list.List // nil if the connection is being closed
	element *list.Element
}

func newConnections(most int) *connections {
	return &connections{max: most, hosts: map[string]*host{}, at: map[net.Conn]*spot{}}
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
	switch state {
	case http.StateNew:
		address := auth.Network(conn.RemoteAddr().String())
		h := c.hosts[address]
		if h == nil {
			h = &host{list.New(), list.New()}
			c.hosts[address] = h
		}
		c.at[conn] = &spot{address, h.waiting, h.waiting.PushBack(conn)}
		if c.open++; c.open > c.max {
			excess = c.busiest(address)
			c.remove(c.at[excess])
		}
	case http.StateIdle, http.StateActive:
		s := c.at[conn]
		if s == nil || s.in == nil {
			return nil // it is being closed
		}
		h := c.hosts[s.host]
		s.in.Remove(s.element)
		if s.in = h.waiting; state == http.StateActive {
			s.in = h.active
		}
		s.element = s.in.PushBack(conn)
	case http.StateHijacked, http.StateClosed:
		if s := c.at[conn]; s != nil {
			c.remove(s)
			delete(c.at, conn)
			c.open--
		}
	}
	return excess
}

// busiest returns a connection of the address with the most connections. With equal
// numbers, it is the given address.
func (c *connections) busiest(address string) net.Conn {
	most := c.hosts[address]
	for _, h := range c.hosts {
		if h.len() > most.len() {
			most = h
		}
	}
	e := most.waiting.Front()
	if e == nil {
		e = most.active.Back()
	}
	return e.Value.(net.Conn) //nolint:forcetypeassert // the lists have only connections
}

// remove takes a connection out of the lists.
func (c *connections) remove(s *spot) {
	if s.in == nil {
		return
	}
	s.in.Remove(s.element)
	s.in = nil
	if c.hosts[s.host].len() == 0 {
		delete(c.hosts, s.host)
	}
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
