package mcp

import (
	"encoding/json"
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
func endpointOf(t *testing.T, sessions *Sessions, accept ...string) func(user, session, message string) *httptest.ResponseRecorder {
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
		for _, types := range accept {
			req.Header.Set("Accept", types)
		}
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

// TestAcceptedTypes has clients that accept only one media type, or name none.
func TestAcceptedTypes(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"application/json": "application/json", "application/json; charset=utf-8": "application/json", "application/*": "application/json",
		"text/event-stream": "text/event-stream", "": "text/event-stream", "*/*": "text/event-stream",
		"application/json, text/event-stream": "text/event-stream", "image/png": "",
	} {
		send := endpointOf(t, NewSessions(), accept)
		begun := send("a", "", hello)
		session := begun.Header().Get(sessionHeader)
		pong := send("a", session, ping)
		if want == "" {
			if begun.Code != http.StatusBadRequest {
				t.Errorf("%q: %d %s", accept, begun.Code, begun.Body)
			}
			continue
		}
		for _, got := range []*httptest.ResponseRecorder{begun, pong} {
			var message struct{ Result json.RawMessage }
			isJSON := json.Unmarshal(got.Body.Bytes(), &message) == nil && message.Result != nil
			if got.Code != http.StatusOK || got.Header().Get("Content-Type") != want || isJSON != (want == "application/json") {
				t.Errorf("%q: %d %s %s", accept, got.Code, got.Header(), got.Body)
			}
		}
		if told := send("a", session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); told.Code != http.StatusAccepted || told.Body.Len() > 0 {
			t.Errorf("%q, a notification: %d %s", accept, told.Code, told.Body)
		}
	}
}
