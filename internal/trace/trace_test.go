package trace_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"docent/internal/trace"
)

// receive starts a collector. The function closes the tracer and returns the spans by name.
func receive(t *testing.T) (*trace.Tracer, func() map[string]*spans.Span) {
	t.Helper()
	got := make(chan []byte, 16)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		got <- body
	}))
	t.Cleanup(server.Close)
	tracer, err := trace.New(t.Context(), trace.Config{Endpoint: server.URL + "/", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return tracer, func() map[string]*spans.Span {
		if err := tracer.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		out := map[string]*spans.Span{}
		for len(got) > 0 {
			var in collector.ExportTraceServiceRequest
			if err := proto.Unmarshal(<-got, &in); err != nil {
				t.Fatal(err)
			}
			for _, r := range in.GetResourceSpans() {
				for _, s := range r.GetScopeSpans() {
					for _, span := range s.GetSpans() {
						out[span.GetName()] = span
					}
				}
			}
		}
		return out
	}
}

// TestPropagation: requests continue the trace of their header and pass it on.
func TestPropagation(t *testing.T) {
	t.Parallel()
	tracer, received := receive(t)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	var passed string
	next := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { passed = r.Header.Get("Traceparent") }))
	t.Cleanup(next.Close)
	client := http.Client{Transport: trace.Transport(http.DefaultTransport)}
	handler := tracer.Handler(tracer.Requests(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		defer trace.Answered(r.Context(), r.Method, "/api/ask", http.StatusBadGateway)
		ctx, span := trace.Begin(r.Context(), trace.Client, "call", "n", 3, "empty", "")
		defer span.End(errors.New("a secret"))
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, next.URL, http.NoBody)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		_ = resp.Body.Close()
	})))
	req := httptest.NewRequest(http.MethodPost, "/api/ask?q=secret", http.NoBody)
	req.Header.Set("Traceparent", parent)
	handler.ServeHTTP(httptest.NewRecorder(), req)
	all := received()
	server, call := all["POST /api/ask"], all["call"]
	if server == nil || call == nil || len(all) != 2 {
		t.Fatalf("spans: %v", all)
	}
	if string(call.GetParentSpanId()) != string(server.GetSpanId()) || string(call.GetTraceId()) != string(server.GetTraceId()) {
		t.Error("the call is not below the request")
	}
	want := "00-0af7651916cd43dd8448eb211c80319c-" + hex.EncodeToString(call.GetSpanId()) + "-01"
	if passed != want || hex.EncodeToString(server.GetParentSpanId()) != "b7ad6b7169203331" {
		t.Errorf("passed on %q, want %q; the parent is %s", passed, want, hex.EncodeToString(server.GetParentSpanId()))
	}
	if call.GetStatus().GetMessage() != "internal" || len(call.GetAttributes()) != 2 {
		t.Errorf("the failed span is %v", call)
	}
	if a := fmt.Sprint(server.GetAttributes()); !strings.Contains(a, "int_value:502") || server.GetStatus().GetMessage() != "502" {
		t.Errorf("the span of the request is %v", server)
	}
}

// TestMonitoring: requests of monitors have no span.
func TestMonitoring(t *testing.T) {
	t.Parallel()
	tracer, received := receive(t)
	handler := tracer.Handler(tracer.Requests(http.NotFoundHandler()))
	for _, path := range []string{"/metrics", "/api/health", "/api/ready"} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, http.NoBody))
	}
	if all := received(); len(all) > 0 {
		t.Errorf("spans: %v", all)
	}
}

// TestParent: work that outlives a request continues its trace.
func TestParent(t *testing.T) {
	t.Parallel()
	tracer, received := receive(t)
	ctx, first := trace.Begin(tracer.Context(t.Context()), trace.Internal, "first")
	parent := trace.ParentOf(ctx)
	first.End(nil)
	_, second := trace.Begin(trace.WithParent(tracer.Context(t.Context()), parent), trace.Internal, "second")
	second.End(nil)
	all := received()
	if string(all["second"].GetParentSpanId()) != string(all["first"].GetSpanId()) {
		t.Errorf("spans: %v", all)
	}
}

// TestOff: without a tracer, nothing changes and nothing fails.
func TestOff(t *testing.T) {
	t.Parallel()
	var tracer *trace.Tracer
	ctx, span := trace.Begin(tracer.Context(t.Context()), trace.Internal, "off")
	span.Set("a", 1)
	span.Fail("x")
	span.End(errors.New("x"))
	if ctx != t.Context() || span != nil || trace.WithParent(ctx, trace.ParentOf(ctx)) != ctx {
		t.Error("a context without a tracer has changed")
	}
	trace.Answered(ctx, http.MethodGet, "/", http.StatusOK)
	if err := tracer.Close(ctx); err != nil {
		t.Error(err)
	}
}

// BenchmarkOff measures a span without a tracer.
func BenchmarkOff(b *testing.B) {
	ctx := context.WithValue(b.Context(), new(int), 1)
	for b.Loop() {
		_, span := trace.Begin(ctx, trace.Internal, "off", "gen_ai.operation.name", "chat")
		span.End(nil)
	}
}
