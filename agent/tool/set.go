package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"docent/internal/fault"
	"docent/internal/trace"
)

const (
	// DefaultTimeout is the timeout of a call.
	DefaultTimeout = 30 * time.Second
	// DefaultMaxResult is the maximum length of a result in characters, as in BAF.
	DefaultMaxResult = 200_000
	// MaxTools limits the tools of a Set. Models choose badly even among far fewer.
	MaxTools = 128
	// MaxStray limits the running calls that have exceeded their timeout. With more, the Set starts no other calls.
	MaxStray = 32
	// grace is the time that a call has to return after its context ended. Then its caller stops waiting.
	grace = time.Second
)

// SetConfig configures a Set.
type SetConfig struct {
	// Tools are offered in this order. Their names are unique.
	Tools []Tool
	// Timeout is the timeout of tools without one. Default: DefaultTimeout.
	Timeout time.Duration
	// MaxResult is the maximum length of a result, in characters. A longer result is cut, with a note about its length.
	// Default: DefaultMaxResult.
	MaxResult int
	// Log receives panics, internal failures, and calls that do not return. Default: nil, which discards them.
	Log *slog.Logger
	// Attrs returns attributes for the records of a call, such as the session. Default: nil, none.
	Attrs func(ctx context.Context) []any
}

// Set holds the tools of an agent. It is safe for concurrent use.
type Set struct {
	cfg    SetConfig
	byName map[string]*entry

	// mu guards the following fields.
	mu sync.Mutex
	// running counts the calls that have not returned. stray counts those without a waiting caller.
	running, stray int
	// idle is closed when no call is running. It is nil if nobody waits.
	idle chan struct{}
}

type entry struct {
	Tool
	schema *jsonschema.Schema
	// resolved checks the rest of the schema, besides types and names. It is nil if the library does not support the schema.
	resolved *jsonschema.Resolved
}

// Outcome is the result of a call.
type Outcome struct {
	// Content is the result for the model and for people who watch the steps. It is valid UTF-8 without NUL.
	Content string
	// IsError reports that the call failed. Content then begins with "ERROR: ".
	IsError bool
	// Cause is the error of a failed call. It is nil for errors of a Tool with Withheld, except wrong arguments. It does not
	// repeat the values of arguments.
	Cause error
}

// NewSet checks the tools.
func NewSet(cfg SetConfig) (*Set, error) {
	if cfg.Timeout < 0 || cfg.MaxResult < 0 {
		return nil, fault.New(fault.Invalid, "tools_config_negative", "tools: Timeout and MaxResult cannot be negative")
	}
	if len(cfg.Tools) > MaxTools {
		return nil, fault.New(fault.Invalid, "tools_too_many", "tools: %d are too many; at most %d are allowed", len(cfg.Tools), MaxTools)
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	cfg.MaxResult = cmp.Or(cfg.MaxResult, DefaultMaxResult)
	cfg.Tools = slices.Clone(cfg.Tools)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Set{cfg: cfg, byName: make(map[string]*entry, len(cfg.Tools))}
	for i := range cfg.Tools {
		t := &cfg.Tools[i]
		if len(t.Parameters) == 0 {
			t.Parameters = noParameters
		}
		if err := t.validate(); err != nil {
			return nil, err
		}
		if s.byName[t.Name] != nil {
			return nil, fault.New(fault.Invalid, "tool_name_twice", "two tools are called %s", t.Name)
		}
		schema, resolved, err := readSchema(t.Parameters)
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, err,
				"tool_schema_invalid", "tool %s: its parameters are not a JSON Schema of an object", t.Name)
		}
		s.byName[t.Name] = &entry{Tool: *t, schema: schema, resolved: resolved}
	}
	return s, nil
}

// Tools returns the tools in order.
func (s *Set) Tools() []Tool { return slices.Clone(s.cfg.Tools) }

// Check returns the outcome of a call that Invoke would refuse without running the tool. It returns false for any other call.
func (s *Set) Check(name string, arguments json.RawMessage) (out Outcome, refused bool) {
	e := s.byName[name]
	if e == nil {
		return s.failed(name, refusal("", "tool '%s' is not registered", clip(name, 64))), true
	}
	defer func() { // of a schema
		if v := recover(); v != nil {
			out, refused = s.failed(name, refusal("ToolError", "Tool '%s' cannot check its arguments", name)), true
		}
	}()
	if _, err := e.arguments(arguments); err != nil {
		return s.failed(name, err), true
	}
	return Outcome{}, false
}

