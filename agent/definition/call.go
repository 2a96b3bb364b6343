package definition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/agent/tool"
)

// ErrNotListed is the error of ToolServer.Tools while a file is only checked. Calls
// of tools are not checked then.
var ErrNotListed = errors.New("the tools of MCP servers are not listed")

// call reads the action call, which calls a function or a tool of an MCP server.
// otherwise are the actions after a failure; nil without any.
func (d bodies) call(n, otherwise *yaml.Node) *action {
	d.tools.called = true
	name, into := "", ""
	approve := false
	c := &consent{tools: d.tools}
	arguments := data{source: func(*agent.Session) any { return map[string]any{} }}
	keys := d.mapping(n, "call",
		field{"tool", func(n *yaml.Node) { name = d.text(n, "tool") }},
		field{"arguments", func(n *yaml.Node) {
			if n.Kind != yaml.MappingNode && n.Kind != yaml.AliasNode {
				d.wrong(n, "arguments must be lines of \"key: value\"")
				return
			}
			arguments = d.data(n, "arguments")
		}},
		field{"into", func(n *yaml.Node) { into = d.variableName(n, "into") }},
		field{"approve", func(n *yaml.Node) { approve = d.flag(n, "approve") }},
		field{"approve_within", func(n *yaml.Node) { c.within = d.duration(n, "approve_within") }},
		field{"question", func(n *yaml.Node) { c.question = d.template(n, "question") }},
	)
	d.require(n, keys, "call", "tool")
	switch {
	case approve && otherwise == nil:
		d.wrong(n, "call with approve needs else beside it: what to do if the user does not allow the call")
	case !approve && keys["approve_within"] != nil:
		d.wrong(n, "approve_within belongs to a call with approve: true")
	case !approve && keys["question"] != nil:
		d.wrong(n, "question belongs to a call with approve: true")
	}
	if name != "" && len(d.env.Functions)+len(d.tools.servers)+len(d.agentTools) == 0 {
		d.wrong(n, "there is no tool %q: register a function in the program, or name an MCP server or an agent under tools", name)
	}
	var failed []action
	if otherwise != nil {
		failed = d.actions(otherwise, "else")
	}
	return &action{history: mostHistory(failed), make: func() (agent.Body, error) {
		if err := d.tools.callable(name); err != nil {
			return nil, d.located(n, err)
		}
		recovering, err := sequence(failed)
		if err != nil {
			return nil, err
		}
		call := d.tools.caller(name)
		if approve {
			c.name = name
			call = c.call
		}
		return func(ctx context.Context, s *agent.Session) error {
			if _, ok := agent.Resumes(ctx, s); ok { // an action in else asked for an approval
				return recovering(ctx, s)
			}
			var result any
			raw, err := encoded(name, arguments.source(s))
			if err == nil {
				result, err = call(ctx, s, raw)
			}
			d.tools.awaitStray(ctx, s)
			if err != nil && into != "" { // the result of an earlier call would pass for that of this one
				s.Delete(into)
			}
			switch {
			case errors.Is(err, errAsked):
				return nil
			case err == nil && into != "":
				return s.Set(into, result)
			case err == nil:
				return nil
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case otherwise == nil:
				return fmt.Errorf("%s:%d: %w", d.file, n.Line, err)
			}
			return recovering(ctx, s)
		}, nil
	}}
}

// callable returns an error if there is no tool with a name.
func (t *toolset) callable(name string) error {
	all := t.calls.Tools()
	if t.unlisted || slices.ContainsFunc(all, func(have tool.Tool) bool { return have.Name == name }) {
		return nil
	}
	names := make([]string, len(all))
	for i, have := range all {
		names[i] = have.Name
	}
	return invalidCall(name, strings.Join(names, ", "))
}

// errCall: a call of a tool of another program failed.
var errCall = errors.New("the call failed")

// encoded returns arguments as JSON. Arguments without a value are left out.
func encoded(name string, arguments any) (json.RawMessage, error) {
	given, _ := arguments.(map[string]any)
	for key, value := range given {
		if value == nil {
			delete(given, key)
		}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", name, err)
	}
	return raw, nil
}

// caller returns a function that calls a tool.
func (t *toolset) caller(name string) func(context.Context, *agent.Session, json.RawMessage) (any, error) {
	return func(ctx context.Context, _ *agent.Session, arguments json.RawMessage) (any, error) {
		return valueOf(name, t.calls.Invoke(ctx, name, arguments))
	}
}

// valueOf returns the result of a call. A result in JSON becomes a value, and any other result a text.
func valueOf(name string, out tool.Outcome) (any, error) {
	if out.IsError {
		return nil, failedCall(name, out)
	}
	if json.Valid([]byte(out.Content)) {
		return json.RawMessage(out.Content), nil
	}
	return out.Content, nil
}

// awaitStray makes the runtime wait for calls that go on after their timeout.
func (t *toolset) awaitStray(ctx context.Context, s *agent.Session) {
	if t.calls.Stray() == 0 || !t.waiting.CompareAndSwap(false, true) {
		return
	}
	waits := s.Go(ctx, func(ctx context.Context) {
		defer t.waiting.Store(false)
		_ = t.calls.Wait(ctx) // ends only when these calls return
	})
	if !waits {
		t.waiting.Store(false)
	}
}
