package sqlite_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/storetest"
	"docent/store/sqlite"
)

// TestMemoryOfAUser: the facts about a user are deleted with the user. The statement is that of both databases.
func TestMemoryOfAUser(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(t.TempDir(), "docent.db")})
	storetest.OK(t, err)
	t.Cleanup(func() { storetest.OK(t, s.Close()) })
	at := time.Unix(1, 0)
	for _, name := range []string{"ann", "bob"} {
		storetest.OK(t, s.AddUser(ctx, auth.UserRecord{Name: name, Password: "p", CreatedAt: at}))
		storetest.OK(t, s.Remember(ctx, journal.Memory{Owner: "user:" + name, Agent: "a", Key: "city", Content: json.RawMessage(`1`), UpdatedAt: at}))
	}
	storetest.OK(t, s.RemoveUser(ctx, "ann"))
	for owner, want := range map[string]int{"user:ann": 0, "user:bob": 1} {
		all, err := s.Memories(ctx, owner, "")
		storetest.OK(t, err)
		storetest.Want(t, owner, len(all), want)
	}
}
