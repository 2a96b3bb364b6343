// Package pgtest gives each test its own PostgreSQL database with docent's schema. The database is a clone of a template.
// It is on a private server that the test process starts and stops, or on the server of TEST_DATABASE_URL.
package pgtest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"docent/migrations"
)

const (
	// adminTimeout limits the administration of a server for one test.
	adminTimeout = time.Minute
	// templateLock is the advisory lock that makes one process build the template of a shared server.
	templateLock = 7240165
	// inUse is the code of the error about a database with other connections.
	inUse = "55006"
)

// cluster is a server with a template, which all tests of this process share.
type cluster struct {
	find  func() (string, error) // returns the folder of the programs
	once  sync.Once
	err   error
	admin string // URL of the server's database for administration
	own   *Server
	name  string // the template's
	files bool   // the server can copy the files of a template

	mu     sync.Mutex // guards filled
	filled []string   // the databases of Template
}

// process is the cluster of most tests. vectors is a cluster with pgvector.
var (
	process = cluster{find: binaries}
	vectors = cluster{find: vectorBinaries}
)

// Suite runs a package's tests and then stops their servers.
type Suite struct{ tests *testing.M }

// Main wraps a package's tests, for TestMain: os.Exit(pgtest.Main(m).Run()), or goleak.VerifyTestMain(pgtest.Main(m)).
func Main(m *testing.M) Suite { return Suite{m} }

// Run runs the tests and returns the exit code.
func (s Suite) Run() int {
	defer func() {
		for _, c := range []*cluster{&process, &vectors} {
			c.close()
		}
	}()
	return s.tests.Run()
}

// URL makes a migrated, empty database and returns its URL. The database is dropped at the end of the test. Without a
// server the test fails with instructions to install one.
func URL(t testing.TB) string {
	t.Helper()
	return process.database(t)
}

// VectorURL is URL for a server that can create the extension vector. The database does not have the extension yet.
func VectorURL(t testing.TB) string {
	t.Helper()
	return vectors.database(t)
}

func (c *cluster) database(t testing.TB) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	if err := c.ready(ctx); err != nil {
		t.Fatal(err)
	}
	return c.clone(t, c.name)
}

// Template makes a database that Clone copies, from another template; "" is the empty, migrated one. fill stores data in it
// and closes its connections before it returns. The template exists until the end of the package's tests.
func Template(ctx context.Context, from string, fill func(url string) error) (name string, err error) {
	c := &process
	if err := c.ready(ctx); err != nil {
		return "", err
	}
	name = "docent_test_" + strings.ToLower(rand.Text())
	if err := do(ctx, c.admin, c.create(name, cmp.Or(from, c.name))); err != nil {
		return "", err
	}
	c.mu.Lock()
	c.filled = append(c.filled, name)
	c.mu.Unlock()
	return name, fill(withDatabase(c.admin, name))
}

// Clone is URL for a copy of a database that Template made.
func Clone(t testing.TB, template string) string {
	t.Helper()
	return process.clone(t, template)
}

// clone copies a database until the end of the test, and returns the URL of the copy.
func (c *cluster) clone(t testing.TB, template string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout) // t.Context ends before the clean-up
	defer cancel()
	name := "docent_test_" + strings.ToLower(rand.Text())
	database := withDatabase(c.admin, name)
	if err := do(ctx, c.admin, c.create(name, template)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.drop(name); err != nil {
			t.Error(err)
		}
	})
	// A clone is a different database, so it needs an id of its own.
	if err := do(ctx, database, "UPDATE corpus SET database_id = gen_random_uuid()::text"); err != nil {
		t.Fatal(err)
	}
	return database
}

// drop removes a database.
func (c *cluster) drop(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	return do(ctx, c.admin, "DROP DATABASE "+name+" WITH (FORCE)")
}

// ready prepares the cluster once.
func (c *cluster) ready(ctx context.Context) error {
	c.once.Do(func() { c.err = c.prepare(ctx) })
	return c.err
}

