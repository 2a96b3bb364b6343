package sessiontest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/storetest"
)

var memoryTests = map[string]func(*testing.T, Database){
	"Facts": memoryFacts,
	"Full":  memoryFull,
}

func memoryFacts(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	at := time.Date(2026, 2, 3, 4, 5, 6, 789000, time.UTC)
	keys := func(owner, agent string) (out []string) {
		all, err := s.Memories.Memories(ctx, owner, agent)
		storetest.OK(t, err)
		for _, m := range all {
			out = append(out, fmt.Sprintf("%s/%s=%s", m.Agent, m.Key, m.Content))
		}
		return out
	}
	color := journal.Memory{
		Owner: "user:ann", Agent: "a", Key: "color", Content: json.RawMessage(`"red"`), UpdatedAt: at, ExpiresAt: at.AddDate(100, 0, 0),
	}
	storetest.OK(t, s.Memories.Remember(ctx, color))
	all, err := s.Memories.Memories(ctx, "user:ann", "a")
	storetest.OK(t, err)
	storetest.Want(t, "a fact", all, []journal.Memory{color})

	color.Content, color.ExpiresAt = json.RawMessage(`"blue"`), time.Time{}
	size := journal.Memory{Owner: "user:ann", Agent: "b", Key: "size", Content: json.RawMessage(`4`), UpdatedAt: at}
	old := journal.Memory{Owner: "user:ann", Agent: "a", Key: "old", Content: json.RawMessage(`1`), UpdatedAt: at, ExpiresAt: at}
	other := journal.Memory{Owner: "user:bob", Agent: "a", Key: "color", Content: json.RawMessage(`"green"`), UpdatedAt: at}
	for _, m := range []journal.Memory{color, size, other, old} {
		storetest.OK(t, s.Memories.Remember(ctx, m))
	}
	storetest.Want(t, "of all agents", keys("user:ann", ""), []string{`a/color="blue"`, `b/size=4`})
	storetest.Want(t, "of one agent", keys("user:ann", "a"), []string{`a/color="blue"`})
	storetest.OK(t, s.Memories.Remember(ctx, color)) // deletes expired facts
	storetest.Want(t, "rows", db.Count(t, "memory"), 3)
	storetest.WantKind(t, "no JSON", s.Memories.Remember(ctx, journal.Memory{Key: "x", Content: json.RawMessage(`{`)}), fault.Invalid)

	forget := func(owner, agent, key string, want int) {
		t.Helper()
		n, err := s.Memories.Forget(ctx, owner, agent, key)
		storetest.OK(t, err)
		storetest.Want(t, "forgotten", n, want)
	}
	forget("user:ann", "a", "size", 0)
	forget("user:ann", "b", "size", 1)
	forget("user:ann", "", "", 1)
	storetest.Want(t, "another's facts", keys("user:bob", ""), []string{`a/color="green"`})
}

func memoryFull(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	m := journal.Memory{Owner: "user:ann", Agent: "a", Content: json.RawMessage(`1`), UpdatedAt: time.Unix(1, 0)}
	for i := range journal.MaxMemories {
		m.Key = fmt.Sprint(i)
		storetest.OK(t, s.Memories.Remember(ctx, m))
	}
	storetest.OK(t, s.Memories.Remember(ctx, m)) // replaces one
	m.Key = "more"
	storetest.WantKind(t, "one more", s.Memories.Remember(ctx, m), fault.Invalid)
	m.Agent = "b"
	storetest.OK(t, s.Memories.Remember(ctx, m))
}
