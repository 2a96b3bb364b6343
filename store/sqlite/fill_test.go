package sqlite_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"docent/backup"
	"docent/internal/fault"
	"docent/store/sqlite"
)

// enrichments fills the table of enrichments with rows of a kilobyte.
func enrichments(t *testing.T, s *sqlite.Store, rows int, check func()) error {
	t.Helper()
	at := slices.IndexFunc(backup.Tables, func(t backup.Table) bool { return t.Name == "enrichment" })
	return s.FillTables(t.Context(), func(f backup.Filler) error {
		left := rows
		return f.Fill(t.Context(), backup.Tables[at], func() ([]any, error) {
			if left == 0 {
				check()
				return nil, nil
			}
			left--
			return []any{fmt.Sprint(left), string(make([]byte, 1024))}, nil
		})
	})
}

// TestFillFull: if the disk is full, a restore says so and leaves the database empty and in
// order. A restore does not write the data to the log first.
func TestFillFull(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "docent.db")
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.SchemaVersion(t.Context()); err != nil { // a connection that reads stays open
		t.Fatal(err)
	}
	if err := s.LimitPages(t.Context(), 2000); err != nil {
		t.Fatal(err)
	}
	err = enrichments(t, s, 20_000, func() {})
	if fault.KindOf(err) != fault.Unavailable || fault.TextOf(err).ID != "database_disk_full" {
		t.Errorf("a full disk: %v", err)
	}
	if n, err := s.Count(t.Context(), "enrichment"); n != 0 || err != nil {
		t.Errorf("%d rows after an error: %v", n, err)
	}
	err = enrichments(t, s, 4000, func() {
		if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is a log: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if mode, err := s.Strings(t.Context(), "PRAGMA journal_mode"); err != nil || !slices.Equal(mode, []string{"wal"}) {
		t.Errorf("the journal mode is %q: %v", mode, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlite.Open(t.Context(), sqlite.Config{Path: path}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n, err := s.Count(t.Context(), "enrichment"); n != 4000 || err != nil {
		t.Errorf("%d rows: %v", n, err)
	}
}

// TestFillAlone: a restore fails while another process has the database open.
func TestFillAlone(t *testing.T) {
	t.Parallel()
	cfg := sqlite.Config{Path: filepath.Join(t.TempDir(), "docent.db"), BusyTimeout: time.Millisecond}
	var open [2]*sqlite.Store
	for i := range open {
		s, err := sqlite.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if _, _, err := s.SchemaVersion(t.Context()); err != nil {
			t.Fatal(err)
		}
		open[i] = s
	}
	if err := enrichments(t, open[0], 1, func() {}); fault.KindOf(err) != fault.Busy {
		t.Errorf("beside another process: %v", err)
	}
	if err := open[1].Close(); err != nil {
		t.Fatal(err)
	}
	if err := enrichments(t, open[0], 1, func() {}); err != nil {
		t.Errorf("alone: %v", err)
	}
}
