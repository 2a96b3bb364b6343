package client

import (
	"context"
	"crypto/tls"
	"log/slog"
	"strings"

	"docent/agent/peer"

	"docent/internal/fault"
)

// peerReadLimit bounds a frame of a peer in bytes. Messages to agents are short;
// larger frames, such as pictures for users, are skipped.
const peerReadLimit = 1 << 20

// DialerConfig configures a Dialer.
type DialerConfig struct {
	// Hosts are the only hosts that agents may connect to: names or addresses,
	// with a port to allow only that port. Default: nil, any host.
	Hosts []string
	// TLS configures wss. Default: nil, the system's authorities.
	TLS *tls.Config
	// Logger logs skipped frames, without their content. Default: nil, which
	// discards.
	Logger *slog.Logger
}

// Dialer connects agents to other agents; it is a [peer.Dialer]. The author of
// an agent chooses its URLs. If users can influence them, set
// DialerConfig.Hosts.
type Dialer struct {
	cfg   DialerConfig
	hosts map[string]bool
}

// NewDialer returns a dialer. An invalid host is fault.Invalid.
func NewDialer(cfg DialerConfig) (*Dialer, error) {
	d := &Dialer{cfg: cfg, hosts: map[string]bool{}}
	for _, h := range cfg.Hosts {
		if h == "" || strings.ContainsAny(h, "/@?# ") {
			return nil, fault.New(fault.Invalid, "client_host_invalid", "DialerConfig.Hosts: %q is not a host", h)
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

// allowed reports whether a host is on the list, if there is a list.
func (d *Dialer) allowed(t target) bool {
	host := strings.ToLower(t.url.Host)
	name := strings.ToLower(t.url.Hostname())
	return len(d.cfg.Hosts) == 0 || d.hosts[host] || d.hosts[name]
}
