package session_test

import (
	"testing"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/assistant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is a client of a session.
type client = agenttest.Client

// patience bounds each wait of a test.
const patience = agenttest.Patience

// The steps of tests that talk with an agent.
var (
	bubble    = agenttest.Bubble
	newClient = agenttest.NewClient
	text      = agenttest.Text
	quoted    = agenttest.Quoted
	start     = agenttest.Start
	stop      = agenttest.Stop
	open      = agenttest.OpenSession
	send      = agenttest.Send
	echo      = agenttest.Echo
)

func anAssistant(t *testing.T) *agent.Agent {
	t.Helper()
	a, err := assistant.New(assistant.Config{History: 4})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
