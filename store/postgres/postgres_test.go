package postgres_test

import (
	"testing"

	"go.uber.org/goleak"

	"docent/internal/pgtest"
	"docent/store/postgres"
	"docent/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

// open opens a handle that is closed when the test ends.
func open(t testing.TB, config postgres.Config) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), config)
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
		url := pgtest.URL(t)
		return storetest.Database{
			Open: func(t *testing.T) storetest.Store { return open(t, postgres.Config{URL: url}) },
			Count: func(t *testing.T, table string) int {
				n, err := open(t, postgres.Config{URL: url}).Count(t.Context(), table)
				if err != nil {
					t.Fatal(err)
				}
				return n
			},
			Strings: func(t *testing.T, query string) []string {
				out, err := open(t, postgres.Config{URL: url}).Strings(t.Context(), query)
				if err != nil {
					t.Fatal(err)
				}
				return append([]string{}, out...)
			},
		}
	})
}
