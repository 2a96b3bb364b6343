package session

import (
	"context"

	"docent/agent/session/journal"
)

// Directory returns d with another DeleteSession. It also ends the session in memory: it stops the
// running turn and tells the clients.
func (r *Runtime) Directory(d journal.Directory) journal.Directory { return &directory{d, r} }

type directory struct {
	journal.Directory
	runtime *Runtime
}

// DeleteSession implements Directory.
func (d *directory) DeleteSession(ctx context.Context, key journal.SessionKey) error {
	err := d.Directory.DeleteSession(ctx, key)
	if err == nil {
		d.runtime.drop(key)
	}
	return err
}

// drop ends the conversation of a deleted session.
func (r *Runtime) drop(key journal.SessionKey) {
	r.mu.Lock()
	c := r.sessions[key]
	r.mu.Unlock()
	r.alarms.Take(key.ID)
	if c != nil {
		c.lose(errDeleted, nil)
	}
}
