package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"docent/internal/fault"
)

const (
	// maxBackoff bounds the doubling wait between retries.
	maxBackoff = 20 * time.Second
	// maxRetryAfter is the longest wait a server may ask for; beyond it the
	// call fails and says when to come back.
	maxRetryAfter = time.Minute
)

// StatusError is a server's refusal. It is found in the chain of errors that
// GenerateContent returns.
type StatusError struct {
	// Status is the HTTP status code.
	Status int
	// Code is the server's own code, "" if it sent none.
	Code string
	// Message is the server's own text in one line, cut to 500 bytes. It may
	// repeat what was asked, so it is for logs and not for clients.
	Message string
	// RetryAfter is how long the server asks to wait; 0 if it does not.
	RetryAfter time.Duration
}

// Error returns status, code and message.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("status %d %s", e.Status, http.StatusText(e.Status))
	if e.Code != "" {
		s += " (" + e.Code + ")"
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// ErrNoTools is in the chain of the error with which a server refuses a request
// because its model cannot call tools: the same without tools may succeed.
var ErrNoTools = errors.New("the model cannot call tools")

var (
	errTimeout = errors.New("timeout of the whole call")
	errIdle    = errors.New("timeout between two pieces of the stream")
	errCut     = errors.New("the stream ended before the answer was complete")
)

// failure is a failed attempt, explained.
type failure struct {
	err   error
	retry bool          // the same request may succeed soon
	after time.Duration // as the server asked; 0 if it did not
}

// explain says what an error of an attempt means. ctx is the attempt's own
// context; the caller's is dealt with before.
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
		return failure{err: unavailable("model_unfinished", "the model did not finish within %v (%s)", o.cfg.Timeout, s.Timeout)}
	case errors.Is(context.Cause(ctx), errIdle):
		return failure{retry: true, err: unavailable("model_stalled", "the model server fell silent for %v in the middle of an answer; ask again", o.cfg.IdleTimeout)}
	case errors.As(err, &refusal):
		return o.refused(model, refusal)
	case errors.As(err, &frame):
		if status, e := strconv.Atoi(frame.code); e == nil && status >= 400 && status < 600 {
			return o.refused(model, &StatusError{Status: status, Message: blot(frame.message, o.cfg.APIKey)})
		}
		frame.message = blot(frame.message, o.cfg.APIKey)
		return failure{retry: true, err: unavailable("model_broke_off", "the model server broke off its answer with an error; ask again")}
	case errors.Is(err, errCut):
		return failure{retry: true, err: unavailable("model_cut_off", "the model server broke off its answer; ask again")}
	case errors.Is(err, errPage):
		return failure{err: unavailable("model_is_web_page", "the address answers with a web page, not as a model server: check %s, which often ends in /v1", s.URL)}
	case errors.As(err, &network):
		return failure{retry: worthRetrying(network), err: unavailable("model_unreachable", "the model server does not answer; is %s right and the server running?", s.URL)}
	case unsent(err):
		return failure{err: fault.Wrap(fault.Invalid, err,
			"model_request_unsupported", "the model %q does not take such a request: %v", model, err)}
	default:
		return failure{err: unavailable("model_answer_unreadable", "the model server's answer could not be read; ask again")}
	}
}

