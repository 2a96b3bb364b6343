package ws_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"

	"docent/payload"
)

// The channels of docs/asyncapi.yaml.
const (
	channelV1    = "docentV1"
	channelBAF   = "baf"
	channelTyped = "agentWebSocket"
)

// reference is a $ref to another part of the file.
type reference struct {
	Ref string `json:"$ref"`
}

func (r reference) name() string { return r.Ref[strings.LastIndexByte(r.Ref, '/')+1:] }

// specification is docs/asyncapi.yaml.
type specification struct {
	Channels map[string]struct {
		Messages map[string]reference `json:"messages"`
		Frame    reference            `json:"x-frame"`
	} `json:"channels"`
	Operations map[string]struct {
		Action   string      `json:"action"`
		Channel  reference   `json:"channel"`
		Messages []reference `json:"messages"`
	} `json:"operations"`
	Components struct {
		Messages map[string]struct {
			Name    string             `json:"name"`
			Payload *jsonschema.Schema `json:"payload"`
		} `json:"messages"`
		Schemas map[string]*jsonschema.Schema `json:"schemas"`
	} `json:"components"`

	document any
	resolved map[string]*jsonschema.Resolved // of messages and schemas
	inside   map[string][]*jsonschema.Resolved
}

var asyncapi = sync.OnceValues(func() (*specification, error) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "asyncapi.yaml"))
	if err != nil {
		return nil, err
	}
	s := &specification{resolved: map[string]*jsonschema.Resolved{}, inside: map[string][]*jsonschema.Resolved{}}
	if err := yaml.Unmarshal(text, &s.document); err != nil {
		return nil, err
	}
	data, err := json.Marshal(s.document)
	if err != nil {
		return nil, err
	}
	// The schemas are resolved apart from the rest of the document.
	data = bytes.ReplaceAll(data, []byte("#/components/schemas/"), []byte("#/$defs/"))
	if err := json.Unmarshal(data, s); err != nil {
		return nil, err
	}
	for name := range s.Components.Schemas {
		if s.resolved[name], err = s.resolve(&jsonschema.Schema{Ref: "#/$defs/" + name}); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
	}
	for name, m := range s.Components.Messages {
		if s.resolved[name], err = s.resolve(m.Payload); err != nil {
			return nil, fmt.Errorf("message %s: %w", name, err)
		}
		for _, content := range contents(m.Payload) {
			r, err := s.resolve(content)
			if err != nil {
				return nil, fmt.Errorf("content of message %s: %w", name, err)
			}
			s.inside[name] = append(s.inside[name], r)
		}
	}
	return s, nil
})

func (s *specification) resolve(schema *jsonschema.Schema) (*jsonschema.Resolved, error) {
	defs := map[string]*jsonschema.Schema{}
	for name, d := range s.Components.Schemas {
		defs[name] = d.CloneSchemas()
	}
	return (&jsonschema.Schema{Defs: defs, AllOf: []*jsonschema.Schema{schema.CloneSchemas()}}).Resolve(nil)
}

// contents are the schemas of the JSON inside strings of a frame's message.
func contents(frame *jsonschema.Schema) (out []*jsonschema.Schema) {
	for _, part := range append(frame.AllOf, frame) {
		message := part.Properties["message"]
		if message == nil {
			continue
		}
		for _, m := range append(message.AnyOf, message) {
			if m.ContentSchema != nil {
				out = append(out, m.ContentSchema)
			}
		}
	}
	return out
}

// check returns the errors of a frame that goes over a channel, to or from the
// server.
func (s *specification) check(channel, direction string, frame []byte) error {
	var keys struct {
		Action  string
		Type    *string
		Message any
	}
	var v any
	if err := json.Unmarshal(frame, &v); err != nil {
		return err
	}
	if err := json.Unmarshal(frame, &keys); err != nil {
		return err
	}
	name := direction + "_" + keys.Action
	if channel == channelTyped {
		name = "typed_" + direction + "_query"
		if keys.Type != nil {
			name = "typed_" + direction + "_" + *keys.Type
		}
	}
	if _, ok := s.Channels[channel].Messages[name]; !ok {
		return fmt.Errorf("%s has no message %s", channel, name)
	}
	if err := s.resolved[name].Validate(v); err != nil {
		return err
	}
	if direction == "server" {
		if err := s.resolved[s.Channels[channel].Frame.name()].Validate(v); err != nil {
			return err
		}
	}
	text, ok := keys.Message.(string)
	for _, content := range s.inside[name] {
		if !ok {
			break // it is no string: validated above
		}
		var held any
		if err := json.Unmarshal([]byte(text), &held); err != nil {
			return fmt.Errorf("inside the message: %w", err)
		}
		if err := content.Validate(held); err != nil {
			return fmt.Errorf("inside the message: %w", err)
		}
	}
	return nil
}

