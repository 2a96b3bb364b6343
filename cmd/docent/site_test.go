package main

import (
	"net/http"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wiring"
)

// who is somebody who uses a server.
type who = servertest.Person

// The steps of tests that use a server.
var (
	dial          = who{}.Dial // as a client without credentials
	say           = servertest.Say
	hear          = servertest.Hear
	until         = servertest.Until
	frame         = servertest.Frame
	getJSON       = servertest.GetJSON
	eventually    = servertest.Eventually
	calling       = servertest.Calling
	notAtMidnight = servertest.NotAtMidnight
)

var asJSON = []string{"Content-Type", "application/json"}

// opened is databaseOf until the end of the test.
func opened(t *testing.T, env []string) *wiring.Database {
	t.Helper()
	db := databaseOf(t, env)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// site is a server with authentication and its users.
type site struct {
	env    []string
	server *program
	db     *wiring.Database
	at     string
	people []who
}

// guarded starts a site with one document.
func guarded(t *testing.T, env []string, args ...string) *site {
	t.Helper()
	docs := t.TempDir()
	write(t, docs, "pump.md", "# Pump\n\nThe feed pump stops at noon.\n")
	docent(t, env, 0, "ingest", docs)
	s := &site{env: env, db: opened(t, env)}
	var err error
	if s.people, err = servertest.People(t.Context(), s.db); err != nil {
		t.Fatal(err)
	}
	s.server, s.at = serve(t, env, append([]string{"--auth", "--trusted-proxies", "127.0.0.1"}, args...)...)
	return s
}

// as returns the person with a name.
func (s *site) as(t *testing.T, name string) who {
	t.Helper()
	for _, w := range s.people {
		if w.Name == name {
			return w
		}
	}
	t.Fatalf("there is no %s", name)
	return who{}
}

// ask asks over HTTP and returns the response.
func (s *site) ask(t *testing.T, w who) (*http.Response, string) {
	t.Helper()
	return w.Request(t, http.MethodPost, s.at+"/api/ask", `{"question":"When does the feed pump stop?"}`, asJSON...)
}
