// Package servertest runs whole servers in the test process, with the parts that
// docent serve has. Each server has its own data: a copy of a snapshot that the tests
// of a package make once. The tests beside it use servers only over HTTP and
// WebSocket. Tests that kill, signal, or confine a process are in cmd/docent.
package servertest

import (
	"context"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"docent/config"
	"docent/internal/wiring"
)

// Store is the kind of a server's database.
type Store string

// The stores.
const (
	SQLite   Store = "sqlite"
	Postgres Store = "postgres"
)

// OnBothStores runs a test in parallel for each store.
func OnBothStores(t *testing.T, test func(t *testing.T, store Store)) {
	t.Helper()
	for _, store := range []Store{SQLite, Postgres} {
		t.Run(string(store), func(t *testing.T) {
			t.Parallel()
			test(t, store)
		})
	}
}

// Config configures a server.
type Config struct {
	// Store is the database. Default: SQLite.
	Store Store
	// Documents are in the database from the beginning, with ids in this order.
	// Default: none.
	Documents []Document
	// Dump holds the SQL statements of a database's dump. The server gets this database in place of
	// one with Documents. Default: none.
	Dump string
	// Auth turns authentication on, and adds the users and tokens of Server.People.
	// Default: off.
	Auth bool
	// Agent is the text of an agent file. Default: the built-in assistant.
	Agent string
	// Settings are settings by their keys in the configuration file. The environment of
	// the test does not count. Default: those of docent, but with a free port, and
	// without the built-in encoder.
	Settings map[string]string
}

// Document is a file that docent has ingested.
type Document struct {
	// Collection gets the document; "" is the default one.
	Collection string
	// Name is the file name.
	Name string
	// Content is the content of the file.
	Content string
}

// Server is a running server.
type Server struct {
	// URL is the address of the server, without a slash at the end.
	URL string
	// Data is the data folder.
	Data string
	// DB is a connection to the server's database, apart from those of the server.
	DB *wiring.Database
	// People are users of the server: signed-in users, owners of tokens, and unknown
	// ones. It is empty without authentication.
	People []Person

	t      testing.TB
	config config.Config
	log    *logged
	stop   context.CancelFunc
	ended  chan error
	once   sync.Once
}

// Start starts a server and waits until it answers. The server stops at the end of the
// test.
func Start(t testing.TB, cfg Config) *Server {
	t.Helper()
	s := &Server{t: t, log: &logged{t: t}, Data: filepath.Join(t.TempDir(), "data")}
	var database string
	if cfg.Dump != "" {
		database = restore(t, cfg, s.Data)
	} else {
		database, s.People = snapshotOf(t, cfg, s.Data)
	}
	s.config = load(t, s.Data, database, cfg)
	s.start()
	t.Cleanup(s.Stop)
	ctx := context.WithoutCancel(t.Context())
	observer, err := wiring.OpenStore(ctx, wiring.New(s.config, wiring.NewLog(s.config, s.log, false)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { observer.Close(ctx) })
	s.DB = observer.DB
	return s
}

// start starts the server on the data folder and the database, and waits until it answers.
func (s *Server) start() {
	s.t.Helper()
	// The context of a test ends before its clean-up, in which the server stops.
	ctx, stop := context.WithCancel(context.WithoutCancel(s.t.Context()))
	s.stop, s.once, s.ended = stop, sync.Once{}, make(chan error, 1)
	listener, err := wiring.Listen(ctx, s.config.Addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.URL = "http://" + listener.Addr().String()
	ready := make(chan struct{})
	go func() { s.ended <- s.run(ctx, s.config, listener, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-s.ended:
		s.ended <- nil
		s.t.Fatalf("start the server: %v", err)
	}
}

// Restart stops the server, and starts another one on the same data. Its URL differs.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	s.start()
}

// run serves until ctx ends, as docent serve does.
func (s *Server) run(ctx context.Context, cfg config.Config, listener net.Listener, ready func()) error {
	defer listener.Close() // harmless after the server has closed it
	server, err := wiring.OpenServer(ctx, wiring.New(cfg, wiring.NewLog(cfg, s.log, true)), "test")
	if err != nil {
		return err
	}
	defer server.Close(ctx)
	return server.Serve(ctx, nil, listener, ready)
}

// Stop stops the server as a signal does, and waits for its end. Further calls do
// nothing.
func (s *Server) Stop() {
	s.once.Do(func() {
		s.stop()
		if err := <-s.ended; err != nil {
			s.t.Errorf("the server ended: %v", err)
		}
	})
}

// Log returns the log so far.
func (s *Server) Log() string { return s.log.String() }

// Person returns one of People by name.
func (s *Server) Person(name string) Person {
	s.t.Helper()
	i := slices.IndexFunc(s.People, func(p Person) bool { return p.Name == name })
	if i < 0 {
		s.t.Fatalf("there is no %s", name)
	}
	return s.People[i]
}

// load returns the settings of a server.
func load(t testing.TB, data, database string, cfg Config) config.Config {
	t.Helper()
	settings := map[string]string{"encoder": config.EncoderOff, "addr": "127.0.0.1:0"}
	maps.Copy(settings, cfg.Settings)
	settings["data"], settings["database-url"] = data, database
	if cfg.Auth {
		settings["auth"] = "true"
	}
	if cfg.Agent != "" {
		settings["agent-file"] = filepath.Join(t.TempDir(), "agent.yaml")
		if err := write(settings["agent-file"], cfg.Agent); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(string) (string, bool) { return "", false }
	loaded, err := config.Load(config.Sources{Program: settings, Env: nothing})
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// logged keeps a log and shows it if the test fails.
type logged struct {
	t    testing.TB
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	return l.t.Output().Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
