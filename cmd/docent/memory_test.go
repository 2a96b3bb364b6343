package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/servertest"
)

// remember stores facts: the owner, the agent, the key, and the fact.
func remember(t *testing.T, memories journal.Memories, all ...[4]string) {
	t.Helper()
	for _, f := range all {
		err := memories.Remember(t.Context(), journal.Memory{
			Owner: f[0], Agent: f[1], Key: f[2], Content: json.RawMessage(`"` + f[3] + `"`), UpdatedAt: time.Unix(1, 0),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestMemory lists and erases facts in the database. Facts about users need the setting, and leave a record.
func TestMemory(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		db := databaseOf(t, env)
		remember(t, db.Memories, [4]string{"user:ann", "shop", "size", "XL"}, [4]string{"user:ann", "desk", "city", "Rome"},
			[4]string{"user:bob", "shop", "size", "S"}, [4]string{"", "shop", "color", "red"})
		db.Close()

		if out := docent(t, env, 0, "memory", "ls"); !strings.Contains(out, "shop   color  red") || strings.Contains(out, "XL") {
			t.Errorf("without an owner:\n%s", out)
		}
		docent(t, env, 1, "memory", "ls", "--owner", "user:ann")
		may := append(slices.Clone(env), "DOCENT_READ_CONVERSATIONS=true")
		if out := docent(t, may, 0, "memory", "ls", "--owner", "user:ann", "--json"); strings.Count(out, "\n") != 2 || !strings.Contains(out, `"value":"Rome"`) {
			t.Errorf("of ann:\n%s", out)
		}
		docent(t, env, 2, "memory", "rm", "--owner", "user:ann")
		docent(t, env, 2, "memory", "rm", "--owner", "user:ann", "")
		docent(t, env, 1, "memory", "rm", "--owner", "user:ann", "--agent", "desk", "size")
		if out := docent(t, env, 0, "memory", "rm", "--owner", "user:ann", "size"); out != "erased 1 fact\n" {
			t.Errorf("one: %s", out)
		}
		if out := docent(t, env, 0, "memory", "rm", "--owner", "user:ann", "--all"); out != "erased 1 fact\n" {
			t.Errorf("all: %s", out)
		}
		if out := docent(t, may, 0, "memory", "ls", "--owner", "user:bob"); !strings.Contains(out, "size") {
			t.Errorf("of bob:\n%s", out)
		}
		out := docent(t, env, 0, "audit")
		if strings.Count(out, "memory.read") != 2 || !strings.Contains(out, "memory.erased") || strings.Contains(out, "Rome") {
			t.Errorf("the audit log is\n%s", out)
		}
	})
}

// TestMemoryOfServer lists and erases the facts about the user of a token.
func TestMemoryOfServer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Config{Auth: true})
	me := s.Person("token owner")
	remember(t, s.DB.Memories, [4]string{me.ID, "shop", "size", "XL"}, [4]string{me.ID, "desk", "city", "Rome"}, [4]string{"user:bob", "shop", "size", "S"})
	to := []string{"--server", s.URL, "--token", me.Token}
	for _, c := range []struct {
		args  []string
		wants string
	}{
		{[]string{"ls"}, "Rome"},
		{[]string{"ls", "--agent", "shop"}, "XL"},
		{[]string{"rm", "--agent", "shop", "size"}, "erased 1 fact\n"},
		{[]string{"rm", "--all"}, "erased 1 fact\n"},
		{[]string{"ls"}, "No facts."},
	} {
		got, err := runWith(t.Context(), "", append(append([]string{"memory"}, c.args...), to...)...)
		if err != nil || !strings.Contains(got, c.wants) {
			t.Errorf("%v: %v\n%s", c.args, err, got)
		}
	}
	if left, err := s.DB.Memories.Memories(t.Context(), "user:bob", ""); err != nil || len(left) != 1 {
		t.Errorf("bob has %d facts, %v", len(left), err)
	}
	if _, err := runWith(t.Context(), "", append([]string{"memory", "ls", "--owner", "user:bob"}, to...)...); fault.KindOf(err) != fault.Invalid {
		t.Errorf("with an owner: %v", err)
	}
}
