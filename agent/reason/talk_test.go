package reason_test

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/assistant"
	"docent/payload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is a client of a session.
type client = agenttest.Client

// The steps of tests that talk with an agent.
var (
	bubble = agenttest.Bubble
	text   = agenttest.Text
	quoted = agenttest.Quoted
	start  = agenttest.Start
	open   = agenttest.OpenSession
	send   = agenttest.Send
	echo   = agenttest.Echo
)

func anAssistant(t *testing.T) *agent.Agent {
	t.Helper()
	a, err := assistant.New(assistant.Config{History: 4})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// messages lists the stored messages of session S with their turns.
func messages(store *agenttest.Store) string {
	_, messages, _ := store.Stored("S")
	var out []string
	for _, m := range messages {
		out = append(out, fmt.Sprintf("%d %s", m.Turn, m.Content))
	}
	return strings.Join(out, "|")
}

// ends lists the ends of turns that the client has received.
func ends(c *client) []string {
	var out []string
	for len(c.Heard) > 0 {
		if d := c.Next(); d.Frame.Action == payload.TurnFinishedAction {
			out = append(out, fmt.Sprintf("%d %s", *d.Frame.Turn, strings.TrimPrefix(string(d.Frame.Message), `{"outcome":`)))
		}
	}
	return out
}
