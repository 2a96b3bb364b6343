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

// WithRemote returns ctx with the client address for counting failed attempts;
// see [Remote]. Use it for work that outlives the request.
func WithRemote(ctx context.Context, remote string) context.Context {
	return context.WithValue(ctx, remoteKey{}, remote)
}

// RemoteOf returns the address that [WithRemote] put into ctx; "" if there is
// none.
func RemoteOf(ctx context.Context) string {
	remote, _ := ctx.Value(remoteKey{}).(string)
	return remote
}

type clientKey struct{}

// WithClient returns ctx with the description of the client's program, such as the header
// User-Agent. New logins keep it.
func WithClient(ctx context.Context, client string) context.Context {
	return context.WithValue(ctx, clientKey{}, client)
}

// clientOf returns the description that [WithClient] put into ctx, at most MaxClient
// characters.
func clientOf(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	client = strings.ToValidUTF8(client, "")
	if runes := []rune(client); len(runes) > MaxClient {
		client = string(runes[:MaxClient])
	}
	return client
}

// Remote returns the client address for counting failed attempts.
// [Authenticator.Middleware] sets it; otherwise it is the connection's address.
// For IPv6 it is the /64 network, because one host can use all of its addresses.
// Remote returns "" for unknown addresses.
func Remote(r *http.Request) string {
	if remote, found := r.Context().Value(remoteKey{}).(string); found {
		return remote
	}
	return RemoteBehind(r, nil)
}

// RemoteBehind returns the address of the client behind trusted proxies. Each
// proxy appends its sender's address to X-Forwarded-For. The client is therefore
// the last address that belongs to no trusted proxy. The client may have forged
// the entries before it.
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
	return network(addr)
}

// FromProxy reports whether a request comes from a trusted proxy.
func FromProxy(r *http.Request, proxies []netip.Prefix) bool {
	addr, ok := parseAddr(r.RemoteAddr)
	return ok && slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// Network returns the address of a connection, HOST:PORT, as Remote does. It returns ""
// for an unknown address.
func Network(hostPort string) string {
	addr, ok := parseAddr(hostPort)
	if !ok {
		return ""
	}
	return network(addr)
}

// network returns an IPv4 address, or the /64 network of an IPv6 address.
func network(addr netip.Addr) string {
	if addr.Is6() {
		network, _ := addr.Prefix(64) // 64 is within an IPv6 address
		return network.String()
	}
	return addr.String()
}

// parseAddr parses an address with or without a port.
func parseAddr(s string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return addr.Unmap().WithZone(""), err == nil
}
