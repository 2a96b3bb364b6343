package sqlite_test

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"docent/store/sqlite"
	"docent/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a handle that is closed when the test ends.
func open(t testing.TB, config sqlite.Config) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Database {
		path := filepath.Join(t.TempDir(), "docent.db")
		return storetest.Database{
			Open: func(t *testing.T) storetest.Store { return open(t, sqlite.Config{Path: path}) },
			Count: func(t *testing.T, table string) int {
				n, err := open(t, sqlite.Config{Path: path}).Count(t.Context(), table)
				if err != nil {
					t.Fatal(err)
				}
				return n
			},
			Strings: func(t *testing.T, query string) []string {
				out, err := open(t, sqlite.Config{Path: path}).Strings(t.Context(), query)
				if err != nil {
					t.Fatal(err)
				}
				return append([]string{}, out...)
			},
		}
	})
}
