package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"docent/internal/fault"
	"docent/internal/lazyregexp"
	"docent/internal/openai"
)

// StatusError reports that the server refused a request. Errors of calls wrap it.
type StatusError = openai.StatusError

// ErrNoTools reports that the model cannot call tools. The error of the call
// wraps it. The same request without tools may succeed.
var ErrNoTools = errors.New("the model cannot call tools")

// ErrTooLong reports that the request is too long for the model. The error of the call
// wraps it. A shorter request may succeed.
var ErrTooLong = errors.New("the request is too long for the model")

// ErrFiltered reports that the content filter of the server refused the request. The error of the
// call wraps it. Another wording may succeed.
var ErrFiltered = errors.New("the content filter of the model server refused the request")

var (
	errTimeout = errors.New("timeout of the whole call")
	errIdle    = errors.New("timeout between two pieces of the stream")
	errCut     = errors.New("the stream ended before the answer was complete")
)

// failure is a failed attempt with its explanation.
type failure struct {
	err   error
	retry bool          // the same request may succeed soon
	after time.Duration // the waiting time that the server asks for; 0 without one
}

// explain returns the failure for the error of an attempt. ctx is the context of
// the attempt; the caller has checked its own.
func (o *OpenAI) explain(ctx context.Context, model string, err error) failure {
	var (
		sunk    sinkError
		refusal *StatusError
		frame   *frameError
		network *url.Error
	)
	s := o.cfg.Settings
	unavailable := func(id, format string, args ...any) error {
		return fault.Wrap(fault.Unavailable, err, id, format, args...)
	}
	switch {
	case errors.As(err, &sunk):
		return failure{err: sunk.error}
	case errors.Is(context.Cause(ctx), errTimeout):
		err = errTimeout
		if o.cfg.ForUsers {
			return failure{err: unavailable("model_too_slow",
				"the model did not finish within %v; ask a shorter question, or try again later", o.cfg.Timeout)}
		}
		return failure{err: unavailable("model_unfinished", "the model did not finish within %v (%s)", o.cfg.Timeout, s.Timeout)}
	case errors.Is(context.Cause(ctx), errIdle):
		err = errIdle
		return failure{retry: true, err: unavailable("model_stalled",
			"the model server sent nothing for %v in the middle of an answer; ask again", o.cfg.IdleTimeout)}
	case errors.As(err, &refusal):
		return o.refused(model, refusal)
	case errors.As(err, &frame):
		if status, e := strconv.Atoi(frame.code); e == nil && status >= 400 && status < 600 {
			return o.refused(model, &openai.StatusError{Status: status, Message: o.cfg.server.Redact(frame.message)})
		}
		if longPrompt.MatchString(frame.code + " " + frame.message) {
			return o.refused(model, &openai.StatusError{
				Status: http.StatusBadRequest, Code: frame.code, Message: o.cfg.server.Redact(frame.message),
			})
		}
		frame.message = o.cfg.server.Redact(frame.message)
		return failure{retry: true, err: unavailable("model_broke_off", "the model server broke off its answer with an error; ask again")}
	case errors.Is(err, errCut):
		return failure{retry: true, err: unavailable("model_cut_off", "the model server broke off its answer; ask again")}
	case errors.Is(err, errPage):
		return failure{err: o.misconfigured(err, "model_is_web_page", "the address answers with a web page, so it is not a model server; check %s (it often ends in /v1)", s.URL)}
	case errors.As(err, &network):
		if o.cfg.ForUsers {
			return failure{retry: !openai.Unreachable(network), err: unavailable("model_silent",
				"the model server does not answer; try again later")}
		}
		return failure{retry: !openai.Unreachable(network), err: unavailable("model_unreachable",
			"the model server does not answer; is %s right and the server running?", s.URL)}
	case unsent(err):
		return failure{err: fault.Wrap(fault.Invalid, err,
			"model_request_unsupported", "the model %q does not accept this request: %v", model, err)}
	default:
		return failure{err: unavailable("model_answer_unreadable", "the model server's answer could not be read; ask again")}
	}
}

// misconfigured returns the error of a wrong setting, which only the operator can
// mend.
func (o *OpenAI) misconfigured(err error, id, format string, args ...any) error {
	explained := fault.Wrap(fault.Unavailable, err, id, format, args...)
	if !o.cfg.ForUsers {
		return explained
	}
	o.cfg.Logger.Error("the chat model is not set up correctly", "reason", fault.Message(explained))
	return fault.Wrap(fault.Internal, err, "model_not_set_up",
		"the chat model is not set up correctly; an administrator finds the reason in the log of docent")
}

