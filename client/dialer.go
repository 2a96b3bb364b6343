package client

import (
	"context"
	"crypto/tls"
	"log/slog"
	"strings"

	"docent/agent/peer"

	"docent/internal/fault"
)

// peerReadLimit bounds a frame of a peer, in bytes: messages to agents are
// short, and what else its users are sent, such as pictures, is not read.
const peerReadLimit = 1 << 20

// DialerConfig makes a Dialer.
type DialerConfig struct {
	// Hosts, if any, are the only ones that agents may connect to: a name or
	// address, with a port if only that is meant. Default: nil, any host.
	Hosts []string
	// TLS is for wss. Default: nil, the system's authorities.
	TLS *tls.Config
	// Logger hears of frames that were skipped, without what they say. Default:
	// nil, which discards.
	Logger *slog.Logger
}

// Dialer lets agents connect to others: it is an [peer.Dialer]. Who writes an
// agent writes the URLs it connects to; where users have a say in them, set
// DialerConfig.Hosts.
type Dialer struct {
	cfg   DialerConfig
	hosts map[string]bool
}

// NewDialer returns a dialer; a host that is none is fault.Invalid.
func NewDialer(cfg DialerConfig) (*Dialer, error) {
	d := &Dialer{cfg: cfg, hosts: map[string]bool{}}
	for _, h := range cfg.Hosts {
		if h == "" || strings.ContainsAny(h, "/@?# ") {
			return nil, fault.New(fault.Invalid, "client_host_invalid", "DialerConfig.Hosts: %q is no host", h)
		}
		d.hosts[strings.ToLower(h)] = true
	}
	return d, nil
}

// Dial implements [peer.Dialer].
func (d *Dialer) Dial(ctx context.Context, req peer.DialRequest) (peer.Conn, error) {
	target, err := parse(req.URL)
	if err != nil {
		return nil, err
	}
	if !d.allowed(target) {
		return nil, fault.New(fault.Forbidden, "client_host_forbidden", "agents may not connect to %s", target.name)
	}
	conn, err := Dial(ctx, Config{
		URL: req.URL, SessionID: req.SessionID, TLS: d.cfg.TLS, Logger: d.cfg.Logger, ReadLimit: peerReadLimit,
	})
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// allowed reports whether the host is on the list, if there is one.
func (d *Dialer) allowed(t target) bool {
	host := strings.ToLower(t.url.Host)
	name := strings.ToLower(t.url.Hostname())
	return len(d.cfg.Hosts) == 0 || d.hosts[host] || d.hosts[name]
}
