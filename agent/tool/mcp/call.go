package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/agent/tool"
	"docent/internal/fault"
)

// call asks the server to run one of its tools.
func (s *Server) call(ctx context.Context, name string, arguments json.RawMessage) (any, error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	outer := ctx
	ctx, done, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	params := &sdk.CallToolParams{Name: name, Arguments: arguments}
	for again := false; ; again = true {
		l, err := s.connected(ctx)
		if err != nil {
			return nil, err
		}
		result, err := s.send(ctx, l, params)
		switch {
		case err == nil:
			l.served.Store(true)
			return render(result)
		case !again && unsent(err):
			l.abort() // the session has ended, but the server may still exist
		default:
			return nil, s.explain(outer, ctx, err)
		}
	}
}

// send makes the call. The SDK may block while it writes to a program that does not read. send does not wait for it after
// ctx ends.
func (s *Server) send(ctx context.Context, l *link, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	type answer struct {
		result *sdk.CallToolResult
		err    error
	}
	got := make(chan answer, 1)
	s.work.Go(func() {
		result, err := l.session.CallTool(ctx, params)
		got <- answer{result, err}
	})
	select {
	case a := <-got:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// unsent reports that the server did not start a failed call. The connection was already closed, or the server no longer
// knows the session.
func unsent(err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing)
}

// rejected is the SDK's error code for a request that was not delivered. Errors of servers have the same type.
const rejected = -32005

// explain returns the error of a call with a text for the model.
func (s *Server) explain(outer, ctx context.Context, err error) error {
	var refusal *jsonrpc.Error
	switch {
	case outer.Err() != nil:
		return fmt.Errorf("MCP server %s: %w", s.cfg.Name, outer.Err())
	case ctx.Err() != nil:
		return s.unavailable(ctx)
	case errors.As(err, &refusal) && refusal.Code != rejected:
		return &tool.Error{Class: "ToolError", Text: refusal.Message}
	default:
		return fault.Wrap(fault.Unavailable, errors.New(redact(err)),
			"mcp_call_unanswered", "the MCP server %q did not answer the call; it may or may not have carried it out", s.cfg.Name)
	}
}
