// Package trace records spans of questions, turns, searches, model calls, tool calls, and the
// store, and sends them with OpenTelemetry. The context carries the tracer and the current span.
// Without a tracer in the context, all functions do nothing. Spans hold names, counts, and kinds
// of errors, but no words of users or documents.
package trace

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otel "go.opentelemetry.io/otel/trace"

	"docent/internal/fault"
)

// Config describes a Tracer.
type Config struct {
	// Endpoint is the URL of the collector in front of /v1/traces. Required.
	Endpoint string
	// Version is the version of the program. Default: "".
	Version string
	// Logger receives failures to send spans. Default: nil, which discards them.
	Logger *slog.Logger
}

// Tracer sends spans to a collector. It keeps at most 2,048 spans that wait, and drops more. A
// nil Tracer is off. It is safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   otel.Tracer
}

// propagator reads and writes the header traceparent.
var propagator = propagation.TraceContext{}

// New returns a Tracer. It does not connect yet.
func New(ctx context.Context, cfg Config) (*Tracer, error) {
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(strings.TrimRight(cfg.Endpoint, "/")+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "docent"), attribute.String("service.version", cfg.Version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(logged{exporter, cfg.Logger}), sdk.WithResource(about))
	return &Tracer{provider, provider.Tracer("docent")}, nil
}

// logged logs the failures of an exporter. Otherwise OpenTelemetry writes them to standard error.
type logged struct {
	sdk.SpanExporter

	log *slog.Logger
}

// ExportSpans implements sdk.SpanExporter.
func (l logged) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := l.SpanExporter.ExportSpans(ctx, spans); err != nil {
		l.log.WarnContext(ctx, "send spans", "spans", len(spans), "error", err)
	}
	return nil
}

// Close sends the waiting spans and ends the work in the background, at the latest when ctx ends.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

type tracerKey struct{}

// Context returns ctx with the tracer.
func (t *Tracer) Context(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, tracerKey{}, t)
}

// Handler adds the tracer and the span of the header traceparent to the context of each request.
func (t *Tracer) Handler(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagator.Extract(t.Context(r.Context()), propagation.HeaderCarrier(r.Header))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Requests begins a span for each request, except those of monitoring. It does not fit
// WebSockets, whose connections stay open.
func (t *Tracer) Requests(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(monitoring, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		ctx, span := Begin(r.Context(), Server, r.Method, "http.request.method", r.Method, "url.path", r.URL.Path[:min(len(r.URL.Path), maxPath)])
		defer span.End(nil)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// maxPath bounds a path in a span, in bytes.
const maxPath = 256

// monitoring are the paths without spans.
var monitoring = []string{"/metrics", "/api/health", "/api/ready"}

// Answered adds the route and the status of a response to the current span of ctx, which
// Requests began. Its name becomes METHOD ROUTE.
func Answered(ctx context.Context, method, route string, status int) {
	s := Span{otel.SpanFromContext(ctx)}
	if !s.span.IsRecording() {
		return
	}
	s.span.SetName(method + " " + route)
	s.Set("http.route", route, "http.response.status_code", status)
	if status >= http.StatusInternalServerError {
		s.Fail(strconv.Itoa(status))
	}
}

// Transport adds the header traceparent to requests within a span. It passes other requests
// on unchanged.
func Transport(next http.RoundTripper) http.RoundTripper { return transport{next} }

type transport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if otel.SpanContextFromContext(r.Context()).IsValid() {
		r = r.Clone(r.Context()) // a RoundTripper may not change its request
		propagator.Inject(r.Context(), propagation.HeaderCarrier(r.Header))
	}
	return t.next.RoundTrip(r) //nolint:wrapcheck // a RoundTripper returns the error of the next one
}

// Parent names a span as the parent of later ones. The zero Parent names none.
type Parent struct{ span otel.SpanContext }

// ParentOf returns the current span of ctx.
func ParentOf(ctx context.Context) Parent { return Parent{otel.SpanContextFromContext(ctx)} }

// WithParent returns ctx with another current span.
func WithParent(ctx context.Context, p Parent) context.Context {
	if !p.span.IsValid() {
		return ctx
	}
	return otel.ContextWithSpanContext(ctx, p.span)
}

// Span is an open span. A nil Span does nothing. It is safe for concurrent use.
type Span struct{ span otel.Span }

// Kind says in which direction a span calls.
type Kind = otel.SpanKind

// The kinds.
const (
	// Internal is work of docent itself.
	Internal = otel.SpanKindInternal
	// Client is a call of another program.
	Client = otel.SpanKindClient
	// Server answers a request.
	Server = otel.SpanKindServer
)

// Begin begins a span below the current one of ctx. The caller calls End. Without a tracer it
// returns ctx and nil. Attributes are pairs of a name and a string, an int, or a float64.
func Begin(ctx context.Context, kind Kind, name string, attrs ...any) (context.Context, *Span) {
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	if t == nil {
		return ctx, nil
	}
	ctx, span := t.tracer.Start(ctx, name, otel.WithSpanKind(kind))
	s := &Span{span}
	s.Set(attrs...)
	return ctx, s
}

// Set adds attributes to a span. Empty strings and pairs of other types are ignored.
func (s *Span) Set(attrs ...any) {
	if s == nil {
		return
	}
	for i := 0; i+1 < len(attrs); i += 2 {
		name, ok := attrs[i].(string)
		if !ok {
			continue
		}
		switch v := attrs[i+1].(type) {
		case string:
			if v != "" {
				s.span.SetAttributes(attribute.String(name, v))
			}
		case int:
			s.span.SetAttributes(attribute.Int(name, v))
		case float64:
			s.span.SetAttributes(attribute.Float64(name, v))
		}
	}
}

// End ends a span. An error sets its status and error.type, without the text of the error.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	if err != nil {
		s.Fail(string(fault.KindOf(err)))
	}
	s.span.End()
}

// Fail marks a span as failed. kind is its error.type.
func (s *Span) Fail(kind string) {
	if s == nil {
		return
	}
	s.span.SetStatus(codes.Error, kind)
	s.span.SetAttributes(attribute.String("error.type", kind))
}
