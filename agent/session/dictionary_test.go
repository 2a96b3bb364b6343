package session_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/payload"
)

// Session.Variables has the variables that the agent set, and none of docent.
func TestDictionary(t *testing.T) { bubble(t, testDictionary) }

func testDictionary(t *testing.T) {
	a := echo(func(ctx context.Context, s *agent.Session) error {
		err := errors.Join(agent.SetModelContext(s, "user", "Ada"), s.Set("paid", true), s.Set("session_document_0", "long"))
		return errors.Join(err, s.Reply(ctx, strings.Join(slices.Sorted(maps.Keys(s.Variables())), " ")+"; "+agent.ModelContext(s)))
	})
	sub, c, _ := open(t, start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()}), "S")
	synctest.Wait() // for the greeting
	c.Until(payload.ReplyStr)
	send(t, sub, "", "hi")
	if got := text(t, c.Until(payload.ReplyStr)); got != "paid; Ada" {
		t.Errorf("got %q", got)
	}
}