// specified returns docs/asyncapi.yaml, which must be valid.
func specified(t testing.TB) *specification {
	t.Helper()
	s, err := asyncapi()
	if err != nil {
		t.Fatalf("docs/asyncapi.yaml: %v", err)
	}
	return s
}

// Each reference in the document has a target. The operations and the channels
// list the same messages.
func TestAsyncAPI(t *testing.T) {
	t.Parallel()
	s := specified(t)
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				target := s.document
				for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
					m, _ := target.(map[string]any)
					target = m[step]
				}
				if target == nil {
					t.Errorf("%s refers to %s, which is not there", at, ref)
				}
			}
			for key, value := range v {
				walk(at+"/"+key, value)
			}
		case []any:
			for i, value := range v {
				walk(fmt.Sprint(at, "/", i), value)
			}
		}
	}
	walk("#", s.document)
	for channel, c := range s.Channels {
		var sent []string
		for name, o := range s.Operations {
			if o.Channel.name() != channel {
				continue
			}
			for _, m := range o.Messages {
				if !strings.HasPrefix(m.Ref, "#/channels/"+channel+"/messages/") {
					t.Errorf("%s: %s is not its channel's", name, m.Ref)
				}
				if clients := strings.Contains(m.name(), "client_"); clients != (o.Action == "receive") {
					t.Errorf("%s is to %s %s", name, o.Action, m.name())
				}
				sent = append(sent, m.name())
			}
		}
		slices.Sort(sent)
		if want := slices.Sorted(maps.Keys(c.Messages)); !slices.Equal(sent, want) {
			t.Errorf("%s has the messages %s, its operations %s", channel, want, sent)
		}
	}
	for name := range s.Components.Messages {
		if _, ok := s.Channels[channelV1].Messages[name]; !ok && !strings.HasPrefix(name, "typed_") {
			t.Errorf("message %s is in no channel", name)
		}
	}
}

// constants returns the values of package payload's constants of a type.
func constants(t *testing.T, want string) (out []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "payload", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			id, typed := v.Type.(*ast.Ident)
			literal, is := v.Values[0].(*ast.BasicLit)
			if typed && is && id.Name == want {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, text)
			}
			return true
		})
	}
	return out
}

// Every action and every type has its message, and there are no others.
func TestAsyncAPIActions(t *testing.T) {
	t.Parallel()
	s := specified(t)
	var frames, typed []string
	for name, m := range s.Components.Messages {
		switch {
		case !strings.HasSuffix(name, "_"+m.Name):
			t.Errorf("%s is the message %s", name, m.Name)
		case strings.HasPrefix(name, "typed_"):
			typed = append(typed, m.Name)
		default:
			frames = append(frames, m.Name)
		}
	}
	for what, pair := range map[string][2][]string{
		"actions": {frames, constants(t, "Action")}, "types": {typed, constants(t, "TypedType")},
	} {
		for i := range pair {
			slices.Sort(pair[i])
			pair[i] = slices.Compact(pair[i])
		}
		if !slices.Equal(pair[0], pair[1]) || len(pair[1]) == 0 {
			t.Errorf("%s in docs/asyncapi.yaml:\n%s\nin package payload:\n%s", what, pair[0], pair[1])
		}
	}
	for channel, actions := range map[string][]payload.Action{
		channelV1: {payload.HelloAction, payload.WelcomeAction, payload.AckAction, payload.ErrorAction}, channelBAF: {},
	} {
		for name := range s.Channels[channel].Messages {
			action := payload.Action(s.Components.Messages[name].Name)
			if strings.HasPrefix(name, "server_") && channel == channelBAF && !slices.Contains(bafActions(t), action) {
				t.Errorf("%s is sent %s", channel, action)
			}
		}
		for _, a := range actions {
			_, in := s.Channels[channel].Messages["server_"+string(a)]
			_, out := s.Channels[channel].Messages["client_"+string(a)]
			if !in && !out {
				t.Errorf("%s has no %s", channel, a)
			}
		}
	}
}

// bafActions are the actions of BAF's golden frames, and the two of its newer
// React client.
func bafActions(t *testing.T) []payload.Action {
	t.Helper()
	out := []payload.Action{payload.ReplyGUI, payload.ReplyGUIUpdate, payload.UserVoice}
	clients, server := goldenLines(t)
	for _, line := range append(clients, server...) {
		var f frame
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		out = append(out, f.Action)
	}
	return out
}

