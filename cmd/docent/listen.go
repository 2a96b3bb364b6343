package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"

	"docent/config"
	"docent/internal/fault"
)

// maxHTTPConnections bounds open connections beside WebSockets, which have a
// bound of their own; further ones are closed at once.
const maxHTTPConnections = 4096

// maxUnsent is how much of an answer the kernel holds that it cannot send yet,
// in bytes. It would hold megabytes, and take no more until a third of them is
// gone: to the server, a slow download would be one that stands still.
const maxUnsent = 128 << 10

// connections counts those of HTTP and bounds what the kernel holds of them.
type connections struct {
	open atomic.Int64
	max  int64
}

// watch is for http.Server.ConnState.
func (c *connections) watch(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		boundUnsent(conn, maxUnsent)
		if c.open.Add(1) > c.max {
			_ = conn.Close() // the server finds out and tells below
		}
	case http.StateHijacked:
		boundUnsent(conn, 0) // it waits for its client in its own way
		c.open.Add(-1)
	case http.StateClosed:
		c.open.Add(-1)
	}
}

// listen listens on an address; on one of IPv4 with nothing but that.
func listen(ctx context.Context, addr string) (net.Listener, error) {
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

// urlOf is where a browser on this machine finds a listener.
func urlOf(at net.Addr) string {
	addr, ok := at.(*net.TCPAddr)
	if !ok || !addr.IP.IsUnspecified() {
		return "http://" + at.String()
	}
	host := "127.0.0.1"
	if addr.IP.To4() == nil {
		host = "localhost" // [::] may or may not take IPv4 as well
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(addr.Port))
}

// warn says what others can do who reach the address that is served at.
func warn(w io.Writer, cfg config.Config, at net.Addr) {
	switch {
	case cfg.Loopback():
	case cfg.Auth:
		fmt.Fprintf(w, "Others can reach docent at %s. docent itself does not speak TLS: without a proxy in front that does, passwords, cookies and tokens travel in the clear.\n", at)
	default:
		fmt.Fprintf(w, "WARNING: authentication is off (--insecure): whoever reaches %s may read, change and delete everything.\n", at)
	}
}
