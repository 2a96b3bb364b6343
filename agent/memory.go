package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"docent/agent/chat"
	"docent/embed"
	"docent/internal/errlog"
	"docent/internal/fault"
)

// Limits of facts.
const (
	// MaxFactKey limits a key, in bytes.
	MaxFactKey = 200
	// MaxFact limits a fact as JSON, in bytes.
	MaxFact = 4 << 10
)

// Fact is a fact about a user.
type Fact struct {
	// Key names the fact.
	Key string
	// Value is the fact as JSON.
	Value json.RawMessage
	// Updated is the time of the last write.
	Updated time.Time
}

// Text returns a value that is a text, and the JSON of any other value.
func (f Fact) Text() string {
	var text string
	if json.Unmarshal(f.Value, &text) == nil {
		return text
	}
	return string(f.Value)
}

// MemoryBackend keeps the facts of one agent about one user. It is safe for concurrent use.
type MemoryBackend interface {
	// Remember stores a fact, in place of the one with its key. A zero time means that it stays.
	Remember(ctx context.Context, key string, value json.RawMessage, until time.Time) error
	// Facts returns all facts in the order of their keys.
	Facts(ctx context.Context) ([]Fact, error)
	// Forget removes a fact, if it exists.
	Forget(ctx context.Context, key string) error
}

// Memory keeps facts about the user of a session. All sessions of the user with this agent share them. Without
// authentication, all users share them. The user can see and erase them, and they are deleted with the user.
//
// A fact is stored at once. If the turn runs again after a crash, the same fact is stored again.
type Memory struct{ s *Session }

// MemoryOf returns the memory of a session.
func MemoryOf(s *Session) Memory { return Memory{s} }

func (m Memory) backend() (MemoryBackend, error) {
	if b := m.s.turn.env.Memory; b != nil {
		return b, nil
	}
	return nil, fault.New(fault.Unavailable, "agent_without_memory", "this agent cannot remember facts")
}

// Remember stores a value as JSON under a key. A keep of more than 0 is the time after which the fact is gone. It fails with
// fault.Invalid if the key or the value is too long, or if there are too many facts.
func (m Memory) Remember(ctx context.Context, key string, value any, keep time.Duration) error {
	b, err := m.backend()
	if err != nil {
		return err
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = chat.CheckJSON(data)
	}
	switch {
	case err != nil:
		return fmt.Errorf("fact %q: %w", key, err)
	case key == "" || len(key) > MaxFactKey:
		return fault.New(fault.Invalid, "fact_key_length", "the key of a fact must have 1 to %d bytes", MaxFactKey)
	case len(data) > MaxFact:
		return fault.New(fault.Invalid, "fact_too_long", "the fact %s has %d bytes; at most %d are kept", key, len(data), MaxFact)
	}
	var until time.Time
	if keep > 0 {
		until = m.s.turn.env.Now().Add(keep)
	}
	return errlog.Withhold(b.Remember(ctx, key, data, until))
}

// Recall decodes the fact with a key into to. found reports whether it exists. Without it, to does not change.
func (m Memory) Recall(ctx context.Context, key string, to any) (found bool, err error) {
	all, err := m.All(ctx)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(all, func(f Fact) bool { return f.Key == key })
	if i < 0 {
		return false, nil
	}
	if err := json.Unmarshal(all[i].Value, to); err != nil {
		return true, fmt.Errorf("fact %q: %w", key, err)
	}
	return true, nil
}

// All returns all facts in the order of their keys.
func (m Memory) All(ctx context.Context) ([]Fact, error) {
	b, err := m.backend()
	if err != nil {
		return nil, err
	}
	all, err := b.Facts(ctx)
	return all, errlog.Withhold(err)
}

// Forget removes the fact with a key, if it exists.
func (m Memory) Forget(ctx context.Context, key string) error {
	b, err := m.backend()
	if err != nil {
		return err
	}
	return errlog.Withhold(b.Forget(ctx, key))
}

// static is the built-in embedder, for Search.
var static = sync.OnceValues(embed.NewStatic)

// Search returns at most n facts whose key and text come closest to the meaning of a text, the closest first.
func (m Memory) Search(ctx context.Context, text string, n int) ([]Fact, error) {
	all, err := m.All(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	embedder, err := static()
	if err != nil {
		return nil, fmt.Errorf("search facts: %w", err)
	}
	texts := []string{text}
	for _, f := range all {
		texts = append(texts, strings.ReplaceAll(f.Key, "_", " ")+": "+f.Text())
	}
	vectors, err := embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("search facts: %w", err)
	}
	scores := make(map[string]float32, len(all))
	for i, f := range all {
		scores[f.Key] = dot(vectors[0], vectors[i+1])
	}
	slices.SortStableFunc(all, func(a, b Fact) int { return cmp.Compare(scores[b.Key], scores[a.Key]) })
	return all[:min(len(all), n)], nil
}

// dot returns the similarity of two vectors of length 1.
func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
