// Package dial connects to the servers of sources. It refuses non-public
// addresses, so that sources cannot reach the server's own network.
package dial

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"docent/internal/fault"
)

// connectTimeout bounds connecting to a server.
const connectTimeout = 15 * time.Second

// reserved are the non-public networks that netip does not recognize as
// private, loopback, link-local, multicast, or unspecified.
var reserved = prefixes(
	"0.0.0.0/8",       // this network
	"100.64.0.0/10",   // carrier-grade NAT
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"240.0.0.0/4",     // reserved and broadcast
	"::/96",           // IPv4-compatible
	"64:ff9b:1::/48",  // local NAT64
	"100::/64",        // discard
	"2001::/23",       // protocol assignments, Teredo
	"2001:db8::/32",   // documentation
	"3fff::/20",       // documentation
	"5f00::/16",       // segment routing
	"fec0::/10",       // site-local
)

// nat64 and sixToFour are prefixes of IPv6 addresses that carry an IPv4 address.
var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// Public reports whether an address belongs to the public internet. Loopback,
// private, link-local, multicast, and reserved addresses are not public. Public
// also checks an IPv4 address inside an IPv6 address.
func Public(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() || !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	for _, p := range reserved {
		if p.Contains(addr) {
			return false
		}
	}
	raw := addr.As16()
	switch {
	case nat64.Contains(addr):
		return Public(netip.AddrFrom4([4]byte(raw[12:16])))
	case sixToFour.Contains(addr):
		return Public(netip.AddrFrom4([4]byte(raw[2:6])))
	}
	return true
}

// Dialer returns a dial function. Unless allowPrivate is set, it refuses
// addresses that are not public. It checks the resolved address of every
// connection, so host names and redirects cannot bypass it.
func Dialer(allowPrivate bool) *net.Dialer {
	d := &net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}
	if !allowPrivate {
		d.ControlContext = guard
	}
	return d
}

// Func connects to a server.
type Func func(ctx context.Context, network, address string) (net.Conn, error)

// Or returns the function, or that of Dialer if it is nil.
func (f Func) Or(allowPrivate bool) Func {
	if f == nil {
		return Dialer(allowPrivate).DialContext
	}
	return f
}

func guard(_ context.Context, network, address string, _ syscall.RawConn) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return fault.New(fault.Forbidden,
			"connection_unchecked", "the address of the %s connection cannot be checked: %s", network, address)
	}
	if !Public(addr.Addr()) {
		return private(addr.Addr())
	}
	return nil
}

func private(addr netip.Addr) error {
	return fault.New(fault.Forbidden,
		"private_address", "%s is a private address; to allow it, start docent with --sources-private", addr.Unmap())
}

// CheckHost returns an error if the host is a non-public IP address. It detects
// wrong settings early. It does not resolve host names; the dialer checks them.
func CheckHost(host string, allowPrivate bool) error {
	if allowPrivate {
		return nil
	}
	if addr, err := netip.ParseAddr(host); err == nil && !Public(addr) {
		return private(addr)
	}
	if host == "localhost" {
		return fmt.Errorf("localhost: %w", private(netip.AddrFrom4([4]byte{127, 0, 0, 1})))
	}
	return nil
}
