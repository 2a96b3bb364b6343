package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent/rag/corpus"

	"docent/agent/session/journal"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/store/sqlite"
)

func document(source string) intake.Put {
	return intake.Put{
		Document: corpus.Document{Collection: corpus.DefaultCollection, Source: source, Status: corpus.Ready},
		Chunks:   []corpus.Chunk{{Kind: corpus.Prose, Text: source}}, Embedder: "e", Vectors: [][]float32{{1, 2}},
	}
}

func wantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("%s: got error %v, want one of kind %s", what, err, kind)
	}
}

// bare opens the file without package sqlite.
func bare(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestOpen(t *testing.T) {
	t.Parallel()
	// The name contains characters with a meaning in URIs.
	path := filepath.Join(t.TempDir(), "new folder", "a b?c#d%41&mode=ro.db")
	s := open(t, sqlite.Config{Path: path})
	if _, err := s.PutDocuments(t.Context(), []intake.Put{document("/a")}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	again := open(t, sqlite.Config{Path: path, CheckOnly: true})
	if n, err := again.Count(t.Context(), "document"); err != nil || n != 1 {
		t.Errorf("%d documents, %v", n, err)
	}
	current, latest, err := again.SchemaVersion(t.Context())
	if err != nil || current != latest || latest == 0 {
		t.Errorf("schema version %d of %d, %v", current, latest, err)
	}
	if size, err := again.Size(t.Context()); err != nil || size < 100_000 {
		t.Errorf("the database has %d bytes, %v", size, err)
	}
	if err := again.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := filepath.Join(dir, "newer.db")
	if err := open(t, sqlite.Config{Path: newer}).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := bare(t, newer).ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		config sqlite.Config
		kind   fault.Kind
		says   string
	}{
		"no path":          {sqlite.Config{}, fault.Invalid, "Path"},
		"a slow poll":      {sqlite.Config{Path: filepath.Join(dir, "x"), Poll: time.Minute}, fault.Invalid, "Poll"},
		"a folder":         {sqlite.Config{Path: dir}, fault.Unavailable, "cannot be opened"},
		"below a file":     {sqlite.Config{Path: filepath.Join(file("f", "x"), "x.db")}, fault.Unavailable, "cannot be opened"},
		"another file":     {sqlite.Config{Path: file("text", strings.Repeat("This is no database. ", 1000))}, fault.Internal, "not a database"},
		"a new schema":     {sqlite.Config{Path: newer}, fault.Conflict, "version 99999"},
		"to check a new":   {sqlite.Config{Path: newer, CheckOnly: true}, fault.Conflict, "newer docent"},
		"to check nothing": {sqlite.Config{Path: filepath.Join(dir, "none.db"), CheckOnly: true}, fault.Conflict, "docent migrate"},
	} {
		_, err := sqlite.Open(t.Context(), tc.config)
		wantKind(t, name, err, tc.kind)
		if !strings.Contains(fault.Message(err), tc.says) {
			t.Errorf("%s: %q does not say %q", name, fault.Message(err), tc.says)
		}
	}
}

// TestBusy holds the write lock like another process.
func TestBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	patient, hasty := open(t, sqlite.Config{Path: path}), open(t, sqlite.Config{Path: path, BusyTimeout: time.Millisecond})
	tx, err := bare(t, path).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = hasty.PutDocuments(t.Context(), []intake.Put{document("/a")})
	wantKind(t, "a locked database", err, fault.Busy)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err = patient.PutDocuments(ctx, []intake.Put{document("/a")}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller who waits no longer: %v", err)
	}
	if _, err := patient.Documents(t.Context(), corpus.DocumentFilter{}); err != nil {
		t.Errorf("a reader waits for a writer: %v", err)
	}
	wrote := make(chan error, 1)
	go func() {
		_, err := patient.PutDocuments(t.Context(), []intake.Put{document("/a")})
		wrote <- err
	}()
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-wrote; err != nil {
		t.Errorf("after the lock is gone: %v", err)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(t.TempDir(), "x.db")})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := s.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range changed { // until it is closed
	}
	_, err = s.PutDocuments(t.Context(), []intake.Put{document("/a")})
	wantKind(t, "a write on a closed store", err, fault.Unavailable)
	if _, _, err := s.OpenSession(t.Context(), journal.SessionRecord{Key: journal.SessionKey{Agent: "a", ID: "x"}}); err == nil {
		t.Error("a session on a closed store")
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.db")
	keep := open(b, sqlite.Config{Path: path}) // like a running server
	_ = keep
	for b.Loop() {
		s, err := sqlite.Open(b.Context(), sqlite.Config{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestFileURL(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/var/lib/docent/docent.db":   "file:///var/lib/docent/docent.db",
		"/data/50% of it?/docent.db":  "file:///data/50%25%20of%20it%3F/docent.db",
		"C:/Users/Ana M/docent.db":    "file:///C:/Users/Ana%20M/docent.db",
		"//server/share/docent/db.db": "file:////server/share/docent/db.db",
	} {
		if got := sqlite.FileURL(path); got != want {
			t.Errorf("FileURL(%q) = %s, want %s", path, got, want)
		}
	}
}
