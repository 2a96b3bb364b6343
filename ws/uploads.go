package ws

import (
	"sync"

	"docent/internal/fault"
)

// uploads counts the memory of long messages, from when they are received until
// they are done with: of all clients, and of each who sends them, so that nobody
// keeps the others from sending theirs.
type uploads struct {
	most, share int64

	mu  sync.Mutex // guards what follows
	all int64
	of  map[string]int64 // without those that have nothing
}

// take counts n bytes more of somebody; fault.Busy if they are too many.
func (u *uploads) take(who string, n int64) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.of[who]+n > min(u.share, u.most):
		return fault.New(fault.Busy, "own_uploads_busy", "too many files of yours are being received; try again in a moment")
	case u.all+n > u.most:
		return fault.New(fault.Busy, "uploads_busy", "too many files are being received; try again in a moment")
	}
	u.all += n
	u.of[who] += n
	return nil
}

// free is the reverse of take.
func (u *uploads) free(who string, n int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.all -= n
	if u.of[who] -= n; u.of[who] == 0 {
		delete(u.of, who)
	}
}

// bytes is how much is counted.
func (u *uploads) bytes() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.all
}

// sharer is whose share of uploads counts what the client sends: its principal's,
// or, where everybody is the same, its address's.
func (c *connection) sharer() string {
	if c.server.cfg.Authenticate == nil {
		return c.from.Value()
	}
	return c.who.ID
}