// Invoke runs a tool. The outcome also describes every failure: an unknown tool, wrong arguments, an error, a panic, a
// timeout, or the end of ctx. Invoke returns shortly after ctx or the timeout ends, even if the tool goes on.
func (s *Set) Invoke(ctx context.Context, name string, arguments json.RawMessage) (out Outcome) {
	e := s.byName[name]
	if e == nil {
		return s.failed(name, refusal("", "tool '%s' is not registered", clip(name, 64)))
	}
	ctx, span := trace.Begin(ctx, trace.Internal, "execute_tool "+name,
		"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", name, "gen_ai.tool.type", "function")
	defer func() { // of a schema or of a result's MarshalJSON
		if v := recover(); v != nil {
			out = s.failed(name, s.panicked(ctx, e, v))
		}
		if out.IsError {
			span.Fail("tool_error")
		}
		span.End(nil)
	}()
	args, err := e.arguments(arguments)
	if err != nil {
		out := s.failed(name, err)
		var wrong *argumentError
		if errors.As(err, &wrong) {
			out.Cause = refusal("", "%s", wrong.safe)
		}
		return out
	}
	timeout := cmp.Or(e.Timeout, s.cfg.Timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	if ctx.Err() != nil {
		return s.failed(name, e.ended(ctx, timeout))
	}
	result, err := s.call(ctx, e, args)
	if err != nil {
		if ctx.Err() != nil {
			err = e.ended(ctx, timeout)
		}
		s.logFailure(ctx, e, err)
		out := s.failed(name, err)
		if e.Withheld {
			out.Cause = nil
		}
		return out
	}
	content, err := render(result)
	if err != nil {
		return s.failed(name, refusal("ToolError", "Tool '%s' returned something that cannot be shown", name))
	}
	return Outcome{Content: bound(content, s.cfg.MaxResult)}
}

// Wait waits for calls that did not return in time. Call it at the end of the program, after the last Invoke.
func (s *Set) Wait(ctx context.Context) error {
	s.mu.Lock()
	running := s.running
	if running > 0 && s.idle == nil {
		s.idle = make(chan struct{})
	}
	idle := s.idle
	s.mu.Unlock()
	if running == 0 {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fault.Wrap(fault.Unavailable, context.Cause(ctx), "tool_calls_running", "%d tool calls are still running", running)
	}
}

// Stray returns the number of running calls that did not return in time.
func (s *Set) Stray() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stray
}

var (
	errTimeout = errors.New("tool: timeout")
	errStray   = errors.New("tool: did not return")
)

// ended returns the reason why ctx ended a call.
func (e *entry) ended(ctx context.Context, timeout time.Duration) error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		return refusal("ToolError", "Tool '%s' timed out after %s", e.Name, timeout)
	}
	return refusal("ToolError", "Tool '%s' was stopped", e.Name)
}

// logFailure logs failures that the caller cannot fix.
func (s *Set) logFailure(ctx context.Context, e *entry, err error) {
	var own *Error
	kind := fault.KindOf(err)
	if errors.As(err, &own) || kind != fault.Internal && kind != fault.Unavailable {
		return
	}
	var types []string
	for at := err; at != nil; at = errors.Unwrap(at) {
		types = append(types, fmt.Sprintf("%T", at))
	}
	attrs := []any{"kind", string(kind), "types", strings.Join(types, " > ")}
	if !e.Withheld {
		attrs = append(attrs, "text", clip(err.Error(), maxError))
	}
	s.logError(ctx, "a tool failed", e, attrs...)
}

// panicked logs a panic and returns the part of it that the model may see.
func (s *Set) panicked(ctx context.Context, e *entry, v any) error {
	what := fmt.Sprintf("%T", v)
	if !e.Withheld {
		what = clip(fmt.Sprint(v), maxError)
	}
	s.logError(ctx, "a tool panicked", e, "panic", what, "stack", string(debug.Stack()))
	return refusal("ToolError", "Tool '%s' failed unexpectedly", e.Name)
}

// logError logs a failure of a tool.
func (s *Set) logError(ctx context.Context, what string, e *entry, attrs ...any) {
	attrs = append([]any{"tool", e.Name}, attrs...)
	if s.cfg.Attrs != nil {
		attrs = append(attrs, s.cfg.Attrs(ctx)...)
	}
	s.cfg.Log.ErrorContext(ctx, what, attrs...)
}
