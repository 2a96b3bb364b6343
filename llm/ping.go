package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"docent/internal/fault"
)

// maxListed bounds the model names in an error message.
const maxListed = 8

// Ping checks that the server responds, accepts the key, and has the model. It
// sends one call of one token without retries. The error names the setting to
// check. If the model is missing, it lists the models of the server.
func (o *OpenAI) Ping(ctx context.Context) error {
	req, err := o.request([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Say ok.")}, llms.CallOptions{MaxTokens: 1})
	if err != nil {
		return fmt.Errorf("llm ping %s: %w", o.cfg.Model, err)
	}
	_, err = o.generate(ctx, req, &sink{}, 0)
	var refusal *StatusError
	switch {
	case errors.As(err, &refusal) && refusal.Status == http.StatusNotFound:
		if names, e := o.Models(ctx); e == nil && len(names) > 0 {
			if len(names) > maxListed {
				names = append(names[:maxListed], "…")
			}
			return fault.Wrap(fault.Unavailable, err,
				"model_not_on_server", "the model server has no model %q (%s); it has: %s", o.cfg.Model, o.cfg.Settings.Model,
				strings.Join(names, ", "))
		}
	case errors.As(err, &refusal) && refusal.Status == http.StatusBadRequest:
		// Reasoning models refuse such a short answer. Then it is enough that
		// the server, which accepted the key, lists the model.
		if names, e := o.Models(ctx); e == nil && slices.Contains(names, o.cfg.Model) {
			return nil
		}
	}
	return err
}

// Models lists the names of the server's models.
func (o *OpenAI) Models(ctx context.Context) ([]string, error) {
	call, cancel := context.WithTimeoutCause(ctx, o.cfg.Timeout, errTimeout)
	defer cancel()
	list, err := o.client(&exchange{server: o.cfg.server, now: time.Now}).ListModels(call)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("llm list models: %w", ctx.Err())
		}
		var refusal *StatusError
		if errors.As(err, &refusal) && refusal.Status == http.StatusNotFound {
			return nil, fmt.Errorf("llm list models: %w", fault.Wrap(fault.Unavailable, err,
				"models_unlisted", "the model server does not list its models"))
		}
		return nil, fmt.Errorf("llm list models: %w", o.explain(call, o.cfg.Model, err).err)
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.ID)
	}
	return names, nil
}
