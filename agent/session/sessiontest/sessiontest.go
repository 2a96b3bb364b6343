// Package sessiontest has the test suites for stores of sessions. Each store passes them.
package sessiontest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docent/agent/session/journal"
	"docent/internal/fault"
)

// Store stores and lists conversations.
type Store struct {
	journal.Store
	journal.Unused
	Directory journal.Directory
	Feedbacks journal.Feedbacks
	// Leases is only needed for RunLeases.
	Leases journal.Leases
}

// Database is an empty database for one test.
type Database struct {
	// Open opens the database like another process. It closes the database at the end of the test.
	Open func(t *testing.T) Store
	// Count returns the number of rows of a table.
	Count func(t *testing.T, table string) int
	// Strings returns the only column of a query's rows. Both databases understand the queries of
	// the suite.
	Strings func(t *testing.T, query string) []string
}

// conversations returns the part of the database that Run tests.
func (db Database) conversations() Conversations {
	return Conversations{Open: func(t *testing.T) journal.Store { return db.Open(t) }, Count: db.Count}
}

// patience bounds the waits of the suite. It suits slow machines.
const patience = 30 * time.Second

// RunDatabase tests the databases that fresh makes. It includes Run.
func RunDatabase(t *testing.T, fresh func(t *testing.T) Database) {
	Run(t, func(t *testing.T) Conversations { return fresh(t).conversations() })
	run(t, fresh, map[string]map[string]func(*testing.T, Database){
		"Text": textTests, "Directory": directoryTests, "Prediction": predictionTests, "Feedback": feedbackTests, "File": fileTests,
		"Unused": unusedTests,
	})
}

// RunLeases tests the leases of databases that several processes share.
func RunLeases(t *testing.T, fresh func(t *testing.T) Database) {
	run(t, fresh, map[string]map[string]func(*testing.T, Database){"Lease": leaseTests})
}

// run runs groups of tests, each with its own store.
func run[S any](t *testing.T, fresh func(t *testing.T) S, groups map[string]map[string]func(*testing.T, S)) {
	for name, group := range groups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, test := range group {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, fresh(t))
				})
			}
		})
	}
}

// ok ends the test on an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// want compares two values.
func want[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// wantKind checks the kind of an error.
func wantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("%s: got error %v, want one of kind %s", what, err, kind)
	}
}

// within returns a context that ends after patience.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}
