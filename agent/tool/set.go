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
)

const (
	// DefaultTimeout is how long a call may take.
	DefaultTimeout = 30 * time.Second
	// DefaultMaxResult is how many characters of a result are kept, as in BAF.
	DefaultMaxResult = 200_000
	// MaxTools bounds a Set; models choose badly among far fewer.
	MaxTools = 128
	// MaxStray is how many calls that did not return when their time was over
	// may still run; with more the Set refuses to start others.
	MaxStray = 32
	// grace is how long a call may go on after its context ended before it is
	// left behind.
	grace = time.Second
)

// SetConfig says which tools there are.
type SetConfig struct {
	// Tools are offered in this order; their names are unique.
	Tools []Tool
	// Timeout is how long a call of a tool without one may take; default
	// DefaultTimeout.
	Timeout time.Duration
	// MaxResult is how many characters of a result are kept; the rest is cut
	// off with a note that gives the total. Default DefaultMaxResult.
	MaxResult int
	// Log hears of panics, of failures inside docent and of calls that do not
	// return; default: nobody.
	Log *slog.Logger
}

// Set is the tools of an agent. It is safe for concurrent use.
type Set struct {
	cfg    SetConfig
	byName map[string]*entry

	// mu guards what follows.
	mu sync.Mutex
	// running counts the calls that have not returned, stray those of them
	// that nobody waits for any more.
	running, stray int
	// idle, if somebody waits for it, is closed when none is running.
	idle chan struct{}
}

type entry struct {
	Tool
	schema *jsonschema.Schema
	// resolved checks what types and names do not tell; nil if it cannot.
	resolved *jsonschema.Resolved
}

// Outcome is what a call came to.
type Outcome struct {
	// Content is the result as the model and who watches the steps see it. It
	// is valid UTF-8 without NUL.
	Content string
	// IsError reports that the call failed; Content then begins with "ERROR: ".
	IsError bool
}

// NewSet checks the tools.
func NewSet(cfg SetConfig) (*Set, error) {
	if cfg.Timeout < 0 || cfg.MaxResult < 0 {
		return nil, fault.New(fault.Invalid, "tools_config_negative", "tools: Timeout and MaxResult cannot be negative")
	}
	if len(cfg.Tools) > MaxTools {
		return nil, fault.New(fault.Invalid, "tools_too_many", "tools: %d are too many, at most %d are allowed", len(cfg.Tools), MaxTools)
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

// Tools returns the tools in their order.
func (s *Set) Tools() []Tool { return slices.Clone(s.cfg.Tools) }

// Invoke runs a tool. Whatever goes wrong is part of the outcome: a tool that
// is not there, arguments that do not fit, an error, a panic, a timeout, the
// end of ctx. It returns about when ctx or the tool's time ends, whatever the
// tool does.
func (s *Set) Invoke(ctx context.Context, name string, arguments json.RawMessage) (out Outcome) {
	e := s.byName[name]
	if e == nil {
		return s.failed(name, refusal("", "tool '%s' is not registered", clip(name, 64)))
	}
	defer func() { // of a schema or of a result's MarshalJSON
		if v := recover(); v != nil {
			out = s.failed(name, s.panicked(e, v))
		}
	}()
	args, err := e.arguments(arguments)
	if err != nil {
		return s.failed(name, err)
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
		s.logFailure(e, err)
		return s.failed(name, err)
	}
	content, err := render(result)
	if err != nil {
		return s.failed(name, refusal("ToolError", "Tool '%s' returned something that cannot be shown", name))
	}
	return Outcome{Content: bound(content, s.cfg.MaxResult)}
}

// Wait waits for calls that did not return when their time was over. It is for
// the end of the program, after the last Invoke.
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
		return fault.Wrap(fault.Unavailable, context.Cause(ctx), "tool_calls_running", "%d tool calls have not returned", running)
	}
}

// Stray is how many calls still run that did not return when their time was
// over.
func (s *Set) Stray() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stray
}

var (
	errTimeout = errors.New("tool: timeout")
	errStray   = errors.New("tool: did not return")
)

// ended says why ctx ended a call.
func (e *entry) ended(ctx context.Context, timeout time.Duration) error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		return refusal("ToolError", "Tool '%s' timed out after %s", e.Name, timeout)
	}
	return refusal("ToolError", "Tool '%s' was stopped", e.Name)
}

// logFailure logs what is not the caller's to mend, without what it says, which
// may repeat what users wrote.
func (s *Set) logFailure(e *entry, err error) {
	var own *Error
	kind := fault.KindOf(err)
	if errors.As(err, &own) || kind != fault.Internal && kind != fault.Unavailable {
		return
	}
	var types []string
	for at := err; at != nil; at = errors.Unwrap(at) {
		types = append(types, fmt.Sprintf("%T", at))
	}
	s.cfg.Log.Error("a tool failed", "tool", e.Name, "kind", string(kind), "types", strings.Join(types, " > "))
}

// panicked logs a panic and says so much of it as the model may know.
func (s *Set) panicked(e *entry, v any) error {
	// The value may hold what users wrote; its type does not.
	s.cfg.Log.Error("a tool panicked", "tool", e.Name, "panic", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
	return refusal("ToolError", "Tool '%s' failed unexpectedly", e.Name)
}
