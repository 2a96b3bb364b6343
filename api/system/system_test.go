package system_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/api/route"
	"docent/api/system"
	"docent/backup"
)

// backups is a maker of backups that counts their starts.
type backups struct {
	state   backup.State
	started int
}

func (b *backups) State(context.Context) (backup.State, error) { return b.state, nil }

func (b *backups) Start(context.Context) error {
	b.started++
	return nil
}

// serve returns a function that requests a route, and reports the status and the decoded body.
func serve(t *testing.T, cfg system.Config) func(method, path string, out any) int {
	t.Helper()
	r := route.New(route.Config{
		Mux: http.NewServeMux(), Description: "d", BodyTimeout: time.Second, Metrics: metrics.NewSet(), Logger: slog.New(slog.DiscardHandler),
		Access: []route.Access{
			{Route: "GET /openapi.json", Scope: route.Public},
			{Route: "GET /api/system", Scope: route.Public},
			{Route: "GET /api/system/backups", Scope: route.Public},
			{Route: "POST /api/system/backups", Scope: route.Public},
			{Route: "GET /api/system/digest", Scope: route.Public},
			{Route: "POST /api/system/digest", Scope: route.Public},
		},
	})
	system.AddRoutes(r, cfg)
	h, err := r.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return func(method, path string, out any) int {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
		if out != nil {
			if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
				t.Fatalf("%s %s: %s (%v)", method, path, w.Body, err)
			}
		}
		return w.Code
	}
}

func reads(context.Context) (system.System, error) { return system.System{Documents: 3}, nil }

// TestSystem checks the route with and without a description of the installation.
func TestSystem(t *testing.T) {
	t.Parallel()
	var got system.System
	if status := serve(t, system.Config{Read: reads, Backups: &backups{}})("GET", "/api/system", &got); status != http.StatusOK || got.Documents != 3 {
		t.Errorf("%d %+v", status, got)
	}
	without := serve(t, system.Config{})
	for _, route := range [][2]string{{"GET", "/api/system"}, {"GET", "/api/system/backups"}, {"POST", "/api/system/backups"}} {
		if status := without(route[0], route[1], nil); status != http.StatusNotFound {
			t.Errorf("%s: status %d", route, status)
		}
	}
}

// TestBackups checks the states of runs: only a run whose file is there is kept.
func TestBackups(t *testing.T) {
	t.Parallel()
	next := time.Date(2027, 5, 1, 3, 0, 0, 0, time.UTC)
	b := &backups{state: backup.State{Folder: "/backups", Encrypted: true, Next: next, Runs: []backup.Kept{
		{Run: backup.Run{Place: "/backups/a.db"}, Present: true},
		{Run: backup.Run{Place: "/backups/b.db"}},
		{Run: backup.Run{Place: "/backups/c.db", Problem: "no room"}},
	}}}
	request := serve(t, system.Config{Read: reads, Backups: b})
	var got system.BackupList
	if status := request("GET", "/api/system/backups", &got); status != http.StatusOK || !got.Encrypted || got.Next == nil || !got.Next.Equal(next) {
		t.Errorf("%d %+v", status, got)
	}
	var states []string
	for _, r := range got.Runs {
		states = append(states, r.Name+" "+r.State+" "+r.Problem)
	}
	want := []string{"a.db kept ", "b.db missing ", "c.db failed no room"}
	for i := range want {
		if len(states) != len(want) || states[i] != want[i] {
			t.Fatalf("runs %q, want %q", states, want)
		}
	}
	if status := request("POST", "/api/system/backups", nil); status != http.StatusAccepted || b.started != 1 {
		t.Errorf("status %d, %d backups were started", status, b.started)
	}
}

// TestBackupsReadOnly checks that a server without authentication makes no backup on demand, and that a
// list without backups has no null.
func TestBackupsReadOnly(t *testing.T) {
	t.Parallel()
	b := &backups{}
	request := serve(t, system.Config{Read: reads, Backups: b, ReadOnly: true})
	if status := request("POST", "/api/system/backups", nil); status != http.StatusForbidden || b.started != 0 {
		t.Errorf("status %d, %d backups were started", status, b.started)
	}
	var got map[string]any
	if status := request("GET", "/api/system/backups", &got); status != http.StatusOK || got["runs"] == nil {
		t.Errorf("%d %v", status, got)
	}
	if _, there := got["next"]; there {
		t.Errorf("the next backup is %v", got["next"])
	}
}
