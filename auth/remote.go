package auth

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

type remoteKey struct{}

// WithRemote returns ctx with the address that wrong attempts are counted for;
// see [Remote]. It is for what outlives the request that somebody came by.
func WithRemote(ctx context.Context, remote string) context.Context {
	return context.WithValue(ctx, remoteKey{}, remote)
}

// RemoteOf returns the address that [WithRemote] put into ctx; "" if there is
// none.
func RemoteOf(ctx context.Context) string {
	remote, _ := ctx.Value(remoteKey{}).(string)
	return remote
}

// Remote is the address that wrong attempts of a request are counted for, as
// [Authenticator.Middleware] has found it; without that, the connection's. An
// IPv6 address is its network's, which one host has all of. "" if there is none.
func Remote(r *http.Request) string {
	if remote, found := r.Context().Value(remoteKey{}).(string); found {
		return remote
	}
	return RemoteBehind(r, nil)
}

// RemoteBehind is the address of who sent a request through proxies: each
// appends to X-Forwarded-For where it has the request from, so the last that is
// no proxy's is the sender's. What stands before that, the sender may have made
// up.
func RemoteBehind(r *http.Request, proxies []netip.Prefix) string {
	addr, ok := parseAddr(r.RemoteAddr)
	if !ok {
		return ""
	}
	trusted := func() bool {
		return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
	}
	entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(entries) - 1; i >= 0 && trusted(); i-- {
		said, ok := parseAddr(strings.TrimSpace(entries[i]))
		if !ok {
			break
		}
		addr = said
	}
	if addr.Is6() {
		network, _ := addr.Prefix(64) // 64 is within an IPv6 address
		return network.String()
	}
	return addr.String()
}

// parseAddr reads an address with or without a port.
func parseAddr(s string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return addr.Unmap().WithZone(""), err == nil
}
