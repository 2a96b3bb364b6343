package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/tmc/langchaingo/llms"

	"docent/internal/fault"
	"docent/internal/meter"
	server "docent/internal/openai"
)

// tailTimeout is the time to wait for data after a complete answer, such as its
// token count.
const tailTimeout = 5 * time.Second

// maxWaits limits the waits that a server asks for in one call. A user waits for them. If
// the server asks for more, the call fails, so that another model or quotes can answer.
const maxWaits = 5 * time.Second

// OpenAI is a chat model on a server with OpenAI's API. It is safe for concurrent
// use. Errors have a fault kind. If the context is canceled, the error is that of
// the context. No error comes with a partial answer.
type OpenAI struct {
	cfg Config
	// shaping is the form of requests that the model accepts.
	shaping shaping
	// wait sleeps between retries; tests replace it.
	wait  func(ctx context.Context, d time.Duration) error
	took  *meter.Seconds // of calls
	habit habit
}

var (
	_ Model      = (*OpenAI)(nil)
	_ llms.Model = (*OpenAI)(nil)
)

// NewOpenAI returns the model that config describes. It does not call the
// server; see [OpenAI.Probe].
func NewOpenAI(config Config) (*OpenAI, error) {
	cfg, err := config.complete()
	if err != nil {
		return nil, err
	}
	return &OpenAI{cfg: cfg, wait: server.Wait, took: meter.New(cfg.Metrics, "docent_llm_seconds", "")}, nil
}

// Name is the name of Config.Name.
func (o *OpenAI) Name() string { return o.cfg.Name }

// Chat implements Model.
func (o *OpenAI) Chat(ctx context.Context, req Request) iter.Seq2[Delta, error] {
	return stream(ctx, o, req, &o.habit)
}

// Call asks a single question.
//
// Deprecated: it exists for langchaingo's interface; use GenerateContent.
func (o *OpenAI) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, o, prompt, options...)
}

// GenerateContent asks the model. llms.WithStreamingFunc receives text as it
// arrives, but no tool calls. StopReason is the finish reason of the server.
// GenerationInfo has the token counts under the Info keys.
func (o *OpenAI) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, option := range options {
		option(&opts)
	}
	req, err := o.request(messages, opts)
	if err != nil {
		return nil, fmt.Errorf("llm %s: %w", req.Model, err)
	}
	retries := o.cfg.MaxRetries
	if ctx.Value(noRetries{}) != nil {
		retries = 0
	}
	start := time.Now()
	resp, err := o.generate(ctx, req, &sink{text: opts.StreamingFunc, reasoning: opts.StreamingReasoningFunc}, retries)
	o.took.Observe(time.Since(start))
	if err != nil {
		if words := serverWords(err); words != "" && o.cfg.ForUsers && ctx.Err() == nil {
			o.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "the model server refused a request",
				slog.String("model", req.Model), slog.String("server", words))
		}
		o.cfg.Metrics.GetOrCreateCounter(fmt.Sprintf("docent_llm_errors_total{code=%q}", fault.KindOf(err))).Inc()
	}
	return resp, err
}

// generate sends a request, and retries if a retry may succeed.
func (o *OpenAI) generate(ctx context.Context, req openai.ChatCompletionRequest, s *sink, retries int) (*llms.ContentResponse, error) {
	call, cancel := context.WithTimeoutCause(ctx, o.cfg.Timeout, errTimeout)
	defer cancel()
	waited := time.Duration(0)
	for n := 0; ; n++ {
		resp, fail := o.attempt(call, req, s)
		if fail.err == nil {
			return resp.response(), nil
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("llm %s: %w", req.Model, err)
		}
		pause, ok := server.Pause(o.cfg.Backoff, fail.after, n)
		if fail.after > 0 {
			waited += pause
		}
		if !ok || !fail.retry || s.delivered || n >= retries || waited > maxWaits {
			return nil, fmt.Errorf("llm %s: %w", req.Model, fail.err)
		}
		o.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "model call failed, trying again",
			slog.String("model", req.Model), slog.Int("retry", n+1), slog.Duration("in", pause), slog.String("message", fault.Message(fail.err)))
		if err := o.wait(call, pause); err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("llm %s: %w", req.Model, ctx.Err())
			}
			return nil, fmt.Errorf("llm %s: %w", req.Model, fail.err) // the reason is more specific than the timeout
		}
	}
}

// once makes one HTTP request and reads its stream.
func (o *OpenAI) once(ctx context.Context, req openai.ChatCompletionRequest, whole bool, s *sink) (*answer, failure) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &exchange{server: o.cfg.server, now: time.Now, whole: whole}
	resp, err := o.read(ctx, cancel, x, req, s)
	if err != nil {
		if len(req.Tools) > 0 && refusesTools(err) {
			return nil, noToolsFailure(req.Model, o.explain(ctx, req.Model, err).err)
		}
		return nil, o.explain(ctx, req.Model, err)
	}
	return resp, failure{}
}

// noToolsFailure is the failure of a request with tools.
func noToolsFailure(model string, err error) failure {
	return failure{err: fault.Wrap(fault.Unavailable, fmt.Errorf("%w: %w", ErrNoTools, err),
		"model_without_tools", "the model %q cannot call tools", model)}
}

// read makes the request and collects its stream; cancel ends it with a cause.
func (o *OpenAI) read(
	ctx context.Context, cancel context.CancelCauseFunc, x *exchange, req openai.ChatCompletionRequest, s *sink,
) (*answer, error) {
	var a answer
	silence := time.AfterFunc(o.cfg.IdleTimeout, func() { cancel(errIdle) })
	silence.Stop() // starts with the first byte: a slow model may take long before it
	defer silence.Stop()
	x.touch = func() { silence.Reset(o.cfg.IdleTimeout) }
	stream, err := o.client(x).CreateChatCompletionStream(ctx, req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stream.Close() }()
	for {
		raw, err := stream.RecvRaw()
		if err != nil {
			cause := context.Cause(ctx)
			complete := x.done && errors.Is(err, io.EOF) ||
				a.finished() && (cause == nil || errors.Is(cause, errIdle) || errors.Is(cause, errTimeout)) // only data after the answer was lost
			switch {
			case complete && len(a.choices) == 0:
				return nil, errNoChoices
			case complete:
				return &a, nil
			case errors.Is(err, errTooLong):
				return nil, err
			default:
				return nil, fmt.Errorf("%w: %w", errCut, err)
			}
		}
		if err := a.add(ctx, raw, s); err != nil {
			return nil, err
		}
		if a.finished() {
			silence.Reset(min(tailTimeout, o.cfg.IdleTimeout))
		}
	}
}

// client returns go-openai's client on top of x.
func (o *OpenAI) client(x *exchange) *openai.Client {
	cfg := openai.DefaultConfig(o.cfg.APIKey)
	cfg.BaseURL = o.cfg.BaseURL
	cfg.HTTPClient = x
	return openai.NewClientWithConfig(cfg)
}
