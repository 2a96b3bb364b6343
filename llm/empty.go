package llm

import (
	"fmt"
	"strings"

	"docent/internal/fault"
)

// EmptyAnswerError is the cause of the error of an answer without text.
type EmptyAnswerError struct {
	// Reason is the server's reason for the end of the answer.
	Reason string
	// Reasoned says that the model has written reasoning.
	Reasoned bool
	// Limit says that the model reached its length limit, or used it for reasoning.
	Limit bool
	// Called says that the model asked for a tool that docent did not offer.
	Called bool
}

// Error describes the answer.
func (e *EmptyAnswerError) Error() string {
	return fmt.Sprintf("an answer without text (finish reason %q, reasoning: %t)", e.Reason, e.Reasoned)
}

// EmptyError returns the error of an answer without text. It names the setting that
// helps.
func EmptyError(model string, a Answer) error {
	e := &EmptyAnswerError{
		Reason: a.StopReason, Reasoned: strings.TrimSpace(a.Reasoning) != "", Limit: a.StopReason == "length", Called: len(a.Calls) > 0,
	}
	switch {
	case e.Called:
		return fault.Wrap(fault.Unavailable, e,
			"model_called_without_tools", "the model %s asked for the tool %q, which docent did not offer, and wrote no answer; choose another model with --model",
			model, a.Calls[0].Name)
	case e.Limit && e.Reasoned:
		return fault.Wrap(fault.Unavailable, e, "model_only_reasoned",
			"the model %s reached its length limit while it was still reasoning; a higher --max-tokens gives it room for the answer", model)
	case e.Limit:
		return fault.Wrap(fault.Unavailable, e, "model_limit_too_low",
			"the model %s reached its length limit before it wrote text; a higher --max-tokens gives it room for the answer", model)
	case e.Reasoned:
		return fault.Wrap(fault.Unavailable, e,
			"model_reasoned_without_answer", "the model %s ended its reasoning without an answer (finish reason %q); raise --max-tokens, check the reasoning parser of the model server, or choose another model with --model",
			model, a.StopReason)
	default:
		return fault.Wrap(fault.Unavailable, e,
			"model_answer_empty", "the model %s returned an empty answer (finish reason %q); ask again", model, a.StopReason)
	}
}
