package wiring

import (
	"context"
	"iter"
	"log/slog"

	"docent/llm"
)

// reported returns a model that logs why its server refuses. A server's models log it themselves.
func reported(b Base, with service, model llm.Model) llm.Model {
	if with.quotas != nil {
		return model
	}
	return reportedModel{model, b.Log}
}

// reportedModel logs the words with which the model server refuses a request.
type reportedModel struct {
	llm.Model

	log *slog.Logger
}

// Chat implements llm.Model.
func (m reportedModel) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for delta, err := range m.Model.Chat(ctx, req) {
			if words := llm.Reason(err); words != "" && ctx.Err() == nil {
				m.log.WarnContext(ctx, "a request to the model server failed", "model", m.Name(), "server", words)
			}
			if !yield(delta, err) {
				return
			}
		}
	}
}
