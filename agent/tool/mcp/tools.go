package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/agent/tool"
	"docent/internal/fault"
)

const (
	// maxPages bounds the pages of a list of tools, of which tool.MaxTools are
	// taken.
	maxPages = 64
	// maxDescription is how much of a tool's description is kept, in bytes.
	maxDescription = 8 << 10
	// maxAge is how long a list is used without asking again, for servers that
	// do not say when it changes.
	maxAge = 5 * time.Minute
	// maxToolName is how long the name of a function may be for a model.
	maxToolName = 64
)

// Tools lists what the server offers. The list is kept until the server says
// that it has changed, a new connection is made, or five minutes have passed,
// so asking before each use is cheap. While the server does not answer, the last
// list is returned; it is an error only if there is none.
func (s *Server) Tools(ctx context.Context) ([]tool.Tool, error) {
	ctx, done, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if tools, ok := s.known(); ok {
		return tools, nil
	}
	select {
	case s.listing <- struct{}{}:
		defer func() { <-s.listing }()
	case <-ctx.Done():
		return nil, s.unavailable(ctx)
	}
	if tools, ok := s.known(); ok { // somebody else has listed them meanwhile
		return tools, nil
	}
	tools, err := s.list(ctx)
	if err == nil {
		return tools, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listedBy == nil {
		return nil, err
	}
	s.cfg.Logger.Warn("cannot list the tools of an MCP server", "error", redact(err))
	s.listedBy, s.expires = s.link, time.Now().Add(s.cfg.retry.rest)
	return slices.Clone(s.tools), nil
}

// known returns the list if it is to be used as it is.
func (s *Server) known() ([]tool.Tool, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listedBy == nil {
		return nil, false
	}
	lost := s.link == nil || s.link.ended() // the next call looks for it
	current := s.listedBy == s.link && s.heard == s.changes && time.Now().Before(s.expires)
	if !lost && !current {
		return nil, false
	}
	return slices.Clone(s.tools), true
}

// list asks the server. Who calls it holds s.listing.
func (s *Server) list(ctx context.Context) ([]tool.Tool, error) {
	l, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	heard := s.changes
	s.mu.Unlock()
	var all []*sdk.Tool
	params := &sdk.ListToolsParams{}
	for page := 1; ; page++ {
		result, err := l.session.ListTools(ctx, params)
		switch {
		case ctx.Err() != nil:
			return nil, s.unavailable(ctx)
		case err != nil:
			return nil, fault.Wrap(fault.Unavailable, errors.New(redact(err)),
				"mcp_tools_unlisted", "the MCP server %q does not list its tools", s.cfg.Name)
		}
		all = append(all, result.Tools...)
		if result.NextCursor == "" {
			break
		}
		if page == maxPages {
			s.cfg.Logger.Warn("an MCP server lists too many tools", "taken", len(all))
			break
		}
		params = &sdk.ListToolsParams{Cursor: result.NextCursor}
	}
	tools := s.offer(all)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools, s.listedBy, s.heard, s.expires = tools, l, heard, time.Now().Add(maxAge)
	return slices.Clone(tools), nil
}

// offer makes docent's tools of a server's, of those that are allowed and can
// be offered to a model.
func (s *Server) offer(all []*sdk.Tool) []tool.Tool {
	var out []tool.Tool
	names := map[string]bool{}
	missing := slices.Clone(s.cfg.Tools)
	for _, t := range all {
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == t.Name })
		if len(s.cfg.Tools) > 0 && !slices.Contains(s.cfg.Tools, t.Name) {
			continue
		}
		if len(out) == tool.MaxTools {
			s.cfg.Logger.Warn("an MCP server lists too many tools", "taken", len(out))
			break
		}
		made, err := s.convert(t, names)
		if err != nil {
			s.cfg.Logger.Warn("a tool of an MCP server cannot be used", "tool", t.Name, "error", err.Error())
			continue
		}
		names[made.Name] = true
		out = append(out, made)
	}
	if len(missing) > 0 {
		s.cfg.Logger.Warn("an MCP server does not have all the tools it is to offer", "missing", missing)
	}
	return out
}

// convert makes docent's tool of one of the server's.
func (s *Server) convert(t *sdk.Tool, taken map[string]bool) (tool.Tool, error) {
	parameters, err := parameters(t.InputSchema)
	if err != nil {
		return tool.Tool{}, err
	}
	name := functionName(s.cfg.Name, t.Name, false)
	if taken[name] {
		name = functionName(s.cfg.Name, t.Name, true)
	}
	if taken[name] {
		return tool.Tool{}, errors.New("it is listed twice")
	}
	theirs := t.Name
	made := tool.Tool{
		Name: name, Description: description(t), Parameters: parameters, Timeout: s.cfg.Timeout,
		Call: func(ctx context.Context, arguments json.RawMessage) (any, error) {
			return s.call(ctx, theirs, arguments)
		},
	}
	_, err = tool.NewSet(tool.SetConfig{Tools: []tool.Tool{made}}) // its checks, before they refuse all the others too
	return made, err
}

// parameters is a tool's schema as the server wrote it, but for a type that is
// left out.
func parameters(schema any) (json.RawMessage, error) {
	if object, ok := schema.(map[string]any); ok && object["type"] == nil {
		object["type"] = "object"
	}
	if schema == nil {
		return nil, nil
	}
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("read its schema: %w", err)
	}
	return data, nil
}

// description is what the model is told of a tool.
func description(t *sdk.Tool) string {
	text := strings.ToValidUTF8(strings.TrimSpace(t.Description), "")
	if text == "" && t.Annotations != nil {
		text = t.Annotations.Title
	}
	text = cmp.Or(text, t.Title, t.Name)
	if len(text) <= maxDescription {
		return text
	}
	end := maxDescription
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// functionName is a tool's name with the server's before it, unless it begins
// with that already, in the characters and the length that models' makers allow.
// One that is too long, or that another has taken, ends with a mark of its own.
func functionName(server, name string, unique bool) string {
	full := strings.Trim(notInNames.ReplaceAllString(name, "_"), "_")
	if full != server && !strings.HasPrefix(full, server+"_") {
		full = strings.TrimRight(server+"_"+full, "_")
	}
	if len(full) <= maxToolName && !unique {
		return full
	}
	sum := sha256.Sum256([]byte(name))
	mark := "_" + hex.EncodeToString(sum[:4])
	return full[:min(len(full), maxToolName-len(mark))] + mark
}
