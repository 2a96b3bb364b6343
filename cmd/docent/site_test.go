package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wiring"
	"docent/internal/wstest"
	"docent/payload"
)

// who is somebody who uses a server.
type who = servertest.Person

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

// dial opens a connection as a client without credentials.
func dial(t *testing.T, at string) *wstest.Conn {
	t.Helper()
	return who{}.Dial(t, at)
}

func say(t *testing.T, c *wstest.Conn, kind int, frame string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.Write(ctx, kind, []byte(frame)); err != nil {
		t.Fatalf("write %.60s: %v", frame, err)
	}
}

func hear(t *testing.T, c *wstest.Conn) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, data, err := c.Read(ctx)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	var frame map[string]any
	if err := json.Unmarshal(data, &frame); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return frame
}

// until reads until a frame contains a text, and returns the frame.
func until(t *testing.T, c *wstest.Conn, text string) string {
	t.Helper()
	for {
		frame, err := json.Marshal(hear(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(frame), text) {
			return string(frame)
		}
	}
}

func frame(action payload.Action, message string) string {
	return `{"action":"` + string(action) + `","message":` + message + `}`
}
