package postgres_test

import (
	"context"
	neturl "net/url"
	"strings"
	"testing"
	"time"

	"docent/rag/corpus"

	"github.com/jackc/pgx/v5"

	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/store/postgres"
)

func document(source string) intake.Put {
	return intake.Put{Document: corpus.Document{Collection: corpus.DefaultCollection, Source: source, Status: corpus.Ready}}
}

// bare runs a statement without package postgres.
func bare(t *testing.T, url, query string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.Config{URL: pgtest.URL(t), CheckOnly: true, MaxConns: 2})
	current, latest, err := s.SchemaVersion(t.Context())
	if err != nil || current != latest || latest == 0 {
		t.Errorf("schema version %d of %d, %v", current, latest, err)
	}
	if size, err := s.Size(t.Context()); err != nil || size < 100_000 {
		t.Errorf("the database has %d bytes, %v", size, err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOpenMigrates(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	bare(t, url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	s := open(t, postgres.Config{URL: url})
	if _, err := s.PutDocuments(t.Context(), []intake.Put{document("/a")}); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	url, newer, empty := pgtest.URL(t), pgtest.URL(t), pgtest.URL(t)
	bare(t, newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	bare(t, empty, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	nowhere, err := neturl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	nowhere.Path = "/docent_none"
	for name, tc := range map[string]struct {
		config postgres.Config
		kind   fault.Kind
		says   string
	}{
		"no URL":           {postgres.Config{}, fault.Invalid, "URL"},
		"negative":         {postgres.Config{URL: url, MaxConns: -1}, fault.Invalid, "MaxConns"},
		"no URL at all":    {postgres.Config{URL: "postgres://u:hunter2@host:port/x"}, fault.Invalid, "URL"},
		"nobody there":     {postgres.Config{URL: "postgres://u:hunter2@/x?host=/nonexistent"}, fault.Unavailable, "not available"},
		"no such database": {postgres.Config{URL: nowhere.String()}, fault.Unavailable, "database"},
		"a new schema":     {postgres.Config{URL: newer}, fault.Conflict, "version 99999"},
		"to check a new":   {postgres.Config{URL: newer, CheckOnly: true}, fault.Conflict, "newer docent"},
		"to check nothing": {postgres.Config{URL: empty, CheckOnly: true}, fault.Conflict, "docent migrate"},
	} {
		_, err := postgres.Open(t.Context(), tc.config)
		if err == nil || fault.KindOf(err) != tc.kind || !strings.Contains(fault.Message(err), tc.says) {
			t.Errorf("%s: got error %v, want one of kind %s that says %q", name, err, tc.kind, tc.says)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the password is in %q", name, err)
		}
	}
}

// TestWatchReconnects closes the connection that listens.
func TestWatchReconnects(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, other := open(t, postgres.Config{URL: url}), open(t, postgres.Config{URL: url})
	changed, err := s.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{"/a", "/b"} {
		// The connection may be connecting, listening, or reading.
		bare(t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		for try := 0; ; try++ { // the pool notices closed connections only by an error
			_, err := other.PutDocuments(t.Context(), []intake.Put{document(source)})
			if err == nil {
				break
			}
			if fault.KindOf(err) != fault.Unavailable || try > 20 {
				t.Fatalf("after the connections were cut: %v", err)
			}
		}
		select {
		case <-changed:
		case <-time.After(30 * time.Second):
			t.Fatal("nothing came after the connection was cut")
		}
	}
}

func TestCloseEndsWatch(t *testing.T) {
	t.Parallel()
	s, err := postgres.Open(t.Context(), postgres.Config{URL: pgtest.URL(t)})
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
}
