package wiring

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"

	"docent/internal/fault"
)

// maxHTTPConnections bounds the open HTTP connections. Further ones are closed at
// once. WebSockets have a bound of their own.
const maxHTTPConnections = 4096

// connections counts and bounds the HTTP connections.
type connections struct {
	open atomic.Int64
	max  int64
}

// watch is for http.Server.ConnState.
func (c *connections) watch(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if c.open.Add(1) > c.max {
			_ = conn.Close() // the server notices and reports StateClosed
		}
	case http.StateHijacked, http.StateClosed:
		c.open.Add(-1)
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
