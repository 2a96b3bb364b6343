package journal

import (
	"context"
	"encoding/json"
	"time"

	"docent/internal/fault"
)

// MaxMemories bounds the facts that an agent remembers about one user.
const MaxMemories = 500

// Memory is a fact that an agent remembers about a user in all sessions.
type Memory struct {
	// Owner is the principal, or "" without authentication.
	Owner string
	// Agent is the name of the agent.
	Agent string
	// Key is unique for owner and agent.
	Key string
	// Content is the fact as JSON.
	Content json.RawMessage
	// UpdatedAt is the time of the last write.
	UpdatedAt time.Time
	// ExpiresAt is the time at which the fact is gone. Zero means never.
	ExpiresAt time.Time
}

// MemoryFull is the error for a fact too many.
func MemoryFull() error {
	return fault.New(fault.Invalid, "memory_full", "this agent already remembers %d facts about you; let it forget some", MaxMemories)
}

// Memories keeps facts about users. It is safe for concurrent use. Expired facts are gone.
type Memories interface {
	// Remember stores a fact, in place of the one with its key. It fails with fault.Invalid if the
	// agent already remembers MaxMemories others about the owner.
	Remember(ctx context.Context, m Memory) error
	// Memories returns the facts about an owner, of all agents if agent is "". They are ordered by
	// agent and key.
	Memories(ctx context.Context, owner, agent string) ([]Memory, error)
	// Forget removes the facts about an owner, and returns their number. Empty names of the agent and
	// the key mean all.
	Forget(ctx context.Context, owner, agent, key string) (int, error)
}
