package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
)

// TestMemory: the sessions of a user share facts, and those of others do not.
func TestMemory(t *testing.T) {
	t.Parallel()
	a := agent.New("keeper")
	one := a.State("one", agent.Initial)
	one.Body(func(ctx context.Context, s *agent.Session) error {
		memory := agent.MemoryOf(s)
		verb, rest, _ := strings.Cut(s.Message(), " ")
		switch verb {
		case "":
			return nil
		case "keep":
			key, value, _ := strings.Cut(rest, "=")
			if err := memory.Remember(ctx, key, value, time.Hour); err != nil {
				return s.Reply(ctx, string(fault.KindOf(err)))
			}
			return s.Reply(ctx, "kept")
		case "forget":
			return s.Reply(ctx, fmt.Sprint(memory.Forget(ctx, rest)))
		case "search":
			all, err := memory.Search(ctx, rest, 1)
			if err != nil {
				return err
			}
			var keys []string
			for _, f := range all {
				keys = append(keys, f.Key+": "+f.Text())
			}
			return s.Reply(ctx, strings.Join(keys, ", "))
		default:
			value := ""
			found, err := memory.Recall(ctx, s.Message(), &value)
			if err != nil {
				return err
			}
			return s.Reply(ctx, fmt.Sprint(found, " ", value))
		}
	})
	one.OnMessage().GoTo(one)
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), Memories: &session.TemporaryMemories{}})
	talk := func(id, owner string) func(text string) string {
		c := newClient(t)
		sub, err := rt.Open(t.Context(), session.OpenRequest{ID: id, Owner: owner}, c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(sub.Close)
		return func(text string) string {
			t.Helper()
			send(t, sub, "", text)
			return agenttest.Text(t, c.Until("agent_reply_str"))
		}
	}
	first, second, other := talk("1", "user:ann"), talk("2", "user:ann"), talk("3", "user:bob")
	for _, test := range []struct {
		say        func(string) string
		text, want string
	}{
		{first, "keep city=Porto", "kept"},
		{first, "keep favorite_food=Soup with beans", "kept"},
		{first, "keep =x", "invalid"},
		{first, "keep long=" + strings.Repeat("x", agent.MaxFact), "invalid"},
		{second, "city", "true Porto"},
		{second, "search which meal do I like", "favorite_food: Soup with beans"},
		{other, "city", "false "},
		{other, "search city", ""},
		{second, "forget city", "<nil>"},
		{first, "city", "false "},
	} {
		if got := test.say(test.text); got != test.want {
			t.Errorf("%.40q: %q, want %q", test.text, got, test.want)
		}
	}
}
