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
			_ = conn.Close() // the server finds out and tells below
		}
	case http.StateHijacked, http.StateClosed:
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
		return nil, fault.New(fault.Unavailable, "%w; choose another address with --addr HOST:PORT", err)
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
