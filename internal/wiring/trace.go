package wiring

import (
	"context"
	"iter"
	"net/http"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/trace"
	"docent/llm"
)

// newTracer returns the tracer of a server, or nil if no collector is configured.
func newTracer(ctx context.Context, b Base, version string) (*trace.Tracer, error) {
	if b.Config.Traces == "" {
		return nil, nil //nolint:nilnil // no tracer, as documented
	}
	return trace.New(ctx, trace.Config{Endpoint: b.Config.Traces, Version: version, Logger: b.Log})
}

// tracedClient returns an HTTP client that passes the current span on.
func tracedClient() *http.Client {
	base := http.DefaultTransport
	if t, ok := base.(*http.Transport); ok {
		base = t.Clone()
	}
	return &http.Client{Transport: trace.Transport(base)}
}

// tracedModel is a model whose calls are spans.
type tracedModel struct{ llm.Model }

// Chat implements llm.Model.
func (m tracedModel) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, span := trace.Begin(ctx, trace.Client, "chat "+m.Name(), "gen_ai.operation.name", "chat",
			"gen_ai.provider.name", "openai", "gen_ai.request.model", m.Name())
		if req.MaxTokens > 0 {
			span.Set("gen_ai.request.max_tokens", req.MaxTokens)
		}
		var failed error
		defer func() { span.End(failed) }()
		for delta, err := range m.Model.Chat(ctx, req) {
			failed = err
			if a := delta.Answer; a != nil && a.Usage != nil {
				span.Set("gen_ai.usage.input_tokens", a.Usage.Prompt, "gen_ai.usage.output_tokens", a.Usage.Completion)
			}
			if !yield(delta, err) {
				return
			}
		}
	}
}

// tracedStore returns the store of conversations in a database of a kind. While tracing
// is on, its calls are spans.
func tracedStore(tracer *trace.Tracer, store journal.Store, kind string) journal.Store {
	feedbacks, ok := store.(journal.Feedbacks)
	if tracer == nil || !ok {
		return store
	}
	return spanStore{store, feedbacks, kind}
}

// spanStore begins a span for each write of a conversation, and for reading one.
type spanStore struct {
	journal.Store
	journal.Feedbacks

	kind string
}

// begin begins the span of a call. Missing data is no failure of the store.
func (s spanStore) begin(ctx context.Context, operation string) (context.Context, func(error)) {
	system := s.kind
	if system == "postgres" {
		system = "postgresql" // as OpenTelemetry calls it
	}
	ctx, span := trace.Begin(ctx, trace.Client, "store "+operation, "db.system.name", system, "db.operation.name", operation)
	return ctx, func(err error) {
		if err != nil && fault.KindOf(err) == fault.NotFound {
			err = nil
		}
		span.End(err)
	}
}

// OpenSession implements journal.Store.
func (s spanStore) OpenSession(ctx context.Context, record journal.SessionRecord) (journal.SessionRecord, bool, error) {
	ctx, end := s.begin(ctx, "open_session")
	session, created, err := s.Store.OpenSession(ctx, record)
	end(err)
	return session, created, err //nolint:wrapcheck // the store names the operation
}

// Receive implements journal.Store.
func (s spanStore) Receive(ctx context.Context, in journal.Incoming) (journal.Receipt, error) {
	ctx, end := s.begin(ctx, "receive")
	receipt, err := s.Store.Receive(ctx, in)
	end(err)
	return receipt, err //nolint:wrapcheck // the store names the operation
}

// CommitTurn implements journal.Store.
func (s spanStore) CommitTurn(ctx context.Context, turn journal.TurnRecord) (journal.Written, error) {
	ctx, end := s.begin(ctx, "commit_turn")
	written, err := s.Store.CommitTurn(ctx, turn)
	end(err)
	return written, err //nolint:wrapcheck // the store names the operation
}
