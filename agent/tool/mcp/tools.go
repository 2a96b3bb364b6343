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

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/agent/tool"
	"docent/internal/fault"
	words "docent/rag/text"
)

const (
	// maxPages limits the pages of a list of tools. Only tool.MaxTools tools are used.
	maxPages = 64
	// maxDescription is the maximum size of a tool's description, in bytes.
	maxDescription = 8 << 10
	// maxAge is the lifetime of a list, for servers that do not announce changes.
	maxAge = 5 * time.Minute
	// maxToolName is the maximum length of a function name for models.
	maxToolName = 64
)

// Tools lists the tools of the server. It caches the list until the server announces a change, a new connection is made,
// or five minutes have passed, so calls are cheap. While the server does not respond, Tools returns the last list. It
// fails only if there is none.
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
	if tools, ok := s.known(); ok { // another caller has listed them in the meantime
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

// known returns the list if it is still valid.
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

// list requests the list from the server. The caller holds s.listing.
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

// offer converts the allowed and usable tools of a server to docent's tools.
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

// convert converts one of the server's tools to a docent tool.
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
		Name: name, Description: description(t), Parameters: parameters, Timeout: s.cfg.Timeout, Withheld: true,
		Call: func(ctx context.Context, arguments json.RawMessage) (any, error) {
			return s.call(ctx, theirs, arguments)
		},
	}
	_, err = tool.NewSet(tool.SetConfig{Tools: []tool.Tool{made}}) // one invalid tool would make a Set refuse all others
	return made, err
}

// parameters returns a tool's schema as the server sent it, and adds a missing type.
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

// description returns the tool's description for the model.
func description(t *sdk.Tool) string {
	text := strings.ToValidUTF8(strings.TrimSpace(t.Description), "")
	if text == "" && t.Annotations != nil {
		text = t.Annotations.Title
	}
	text = cmp.Or(text, t.Title, t.Name)
	if len(text) <= maxDescription {
		return text
	}
	return words.Head(text, maxDescription) + "…"
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// functionName returns a tool's name with the server's name as its prefix, unless it already has it. It only uses the
// characters and the length that model providers allow. A name that is too long or already taken ends with a
// distinguishing suffix.
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
