package servertest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"docent/config"
	"docent/ingest"
	"docent/ingest/worker"
	"docent/internal/pgtest"
	"docent/internal/wiring"
)

// snapshots are the snapshots of this process, by a hash of their content. Nothing changes a
// snapshot after it is made.
var snapshots struct {
	mu   sync.Mutex
	dir  string // holds all of them; "" before the first
	made map[string]*snapshot

	pdf      sync.Mutex // held while a snapshot with a PDF is made
	compiled string     // a folder with the compiled PDF reader
}

// snapshot is a data folder with documents and users. On Postgres, pgtest has a
// template of the database.
type snapshot struct {
	once     sync.Once
	err      error
	dir      string
	template string // of Postgres
	people   []Person
}

// Suite runs the tests of a package and then removes their snapshots.
type Suite struct{ pgtest.Suite }

// Main wraps the tests of a package, for TestMain:
// goleak.VerifyTestMain(servertest.Main(m)). Servers read documents in worker processes,
// which run the test binary. In such a process, Main does not return.
func Main(m *testing.M) Suite {
	if worker.Requested() {
		os.Exit(worker.Main(context.Background()))
	}
	return Suite{pgtest.Main(m)}
}

// Run runs the tests and returns the exit code.
func (s Suite) Run() int {
	defer func() {
		if snapshots.dir != "" {
			_ = os.RemoveAll(snapshots.dir)
		}
	}()
	return s.Suite.Run()
}

// snapshotOf copies the snapshot for a configuration into a data folder. The first test
// that needs the snapshot makes it. It returns the URL of the database, "" for SQLite,
// and the users.
func snapshotOf(t testing.TB, cfg Config, data string) (database string, people []Person) {
	t.Helper()
	s, err := made(t, cfg)
	if err != nil {
		t.Fatalf("make a snapshot: %v", err)
	}
	if err := os.CopyFS(data, os.DirFS(s.data())); err != nil {
		t.Fatal(err)
	}
	if cfg.Store == Postgres {
		database = pgtest.Clone(t, s.template)
	}
	return database, slices.Clone(s.people)
}

// made returns the snapshot for a configuration, and makes it if it is the first one.
func made(t testing.TB, cfg Config) (*snapshot, error) {
	t.Helper()
	s, err := find(fmt.Sprintf("%s %v %q", cfg.Store, cfg.Auth, cfg.Documents))
	if err != nil {
		return nil, err
	}
	s.once.Do(func() { s.err = s.make(t, cfg) })
	return s, s.err
}

// restore makes a data folder and the database of a dump. It returns the URL of the database, "" for
// SQLite.
func restore(t testing.TB, cfg Config, data string) (url string) {
	t.Helper()
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	driver, dsn, schema := "sqlite", "file:"+filepath.Join(data, "docent.db"), ""
	if cfg.Store == Postgres {
		url = pgtest.URL(t)
		driver, dsn, schema = "pgx", url, "DROP SCHEMA public, baf CASCADE; CREATE SCHEMA public;"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), schema+cfg.Dump)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatalf("restore the dump: %v", err)
	}
	return url
}

// find returns the snapshot of a key. It may not be made yet.
func find(key string) (*snapshot, error) {
	snapshots.mu.Lock()
	defer snapshots.mu.Unlock()
	if snapshots.dir == "" {
		dir, err := os.MkdirTemp("", "docent-servertest-*")
		if err != nil {
			return nil, fmt.Errorf("make a snapshot: %w", err)
		}
		snapshots.dir, snapshots.made = dir, map[string]*snapshot{}
	}
	s := snapshots.made[key]
	if s == nil {
		s = &snapshot{dir: filepath.Join(snapshots.dir, strconv.Itoa(len(snapshots.made)))}
		snapshots.made[key] = s
	}
	return s, nil
}

func (s *snapshot) data() string { return filepath.Join(s.dir, "data") }

func (s *snapshot) make(t testing.TB, cfg Config) (err error) {
	t.Helper()
	base := &snapshot{}
	if cfg.Auth && len(cfg.Documents) > 0 { // hashing the passwords takes longer than reading the documents
		if base, err = made(t, Config{Store: cfg.Store, Auth: true}); err != nil {
			return err
		}
		if err := os.CopyFS(s.data(), os.DirFS(base.data())); err != nil {
			return fmt.Errorf("copy a snapshot: %w", err)
		}
		s.people, cfg.Auth = base.people, false
	}
	if cfg.Store != Postgres {
		return s.fill(t, "", cfg)
	}
	s.template, err = pgtest.Template(t.Context(), base.template, func(url string) error { return s.fill(t, url, cfg) })
	return err
}

// fill ingests the documents and creates the users.
func (s *snapshot) fill(t testing.TB, database string, cfg Config) error {
	t.Helper()
	ctx := t.Context()
	// Compiling the PDF reader takes seconds of processor time, so one snapshot does it for all.
	if slices.ContainsFunc(cfg.Documents, func(d Document) bool { return filepath.Ext(d.Name) == ".pdf" }) {
		snapshots.pdf.Lock()
		defer snapshots.pdf.Unlock()
		folder := filepath.Join(s.data(), "cache", "pdfium")
		if snapshots.compiled != "" {
			if err := os.CopyFS(folder, os.DirFS(snapshots.compiled)); err != nil {
				return fmt.Errorf("copy the PDF reader: %w", err)
			}
		}
		defer func() { snapshots.compiled = folder }()
	}
	store, err := wiring.OpenStore(ctx, wiring.New(load(t, s.data(), database, Config{}), wiring.NewLog(config.Config{}, t.Output(), false)))
	if err != nil {
		return err
	}
	defer store.Close(ctx)
	if err := s.ingest(ctx, store, cfg.Documents); err != nil {
		return err
	}
	if !cfg.Auth {
		return nil
	}
	s.people, err = People(ctx, store.DB)
	return err
}

// ingest reads documents into the database.
func (s *snapshot) ingest(ctx context.Context, store *wiring.Store, documents []Document) error {
	if len(documents) == 0 {
		return nil
	}
	embedders, err := wiring.OpenEmbedders(ctx, store.Base)
	if err != nil {
		return err
	}
	readers, err := wiring.OpenReaders(store, embedders)
	if err != nil {
		return err
	}
	defer readers.Close(ctx)
	for i, group := range groups(documents) {
		folder := filepath.Join(s.dir, "documents", strconv.Itoa(i))
		for _, d := range group {
			if err := write(filepath.Join(folder, d.Name), d.Content); err != nil {
				return err
			}
		}
		for result, err := range readers.Ingester.Ingest(ctx, ingest.Request{Collection: group[0].Collection, Paths: []string{folder}}) {
			if err != nil {
				return err
			}
			if result.Status == ingest.Failed {
				return fmt.Errorf("ingest %s: %s", result.Source, result.Reason)
			}
		}
	}
	return nil
}

// groups divides documents into runs of the same collection.
func groups(documents []Document) (out [][]Document) {
	for i, d := range documents {
		if i == 0 || d.Collection != documents[i-1].Collection {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], d)
	}
	return out
}

// write writes a file and makes its folder.
func write(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write a test file: %w", err)
	}
	return os.WriteFile(path, []byte(content), 0o600)
}
