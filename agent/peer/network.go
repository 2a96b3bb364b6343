package peer

import (
	"log/slog"
	"sync"
)

// maxEchoing limits the number of peers that a runtime remembers as repeating
// correlation ids. It learns this again for other peers.
const maxEchoing = 1000

// Config configures a Network.
type Config struct {
	// Dialer connects to other agents. Default: nil, sending fails.
	Dialer Dialer
	// MaxLinks limits the connections of all sessions together.
	MaxLinks int
	// MaxHops limits the number of agents that a message may pass.
	MaxHops int
	// MaxExchange limits the messages that one message of a user may cause.
	MaxExchange int
	// Logger logs failures.
	Logger *slog.Logger
	// Go runs f in a goroutine that the runtime waits for. It returns false during shutdown.
	Go func(f func()) bool
}

// Network is the part of a runtime that talks to other agents.
type Network struct {
	cfg Config

	mu      sync.Mutex // guards the following fields
	links   int
	echoing map[string]bool // by the peer's name
	spent   spending
}

// New returns a network without links.
func New(cfg Config) *Network { return &Network{cfg: cfg} }

// take counts a new link. It returns false if the limit is reached.
func (p *Network) take(limit int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.links >= limit {
		return false
	}
	p.links++
	return true
}

// give subtracts a link.
func (p *Network) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links--
}

// echoes reports whether a peer is known to repeat ids.
func (p *Network) echoes(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.echoing[name]
}

// remember records that a peer repeats ids.
func (p *Network) remember(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.echoing) >= maxEchoing {
		return
	}
	if p.echoing == nil {
		p.echoing = map[string]bool{}
	}
	p.echoing[name] = true
}
