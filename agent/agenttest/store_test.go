package agenttest_test

import (
	"testing"

	"docent/agent/agenttest"
	"docent/agent/session/journal"
	"docent/agent/session/sessiontest"
)

// TestStore: what is tested on the store in memory holds on the real ones.
func TestStore(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(*testing.T) sessiontest.Conversations {
		s := agenttest.NewStore()
		return sessiontest.Conversations{Open: func(*testing.T) journal.Store { return s }}
	})
}
