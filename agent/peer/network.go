package peer

import (
	"log/slog"
	"sync"
)

// maxEchoing bounds the peers of which a runtime remembers that they repeat
// correlation ids; of others it finds out again.
const maxEchoing = 1000

// Config makes a Network.
type Config struct {
	// Dialer connects to other agents. Default: nil, sending then fails.
	Dialer Dialer
	// MaxLinks bounds the connections of all sessions together.
	MaxLinks int
	// MaxHops bounds how many agents a message may come through.
	MaxHops int
	// MaxExchange bounds the messages that one message of a user may cause.
	MaxExchange int
	// Logger logs failures.
	Logger *slog.Logger
	// Go runs f in a goroutine that the runtime waits for; false if it shuts down.
	Go func(f func()) bool
}

// Network is the part of a runtime that is about other agents.
type Network struct {
	cfg Config

	mu      sync.Mutex // guards the following fields
	links   int
	echoing map[string]bool // by the peer's name
	spent   spending
}

// New returns a network without links.
func New(cfg Config) *Network { return &Network{cfg: cfg} }

// take counts a link; false if there are limit already.
func (p *Network) take(limit int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.links >= limit {
		return false
	}
	p.links++
	return true
}

// give counts a link off.
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

// remember notes that a peer repeats ids.
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
