// Package sessiontest has the test suites for stores of sessions. Each store passes them.
package sessiontest

import (
	"testing"

	"docent/agent/session/journal"
	"docent/internal/storetest"
)

// Store stores and lists conversations.
type Store struct {
	journal.Store
	journal.Unused
	Directory journal.Directory
	Feedbacks journal.Feedbacks
	Shares    journal.Shares
	Memories  journal.Memories
	Versions  journal.Versions
	Traces    journal.Traces
	// Leases is only needed for RunLeases.
	Leases journal.Leases
}

// Database is an empty database for one test.
type Database = storetest.Database[Store]

// conversations returns the part of a database that Run tests.
func conversations(db Database) Conversations {
	return Conversations{Open: func(t *testing.T) journal.Store { return db.Open(t) }, Count: db.Count}
}

// RunDatabase tests the databases that fresh makes. It includes Run.
func RunDatabase(t *testing.T, fresh func(t *testing.T) Database) {
	Run(t, func(t *testing.T) Conversations { return conversations(fresh(t)) })
	storetest.RunGroups(t, fresh, map[string]map[string]func(*testing.T, Database){
		"Text": textTests, "Directory": directoryTests, "Prediction": predictionTests, "Feedback": feedbackTests, "File": fileTests,
		"Unused": unusedTests, "Share": shareTests, "Memory": memoryTests, "Branch": branchTests, "Trace": traceTests,
	})
}

// RunCopies tests copies of sessions. It is a part of RunDatabase, for stores that cannot search.
func RunCopies(t *testing.T, fresh func(t *testing.T) Database) {
	storetest.RunGroups(t, fresh, map[string]map[string]func(*testing.T, Database){"Branch": {"Copy": branchCopy}})
}

// RunLeases tests the leases of databases that several processes share.
func RunLeases(t *testing.T, fresh func(t *testing.T) Database) {
	storetest.RunGroups(t, fresh, map[string]map[string]func(*testing.T, Database){"Lease": leaseTests})
}
