package mcp

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/api/route"
	"docent/auth"
)

// endpointOf returns a function that sends a message as a user and returns the response.
func endpointOf(t *testing.T, sessions *Sessions) func(user, session, message string) *httptest.ResponseRecorder {
	t.Helper()
	access := []route.Access{{Route: "GET /openapi.json", Scope: route.Public}}
	for _, pattern := range []string{"POST /mcp", "GET /mcp", "DELETE /mcp", "GET " + metadataPath, "GET " + metadataPath + Path} {
		access = append(access, route.Access{Route: pattern, Scope: auth.Ask})
	}
	r := route.New(route.Config{
		Mux: http.NewServeMux(), Description: "x", Access: access, BodyTimeout: time.Minute,
		Metrics: metrics.NewSet(), Logger: slog.New(slog.DiscardHandler),
	})
	AddRoutes(r, New(Config{}), HTTPConfig{Sessions: sessions})
	h, err := r.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sessions.Close(t.Context()) })
	return func(user, session, message string) *httptest.ResponseRecorder {
		ctx := auth.NewContext(t.Context(), auth.Principal{ID: user, Scopes: auth.Scopes{auth.Ask}})
		req := httptest.NewRequestWithContext(ctx, http.MethodPost, Path, strings.NewReader(message))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set(sessionHeader, session)
		}
		out := httptest.NewRecorder()
		h.ServeHTTP(out, req)
		return out
	}
}

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	ping  = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
)

// TestSessionLimits checks the number of sessions of all clients and of one, and that
// none begins after Close.
func TestSessionLimits(t *testing.T) {
	t.Parallel()
	sessions := NewSessions()
	sessions.most, sessions.own = 3, 2
	send := endpointOf(t, sessions)
	first := send("a", "", hello).Header().Get(sessionHeader)
	send("a", "", hello)
	last := send("a", "", hello).Header().Get(sessionHeader)
	if send("a", first, ping).Code != http.StatusNotFound || send("a", last, ping).Code != http.StatusOK {
		t.Error("a third session does not end the oldest")
	}
	if got := send("b", "", hello).Body.String(); !strings.Contains(got, "serverInfo") {
		t.Errorf("another client: %s", got)
	}
	if got := send("c", "", hello).Body.String(); !strings.Contains(got, "as many sessions as it can") {
		t.Errorf("a fourth session: %s", got)
	}
	sessions.Close(t.Context())
	if got := send("d", "", hello).Body.String(); !strings.Contains(got, "as many sessions as it can") || len(sessions.open) != 0 {
		t.Errorf("after Close: %s", got)
	}
}

// TestSessionAge checks that an old session ends.
func TestSessionAge(t *testing.T) {
	t.Parallel()
	sessions := NewSessions()
	sessions.age = -1
	send := endpointOf(t, sessions)
	id := send("a", "", hello).Header().Get(sessionHeader)
	if out := send("a", id, ping); id == "" || out.Code != http.StatusNotFound || len(sessions.open) != 0 {
		t.Errorf("an old session: %d %s", out.Code, out.Body)
	}
}
