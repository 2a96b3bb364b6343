// Package storetest is the harness of the suites that every store passes. It runs each test with
// its own database, and compares values and errors.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docent/internal/fault"
)

// Database is an empty database made for one test. S is the part of a store that a suite tests.
type Database[S any] struct {
	// Open opens the database like another process. It closes the database at the
	// end of the test.
	Open func(t *testing.T) S
	// Count returns the number of rows of a table.
	Count func(t *testing.T, table string) int
	// Strings returns the only column of a query's rows. Both databases understand the queries of
	// the suites.
	Strings func(t *testing.T, query string) []string
}

// Store is an open store with the functions that only tests need.
type Store interface {
	// Count returns the number of rows of a table.
	Count(ctx context.Context, table string) (int, error)
	// Strings returns the only column of a query's rows.
	Strings(ctx context.Context, query string) ([]string, error)
}

// NewDatabase returns a Database that open opens. part returns the tested part of a store.
func NewDatabase[T Store, S any](open func(t *testing.T) T, part func(T) S) Database[S] {
	return Database[S]{
		Open: func(t *testing.T) S { return part(open(t)) },
		Count: func(t *testing.T, table string) int {
			t.Helper()
			n, err := open(t).Count(t.Context(), table)
			OK(t, err)
			return n
		},
		Strings: func(t *testing.T, query string) []string {
			t.Helper()
			out, err := open(t).Strings(t.Context(), query)
			OK(t, err)
			return append([]string{}, out...)
		},
	}
}

// Run runs tests in parallel, each with its own value of fresh.
func Run[S any](t *testing.T, fresh func(t *testing.T) S, tests map[string]func(*testing.T, S)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh(t))
		})
	}
}

// RunGroups runs groups of tests as Run does.
func RunGroups[S any](t *testing.T, fresh func(t *testing.T) S, groups map[string]map[string]func(*testing.T, S)) {
	for name, tests := range groups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Run(t, fresh, tests)
		})
	}
}

// OK ends the test on an error.
func OK(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Want compares two values.
func Want[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// WantKind checks the kind of an error.
func WantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("%s: got error %v, want one of kind %s", what, err, kind)
	}
}

// Patience bounds the waits of the suites. It suits slow machines.
const Patience = 30 * time.Second

// Within returns a context that ends after Patience.
func Within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}
