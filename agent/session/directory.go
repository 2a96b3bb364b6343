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
		d.runtime.Drop(key.ID)
		if others := d.runtime.cfg.Replicas; others != nil {
			others.Deleted(key.ID)
		}
	}
	return err
}

// Drop ends the conversation of a session that was deleted, here or by another process.
func (r *Runtime) Drop(id string) {
	r.mu.Lock()
	c := r.sessions[journal.SessionKey{Agent: r.cfg.Agent.Name(), ID: id}]
	r.mu.Unlock()
	r.alarms.take(id)
	if c != nil {
		c.lose(errDeleted, nil)
	}
}
