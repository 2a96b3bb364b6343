package session

import (
	"context"
	"time"

	"docent/agent/session/journal"
)

// Directory returns d with another DeleteSession and ExpireSessions. They also end sessions in memory:
// they stop running turns and tell the clients.
func (a *Agents) Directory(d journal.Directory) journal.Directory { return &directory{d, a} }

// Directory is Agents.Directory for one agent.
func (r *Runtime) Directory(d journal.Directory) journal.Directory {
	return (&Agents{[]*Runtime{r}}).Directory(d)
}

type directory struct {
	journal.Directory
	agents *Agents
}

// DeleteSession implements Directory.
func (d *directory) DeleteSession(ctx context.Context, key journal.SessionKey) error {
	err := d.Directory.DeleteSession(ctx, key)
	if err == nil {
		d.end(key)
	}
	return err
}

// ExpireSessions implements Directory.
func (d *directory) ExpireSessions(ctx context.Context, before time.Time, limit int) ([]journal.SessionKey, error) {
	keys, err := d.Directory.ExpireSessions(ctx, before, limit)
	for _, key := range keys {
		d.end(key)
	}
	return keys, err //nolint:wrapcheck // the directory names the operation
}

// end ends a deleted session in the memory of all processes.
func (d *directory) end(key journal.SessionKey) {
	d.agents.Drop(key)
	if others := d.agents.all[0].cfg.Replicas; others != nil {
		others.Deleted(key)
	}
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
