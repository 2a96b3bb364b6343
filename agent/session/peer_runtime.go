package session

import "sync"

// maxEchoing bounds the peers of which a runtime remembers that they repeat
// correlation ids; of others it finds out again.
const maxEchoing = 1000

// peering is what a runtime knows of the peers of all its sessions.
type peering struct {
	mu      sync.Mutex // guards what follows
	links   int
	echoing map[string]bool // by the peer's name
	spent   spending
}

// take counts a link; false if there are limit already.
func (p *peering) take(limit int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.links >= limit {
		return false
	}
	p.links++
	return true
}

// give counts a link off.
func (p *peering) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links--
}

// echoes reports whether a peer is known to repeat ids.
func (p *peering) echoes(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.echoing[name]
}

// remember notes that a peer repeats ids.
func (p *peering) remember(name string) {
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
