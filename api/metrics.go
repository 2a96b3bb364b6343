package api

import (
	"net/http"

	"github.com/VictoriaMetrics/metrics"
	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/internal/meter"
)

// metricsPath is the path of the metrics.
const metricsPath = "/metrics"

// addMetrics adds the route for the metrics of all packages and of the process.
func addMetrics(r *route.Router, set *metrics.Set) {
	r.Handle("GET "+metricsPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = meter.Write(w, set.WritePrometheus, metrics.WriteProcessMetrics) // the client is gone
	})
	r.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: metricsPath, OperationID: "metrics", Tags: []string{"service"},
		Summary: "Get metrics in the Prometheus format",
		Responses: map[string]*huma.Response{
			"200":     {Description: "OK", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: "string"}}}},
			"default": {Description: "Error", Content: r.ErrorContent()},
		},
	})
}
