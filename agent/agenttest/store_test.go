package agenttest_test

import (
	"testing"

	"docent/agent/agenttest"
	"docent/agent/session/journal"
	"docent/store/storetest"
)

// TestStore: what is tested on the store in memory holds on the real ones.
func TestStore(t *testing.T) {
	t.Parallel()
	storetest.RunConversations(t, func(*testing.T) storetest.Conversations {
		s := agenttest.NewStore()
		return storetest.Conversations{Open: func(*testing.T) journal.Store { return s }}
	})
}