// refused explains a status. Only the cause has the text of the server.
func (o *OpenAI) refused(model string, e *StatusError) failure {
	s := o.cfg.Settings
	f := failure{after: e.RetryAfter}
	wrap := func(kind fault.Kind, id, format string, args ...any) failure {
		f.err = fault.Wrap(kind, e, id, format, args...)
		return f
	}
	wrong := func(id, format string, args ...any) failure {
		f.err = o.misconfigured(e, id, format, args...)
		return f
	}
	// If the model server refuses docent, this is Unavailable to docent's own
	// clients: signing in to docent would not help.
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		e.Status == http.StatusBadRequest && badKey.MatchString(e.Message):
		if o.cfg.APIKey == "" {
			return wrong("model_key_missing", "the model server needs a key; set %s", s.Key)
		}
		return wrong("model_key_refused", "the model server does not accept the key or does not allow it the model %q: check %s", model, s.Key)
	case e.Status == http.StatusNotFound:
		return wrong("model_not_found", "the model server has no model %q, or the address is wrong; check %s and %s (the address often ends in /v1)", model, s.Model, s.URL)
	case e.Status == http.StatusPaymentRequired || e.Code == "insufficient_quota":
		return wrap(fault.Unavailable, "model_no_credit", "the model account has no credit left")
	case e.Status == http.StatusTooManyRequests:
		f.retry = true
		return wrap(fault.RateLimited, "model_rate_limited", "the model server gets too many requests; try again later")
	case openai.Transient(e.Status):
		f.retry = true
		return wrap(fault.Unavailable, "model_problem", "the model server has a problem (status %d); try again later", e.Status)
	case e.Status/100 == 3:
		return wrong("model_moved", "the model server is at another address (status %d): check %s", e.Status, s.URL)
	case e.Code == "content_filter" || e.Code == "content_policy_violation" || e.Code == "data_inspection_failed":
		// The codes of Azure OpenAI, OpenAI, and Alibaba's Model Studio.
		f.err = fmt.Errorf("%w: %w", ErrFiltered, e)
		f.err = fault.Wrap(fault.Invalid, f.err, "model_filtered", "the content filter of the model server refused the question with its passages; ask in other words")
		return f
	case tooLong(e):
		f.err = fmt.Errorf("%w: %w", ErrTooLong, e)
		f.err = fault.Wrap(fault.Invalid, f.err, "model_prompt_too_long", "the question with its passages is too long for the model")
		return f
	default:
		return wrap(fault.Unavailable, "model_refused", "the model server refused the request (status %d)", e.Status)
	}
}

// tooLong reports whether a server refused a request for its length, which a
// shorter question avoids. Servers say so with a status, a code, or only a
// message.
func tooLong(e *StatusError) bool {
	if e.Status == http.StatusRequestEntityTooLarge || e.Code == "context_length_exceeded" {
		return true
	}
	if limitTooHigh.MatchString(e.Message) && !aboutPrompt.MatchString(e.Message) {
		return false
	}
	return (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity || e.Status == http.StatusInternalServerError) &&
		longPrompt.MatchString(e.Code+" "+e.Message)
}

// badKey matches the messages of servers that refuse a key with status 400, such as Gemini.
var badKey = lazyregexp.New(`(?i)(?:invalid|incorrect|wrong) api[ _-]?key|api[ _-]?key (?:is )?(?:not valid|invalid|incorrect|expired)`)

// limitTooHigh matches messages about the length of answers, and aboutPrompt those about
// the whole request.
var (
	limitTooHigh = lazyregexp.New(`(?i)max_(?:completion_|output_|new_)?tokens\W{0,3}(?:is|are|must|should|cannot|exceeds)\b`)
	aboutPrompt  = lazyregexp.New(`(?i)\b(?:inputs?|prompt|messages|context)\b`)
)

// longPrompt matches the messages of OpenAI, vLLM, llama.cpp, Gemini, Mistral, Cohere,
// TGI, LM Studio, and similar servers.
var longPrompt = lazyregexp.New(`(?i)maximum context length|(?:exceeds?|exceeded|exceeding|larger than|longer than|greater than|beyond|over) (?:the |its )?(?:available |model's |model |maximum |allowed )*` +
	`(?:context|token limit|input token|sequence length|prompt length|number of tokens)|context[ _-](?:length|window|size|overflow)\w*.{0,40}(?:exceed|too|overflow|larger|smaller)|exceed_context|context_length|` +
	`(?:prompt|input|request|message)s? (?:is|are) too (?:long|large)|too (?:many|large number of) (?:input |prompt )?tokens|too large for model|` +
	`input token count.{0,40}exceeds|tokens? .{0,30}must be (?:<=|less|smaller|at most)|reduce the length|context the overflows|requested tokens .{0,20}exceed|` +
	`(?:prompt|input|token)s? length.{0,30}(?:exceed|should be|must be|longer|over|beyond)|exceed\w* (?:the )?max(?:imum)? (?:input |prompt |sequence )?length|` +
	`maximum prompt length|must have less than \d+ tokens|input tokens .{0,30}over the limit`)

// refusesTools reports whether a server refused a request for its tools. There
// is no code for it, so the message counts.
func refusesTools(err error) bool {
	var (
		refusal *StatusError
		frame   *frameError
	)
	switch {
	case errors.As(err, &refusal):
		return noTools.MatchString(refusal.Message)
	case errors.As(err, &frame):
		return noTools.MatchString(frame.message)
	default:
		return false
	}
}

// noTools matches the messages of Ollama, OpenAI, DeepSeek, OpenRouter, Groq,
// Mistral, vLLM, and llama.cpp.
var noTools = lazyregexp.New(`(?i)does(?: not|n't) support (?:the )?(?:tools?|function)\b|no endpoints found that support tool|` +
	`\b(?:tools?|tool[ _-]?calling|tool calls|tool use|function[ -]calling|function calls)\W{0,3}(?:is|are) not (?:supported|enabled|available)|` +
	`tool choice requires --|tools param requires`)
