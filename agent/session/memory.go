package session

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"docent/agent"
	"docent/agent/session/journal"
)

// TemporaryMemories keeps facts until the end of the process. Trials of agents use it. The zero value is ready for use.
type TemporaryMemories struct {
	mu  sync.Mutex // guards all
	all []journal.Memory
}

// Remember implements journal.Memories.
func (t *TemporaryMemories) Remember(_ context.Context, m journal.Memory) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = slices.DeleteFunc(t.all, func(have journal.Memory) bool {
		return have.Owner == m.Owner && have.Agent == m.Agent && have.Key == m.Key
	})
	if len(t.all) >= journal.MaxMemories {
		return journal.MemoryFull()
	}
	t.all = append(t.all, m)
	slices.SortFunc(t.all, func(a, b journal.Memory) int {
		return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(a.Key, b.Key))
	})
	return nil
}

// Memories implements journal.Memories.
func (t *TemporaryMemories) Memories(_ context.Context, owner, agent string) ([]journal.Memory, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.all), func(m journal.Memory) bool {
		return m.Owner != owner || agent != "" && m.Agent != agent
	}), nil
}

// Forget implements journal.Memories.
func (t *TemporaryMemories) Forget(_ context.Context, owner, agent, key string) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := len(t.all)
	t.all = slices.DeleteFunc(t.all, func(m journal.Memory) bool {
		return m.Owner == owner && (agent == "" || m.Agent == agent) && (key == "" || m.Key == key)
	})
	return before - len(t.all), nil
}

// memory implements agent.MemoryBackend for the owner of a session.
type memory struct {
	store        journal.Memories
	owner, agent string
	now          func() time.Time
}

// Remember implements agent.MemoryBackend.
func (m memory) Remember(ctx context.Context, key string, value json.RawMessage, until time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return m.store.Remember(ctx, journal.Memory{ //nolint:wrapcheck // the store names the operation
		Owner: m.owner, Agent: m.agent, Key: key, Content: value, UpdatedAt: m.now(), ExpiresAt: until,
	})
}

// Facts implements agent.MemoryBackend.
func (m memory) Facts(ctx context.Context) ([]agent.Fact, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	stored, err := m.store.Memories(ctx, m.owner, m.agent)
	out := make([]agent.Fact, len(stored))
	for i, f := range stored {
		out[i] = agent.Fact{Key: f.Key, Value: f.Content, Updated: f.UpdatedAt}
	}
	return out, err //nolint:wrapcheck // the store names the operation
}

// Forget implements agent.MemoryBackend.
func (m memory) Forget(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	_, err := m.store.Forget(ctx, m.owner, m.agent, key)
	return err //nolint:wrapcheck // the store names the operation
}