// close removes the databases of Template and stops the process's own server.
func (c *cluster) close() {
	if c.own != nil {
		c.own.Stop()
		return
	}
	for _, name := range c.filled {
		if err := c.drop(name); err != nil {
			fmt.Fprintln(os.Stderr, "pgtest:", err)
		}
	}
}

// prepare finds or starts a server and makes the template.
func (c *cluster) prepare(ctx context.Context) error {
	c.admin = os.Getenv("TEST_DATABASE_URL")
	if c.admin == "" {
		bin, err := c.find()
		if err != nil {
			return err
		}
		own, err := start(ctx, bin)
		if err != nil {
			return err
		}
		c.own, c.admin = own, own.url("postgres")
	}
	hash, err := migrations.Hash(migrations.Postgres)
	if err != nil {
		return err
	}
	c.name = "docent_template_" + hash
	if c.files, err = copiesFiles(ctx, c.admin); err != nil {
		return err
	}
	return template(ctx, c.admin, c.name)
}

// copiesFiles reports whether the server can copy the files of a template, as all versions from 15 on.
func copiesFiles(ctx context.Context, admin string) (can bool, err error) {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return false, fmt.Errorf("connect to the test server: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // only read from
	if err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int >= 150000").Scan(&can); err != nil {
		return false, fmt.Errorf("read the version of the test server: %w", err)
	}
	return can, nil
}

// create returns the statement that copies a database. To copy its files takes half the processor time of the default, which
// writes each page to the log.
func (c *cluster) create(name, template string) string {
	query := fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template)
	if c.files {
		query += " STRATEGY file_copy"
	}
	return query
}

// template makes the template database if it does not exist. The database gets its final name last, so an interrupted
// attempt leaves no broken template.
func template(ctx context.Context, admin, name string) error {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // it ends the lock, too
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
		return fmt.Errorf("lock the test server: %w", err)
	}
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&there); err != nil || there {
		return err
	}
	draft := name + "_draft"
	for _, query := range []string{
		"DROP DATABASE IF EXISTS " + draft + " WITH (FORCE)",
		"CREATE DATABASE " + draft + " TEMPLATE template0 ENCODING 'UTF8'",
	} {
		if _, err := conn.Exec(ctx, query); err != nil {
			return fmt.Errorf("make the template: %w", err)
		}
	}
	config, err := pgx.ParseConfig(withDatabase(admin, draft))
	if err != nil {
		return fmt.Errorf("make the template: %w", err)
	}
	db := stdlib.OpenDB(*config)
	err = migrations.Up(ctx, migrations.Postgres, db)
	if closed := db.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = patiently(ctx, conn, "ALTER DATABASE "+draft+" RENAME TO "+name)
	}
	if err != nil {
		return fmt.Errorf("make the template: %w", err)
	}
	return nil
}

// do runs one statement on a new connection.
func do(ctx context.Context, database, query string) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // the statement's error counts
	if err := patiently(ctx, conn, query); err != nil {
		return fmt.Errorf("test server: %s: %w", query, err)
	}
	return nil
}

// patiently runs one statement. The server waits 5 seconds for the end of other connections to a database that the
// statement needs alone. On a busy machine, that may be too short.
func patiently(ctx context.Context, conn *pgx.Conn, query string) error {
	for {
		_, err := conn.Exec(ctx, query)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != inUse {
			return err
		}
	}
}

// withDatabase returns a URL with another database name.
func withDatabase(server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server // connecting will say what is wrong with it
	}
	u.Path = "/" + name
	return u.String()
}

// Durable makes the private server wait for the disk at each commit until the end of the test. It is for benchmarks. It
// changes neither the server of TEST_DATABASE_URL nor that of VectorURL.
func Durable(t testing.TB, database string) {
	t.Helper()
	if process.own == nil {
		return
	}
	set := func(value string) {
		ctx, cancel := context.WithTimeout(context.Background(), adminTimeout) // t.Context ends before the clean-up
		defer cancel()
		for _, query := range []string{"ALTER SYSTEM SET fsync = " + value, "SELECT pg_reload_conf()"} {
			if err := do(ctx, database, query); err != nil {
				t.Fatal(err)
			}
		}
	}
	set("on")
	t.Cleanup(func() { set("off") })
}
