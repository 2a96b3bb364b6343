// Package storetest says in tests what a store must do: the behaviour that the
// interfaces of rag, ingest and agent promise, on a real database.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docent/agent/session"
	"docent/internal/fault"
)

// Store is all that a store does for the rest of docent.
type Store interface {
	session.Store
	session.Directory
}

// Database is an empty database made for one test.
type Database struct {
	// Open opens a handle on it, as a process of its own would, and closes it
	// when the test ends.
	Open func(t *testing.T) Store
	// Count returns the number of rows of a table.
	Count func(t *testing.T, table string) int
	// Strings returns the one column of the rows of a query that both
	// databases understand.
	Strings func(t *testing.T, query string) []string
}

// conversations is the part of it that keeps conversations.
func (db Database) conversations() Conversations {
	return Conversations{Open: func(t *testing.T) session.Store { return db.Open(t) }, Count: db.Count}
}

// patience bounds the waits of the suite: long, for slow machines.
const patience = 30 * time.Second

// Run tests the stores that fresh makes databases for.
func Run(t *testing.T, fresh func(t *testing.T) Database) {
	RunConversations(t, func(t *testing.T) Conversations { return fresh(t).conversations() })
	for name, group := range map[string]map[string]func(*testing.T, Database){
		"Text": textTests, "Directory": directoryTests,
		"Prediction": predictionTests, "Feedback": feedbackTests,
	} {
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

// want compares.
func want[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// wantKind checks an error's kind.
func wantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("%s: got error %v, want one of kind %s", what, err, kind)
	}
}

// within is a context that ends when the suite has waited long enough.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}