// BAF's golden frames match the schemas of their actions, and other frames do
// not.
func TestAsyncAPIFrames(t *testing.T) {
	t.Parallel()
	s := specified(t)
	clients, server := goldenLines(t)
	for i, line := range append(clients, server...) {
		direction := "client"
		if i >= len(clients) {
			direction = "server"
		}
		for _, channel := range []string{channelBAF, channelV1} {
			if err := s.check(channel, direction, []byte(line)); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	const rest = `,"history":false,"timestamp":"2026-11-21 07:10:16"`
	for _, c := range []struct{ channel, direction, good, bad string }{
		{channelBAF, "server", `{"action":"agent_reply_markdown","message":"x"` + rest + `}`, `{"action":"agent_reply_markdown","message":5` + rest + `}`},
		{channelBAF, "server", `{"action":"agent_reply_str","message":"x"` + rest + `,"hops":1}`, `{"action":"agent_reply_str","message":"x"` + rest + `,"seq":1}`},
		{channelBAF, "server", `{"action":"agent_reply_str","message":"x"` + rest + `}`, `{"action":"agent_reply_str","message":"x","history":false}`},
		{channelBAF, "server", `{"action":"agent_reply_options","message":"{\"0\":\"a\"}"` + rest + `}`, `{"action":"agent_reply_options","message":{"0":"a"}` + rest + `}`},
		{channelBAF, "server", `{"action":"agent_reply_options","message":"{}"` + rest + `}`, `{"action":"agent_reply_options","message":"[\"a\"]"` + rest + `}`},
		{channelV1, "server", `{"action":"status","message":{"phase":"x"}` + rest + `,"turn":1,"n":1}`, `{"action":"status","message":{"phase":"x"}` + rest + `,"n":1}`},
		{channelV1, "server", `{"action":"agent_reply_str","message":""` + rest + `,"seq":1,"turn":0}`, `{"action":"agent_reply_str","message":""` + rest + `,"seq":1,"n":1,"turn":0}`},
		{channelV1, "server", `{"action":"user_message","message":""` + rest + `,"replaces":1}`, `{"action":"agent_reply_str","message":""` + rest + `,"replaces":1}`},
		{channelV1, "server", `{"action":"synced","message":{"seq":0,"turns":[]}` + rest + `}`, `{"action":"synced","message":{"seq":0,"turns":null}` + rest + `}`},
		{channelV1, "server", `{"action":"ack","message":{"id":"","seq":1,"duplicate":true}` + rest + `}`, `{"action":"ack","message":{"id":"","duplicate":false}` + rest + `}`},
		{channelV1, "server", `{"action":"ack","message":{"id":"a","duplicate":false}` + rest + `}`, `{"action":"ack","message":{"id":"a","duplicate":true}` + rest + `}`},
		{channelBAF, "client", `{"action":"reset"}`, `{"action":"hello"}`},
		{channelV1, "client", `{"action":"hello"}`, `{"action":"hello","message":{"last_seq":-1}}`},
		{channelV1, "client", `{"action":"edit","message":{"turn":1,"message":"x"}}`, `{"action":"edit","message":{"turn":1}}`},
		{channelV1, "client", `{"action":"feedback","message":{"rating":1}}`, `{"action":"feedback","message":{}}`},
		{channelV1, "client", `{"action":"user_file","message":"{\"base64\":\"\"}"}`, `{"action":"user_file","message":"{}"}`},
		{channelTyped, "client", `{"content":"x"}`, `{"type":"query"}`},
		{
			channelTyped, "server", `{"type":"response","content":"a","timestamp":"2026-11-21T06:10:16.120Z","kind":"options","data":["a"],"docs":[]}`,
			`{"type":"response","content":"a","timestamp":"2026-11-21T06:10:16.120Z","kind":"options","data":{"0":"a"},"docs":[]}`,
		},
		{channelTyped, "server", `{"type":"response","content":"a","timestamp":"2026-11-21T06:10:16.120Z","docs":[]}`, `{"type":"response","content":"a","timestamp":"2026-11-21 06:10:16"}`},
	} {
		if err := s.check(c.channel, c.direction, []byte(c.good)); err != nil {
			t.Errorf("%s: %v", c.good, err)
		}
		if s.check(c.channel, c.direction, []byte(c.bad)) == nil {
			t.Errorf("%s is accepted", c.bad)
		}
	}
}
