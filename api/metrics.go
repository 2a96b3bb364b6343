package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/danielgtaylor/huma/v2"

	"docent/internal/meter"
)

// metricsPath is where monitors ask.
const metricsPath = "/metrics"

// none is the route of requests to paths that are not there, and of those that
// [Front] refuses.
const none = "none"

// metricsRoute serves what all packages count, and the process' own numbers.
func (s *server) metricsRoute(mux router) {
	mux.HandleFunc("GET "+metricsPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = meter.Write(w, s.cfg.Metrics.WritePrometheus, metrics.WriteProcessMetrics) // who asked has gone
	})
	s.api.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: metricsPath, OperationID: "metrics", Tags: []string{"service"}, Summary: "Get metrics in the Prometheus format",
		Responses: map[string]*huma.Response{
			"200":     {Description: "OK", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: "string"}}}},
			"default": {Description: "Error", Content: s.errorContent()},
		},
	})
}

// count adds a request to the metrics. Their labels are routes, never paths,
// and methods that exist, so that clients cannot make up new ones.
func (s *server) count(r *http.Request, status int, took time.Duration) {
	_, route, _ := strings.Cut(r.Pattern, " ")
	if route == "" {
		route = none
	}
	countRequest(s.cfg.Metrics, r, route, status)
	if route != none {
		s.took[route].Observe(took)
	}
}

func countRequest(set *metrics.Set, r *http.Request, route string, status int) {
	verb := method(r)
	if verb != r.Method {
		verb = "other"
	}
	class := max(status, http.StatusOK) / 100 // of nothing written net/http makes 200
	set.GetOrCreateCounter(fmt.Sprintf(`docent_http_requests_total{route=%q,method=%q,status="%dxx"}`, route, verb, class)).Inc()
}