// unsent reports that go-openai held a request back because it knows that
// OpenAI's model refuses it.
func unsent(err error) bool {
	for _, e := range []error{
		openai.ErrReasoningEffortUnsupported, openai.ErrReasoningToolsRequireResponses, openai.ErrReasoningSamplingUnsupported,
		openai.ErrReasoningModelMaxTokensDeprecated, openai.ErrReasoningModelLimitationsLogprobs, openai.ErrReasoningModelLimitationsOther,
		openai.ErrChatCompletionInvalidModel,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// worthRetrying tells a server that may be restarting from an address that is wrong.
func worthRetrying(err *url.Error) bool {
	var cert *tls.CertificateVerificationError
	var dns *net.DNSError
	return !errors.As(err, &cert) && !(errors.As(err, &dns) && dns.IsNotFound)
}

// refused explains a status. The server's words stay in the cause.
func (o *OpenAI) refused(model string, e *StatusError) failure {
	s := o.cfg.Settings
	f := failure{after: e.RetryAfter}
	wrap := func(kind fault.Kind, id, format string, args ...any) failure {
		f.err = fault.Wrap(kind, e, id, format, args...)
		return f
	}
	// Refusals of docent by its model server are Unavailable to docent's own
	// clients: logging in to docent would not mend them.
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		if o.cfg.APIKey == "" {
			return wrap(fault.Unavailable, "model_key_missing", "the model server wants a key: set %s", s.Key)
		}
		return wrap(fault.Unavailable, "model_key_refused", "the model server does not accept the key or does not allow it the model %q: check %s", model, s.Key)
	case e.Status == http.StatusNotFound:
		return wrap(fault.Unavailable, "model_not_found", "the model server knows no model %q, or nothing is at this address: check %s and %s, which often ends in /v1", model, s.Model, s.URL)
	case e.Status == http.StatusPaymentRequired || e.Code == "insufficient_quota":
		return wrap(fault.Unavailable, "model_no_credit", "the model account has no credit left")
	case e.Status == http.StatusTooManyRequests:
		f.retry = true
		return wrap(fault.RateLimited, "model_rate_limited", "the model server is asked too often; try again later")
	case e.Status/100 == 5 && e.Status != http.StatusNotImplemented, e.Status == http.StatusRequestTimeout, e.Status == http.StatusTooEarly:
		f.retry = true
		return wrap(fault.Unavailable, "model_problem", "the model server has a problem (status %d); try again later", e.Status)
	case e.Status/100 == 3:
		return wrap(fault.Unavailable, "model_moved", "the model server is at another address (status %d): check %s", e.Status, s.URL)
	case tooLong(e):
		return wrap(fault.Invalid, "model_prompt_too_long", "the question with its passages is too long for the model")
	default:
		return wrap(fault.Unavailable, "model_refused", "the model server refused the request (status %d)", e.Status)
	}
}

// tooLong reports that a server refused a request for its length: the one
// refusal that a shorter question mends. Servers say so in a status, a code or
// in words alone.
func tooLong(e *StatusError) bool {
	if e.Status == http.StatusRequestEntityTooLarge || e.Code == "context_length_exceeded" {
		return true
	}
	return e.Status == http.StatusBadRequest && longPrompt.MatchString(e.Message)
}

// longPrompt is how OpenAI, vLLM, llama.cpp and their like put it.
var longPrompt = regexp.MustCompile(`(?i)maximum context length|(exceeds?|exceeded) the (available |model's )?(maximum )?context|prompt is too long`)

// refusesTools reports that a server refused a request for its tools. There is
// no code for it, so the words have to do.
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

// noTools is how Ollama, OpenAI, DeepSeek, OpenRouter, Groq, Mistral, vLLM and
// llama.cpp put it.
var noTools = regexp.MustCompile(`(?i)does(?: not|n't) support (?:the )?(?:tools?|function)\b|no endpoints found that support tool|` +
	`\b(?:tools?|tool[ _-]?calling|tool calls|tool use|function[ -]calling|function calls)\W{0,3}(?:is|are) not (?:supported|enabled|available)|` +
	`tool choice requires --|tools param requires`)

// pause is how long to wait before retry n, counted from 0; false if the server
// asks for more patience than a call has.
func (o *OpenAI) pause(f failure, n int) (time.Duration, bool) {
	if f.after > 0 {
		return f.after, f.after <= maxRetryAfter
	}
	d := o.cfg.Backoff
	for range n {
		d = min(d*2, maxBackoff)
	}
	return d/2 + rand.N(d/2+1), true // spread, so that many callers do not come back at once
}

// retryAfter reads how long the server asks to wait, as seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e6 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}
