package agenttest_test

import (
	"testing"

	"docent/agent/agenttest"
	"docent/agent/session/journal"
	"docent/agent/session/sessiontest"
)

// TestStore runs the tests of real stores on the store in memory.
func TestStore(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(*testing.T) sessiontest.Conversations {
		s := agenttest.NewStore()
		return sessiontest.Conversations{Open: func(*testing.T) journal.Store { return s }}
	})
}

// TestCopies copies sessions like real stores.
func TestCopies(t *testing.T) {
	t.Parallel()
	sessiontest.RunCopies(t, func(*testing.T) sessiontest.Database {
		s := agenttest.NewStore()
		return sessiontest.Database{Open: func(*testing.T) sessiontest.Store { return sessiontest.Store{Store: s, Versions: s} }}
	})
}
