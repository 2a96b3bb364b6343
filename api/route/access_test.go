package route

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// TestRouteWithoutRow checks that a route without a row in the access table
// prevents the start and is never served.
func TestRouteWithoutRow(t *testing.T) {
	t.Parallel()
	r := New(Config{
		Mux: http.NewServeMux(), Description: "d", Access: []Access{{Route: "GET /api/health", Scope: Public}, {Route: "GET /openapi.json", Scope: Public}},
		BodyTimeout: time.Second, Metrics: metrics.NewSet(), Logger: slog.New(slog.DiscardHandler),
	})
	r.Handle("GET /api/health", http.NotFound)
	if _, err := r.Handler(); err != nil {
		t.Fatal(err)
	}
	r.Handle("GET /extra", http.NotFound)
	if _, err := r.Handler(); err == nil || !strings.Contains(err.Error(), "GET /extra has no row") {
		t.Errorf("error is %v", err)
	}
	e := r.refusal(httptest.NewRequest(http.MethodGet, "/", http.NoBody), "GET /forgotten")
	if e == nil || e.GetStatus() != http.StatusForbidden {
		t.Errorf("the refusal is %v", e)
	}
}
