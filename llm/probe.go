package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docent/internal/fault"
)

// maxListed bounds the model names in an error message.
const maxListed = 8

// Report is the result of a Probe.
type Report struct {
	// FirstToken is the time from the request to the first text or reasoning.
	FirstToken time.Duration
	// Pieces counts the pieces of text and reasoning that the server sent.
	Pieces int
	// Whole says that a longer text came in one piece, so the server does not stream.
	Whole bool
	// Reasons says that the model reasons before it answers.
	Reasons bool
	// Tools says that the server accepts tools.
	Tools bool
	// Called says that the model called the offered tool.
	Called bool
	// NoTools are the server's words if it refuses tools, or "".
	NoTools string
	// Shape is the form of requests that the server accepts.
	Shape Shape
}

// String describes the report in one line.
func (r Report) String() string {
	out := fmt.Sprintf("first token after %v", r.FirstToken.Round(10*time.Millisecond))
	if r.Whole {
		out += ", does not stream"
	}
	if r.Reasons {
		out += ", reasons first"
	}
	switch {
	case r.Called:
		out += ", calls tools"
	case r.Tools:
		out += ", accepts tools"
	case r.NoTools != "":
		out += ", cannot call tools (" + r.NoTools + ")"
	default:
		out += ", cannot call tools"
	}
	if shape := r.Shape; shape.String() != "" {
		shape.NoTools = false // it is above
		if s := shape.String(); s != "" {
			out += "; docent adapts: " + s
		}
	}
	return out
}

// probeTool is the tool of a probe.
var probeTool = Tool{Name: "current_time", Description: "Returns the current time.", Parameters: map[string]any{
	"type": "object", "properties": map[string]any{"zone": map[string]any{"type": "string", "description": "time zone, such as UTC"}},
}}

// ProbeInstruction is the first message of the conversations of Probe.
const ProbeInstruction = "This is a test of a connection. Answer in one line."

// probe is a conversation as docent sends it.
var probe = []Message{
	Text(System, ProbeInstruction), Text(User, "Count from one to three in words."),
	Text(Assistant, "one, two, three"), Text(User, "Count from one to ten in words."),
}

// Probe tests the server with a conversation: a system message, history, a stream, and a
// tool. It learns the shape of the model. It does not retry. The error names the setting
// to check. Its cause has the server's own words. If the model is missing, the error
// lists the models of the server.
func (o *OpenAI) Probe(ctx context.Context) (Report, error) {
	var r Report
	start := time.Now()
	var answer Answer
	length := 0 // of the text
	begun := func() bool { return true }
	call, cancel := context.WithCancelCause(withoutRetries(ctx))
	defer cancel(nil)
	if o.cfg.FirstToken > 0 {
		timer := time.AfterFunc(o.cfg.FirstToken, func() { cancel(errFirstToken) })
		defer timer.Stop()
		begun = timer.Stop
	}
	for d, err := range stream(call, o, Request{Messages: probe}, &o.habit) {
		switch {
		case err != nil && ctx.Err() == nil && errors.Is(context.Cause(call), errFirstToken):
			return r, late(o.Name(), o.cfg.FirstToken)
		case err != nil:
			return r, o.missing(ctx, err)
		}
		begun()
		if r.FirstToken == 0 {
			r.FirstToken = time.Since(start)
		}
		if d.Restart {
			r.Reasons, length = true, 0
		}
		r.Pieces = d.pieces
		length += len(strings.TrimSpace(d.Text))
		r.Reasons = r.Reasons || d.Reasoning != ""
		if d.Answer != nil {
			answer = *d.Answer
		}
		if length > enoughBytes {
			break
		}
	}
	r.Whole = r.Pieces == 1 && length > wholeBytes
	if length == 0 {
		return r, EmptyError(o.Name(), answer)
	}
	ask := Request{
		Messages: append(probe[:3:3], Text(User, "What time is it in UTC? Use the tool.")),
		Tools:    []Tool{probeTool}, MaxTokens: probeTokens, // some servers send nothing before the end if there are tools
	}
	called, err := o.probeTools(withoutRetries(ctx), ask)
	r.Tools, r.Called, r.Shape = err == nil, called, o.Shape()
	switch {
	case errors.Is(err, ErrNoTools):
		r.NoTools = serverWords(err)
	case err != nil:
		return r, o.missing(ctx, err)
	}
	return r, nil
}

// enoughBytes is the length of text from which a probe stops the model. A small model may
// write without end, and users wait for it meanwhile.
const enoughBytes = 200

// probeTokens limits the call with a tool. A model that reasons needs some hundreds.
const probeTokens = 500

// probeTools reports whether the model calls a tool before it has written much.
func (o *OpenAI) probeTools(ctx context.Context, ask Request) (called bool, err error) {
	length := 0
	for d, err := range stream(ctx, o, ask, &o.habit) {
		if err != nil {
			return false, err
		}
		if d.Answer != nil {
			return len(d.Answer.Calls) > 0, nil
		}
		if length += len(d.Text); length > enoughBytes {
			break
		}
	}
	return false, nil
}

// wholeBytes is a length of text that no server sends as one piece of a stream.
const wholeBytes = 24

// noRetries marks the context of a call that is not retried.
type noRetries struct{}

func withoutRetries(ctx context.Context) context.Context {
	return context.WithValue(ctx, noRetries{}, true)
}

// missing explains that the server does not have the model, and lists its models.
func (o *OpenAI) missing(ctx context.Context, err error) error {
	var refusal *StatusError
	if !errors.As(err, &refusal) || refusal.Status != http.StatusNotFound {
		return err
	}
	names, e := o.Models(ctx)
	if e != nil || len(names) == 0 {
		return err
	}
	if len(names) > maxListed {
		names = append(names[:maxListed], "…")
	}
	return fault.Wrap(fault.Unavailable, err,
		"model_not_on_server", "the model server has no model %q (%s); it has: %s", o.cfg.Model, o.cfg.Settings.Model,
		strings.Join(names, ", "))
}

// Reason returns why a model server did not answer: its own words, or the failure of the
// network; "" without them. It is for the operator. Keys and names of organizations are
// left out.
func Reason(err error) string {
	if words := serverWords(err); words != "" {
		return words
	}
	if network := (*url.Error)(nil); errors.As(err, &network) {
		return network.Err.Error() // without the address, which may have a key
	}
	return ""
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
