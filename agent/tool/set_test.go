package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/internal/fault"
)

// must fails the test if its setup fails.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newSet(t testing.TB, cfg SetConfig) *Set {
	t.Helper()
	s, err := NewSet(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type pick struct {
	N     int      `json:"n,omitempty"`
	F     float64  `json:"f,omitempty"`
	B     bool     `json:"b,omitempty"`
	S     *string  `json:"s"`
	L     []int    `json:"l,omitempty"`
	Kind  string   `json:"kind,omitempty" enum:"a,b"`
	Where *place   `json:"where"`
	Names []string `json:"names"`
}

// echo answers with the arguments it was called with.
func echo(t testing.TB, name string) Tool {
	t.Helper()
	return must(New(name, "", func(_ context.Context, in pick) (any, error) {
		return fmt.Sprintf("%d %g %t %v %v %s %v", in.N, in.F, in.B, in.S == nil, in.L, in.Kind, in.Names), nil
	}))
}

// TestArguments checks refused arguments, with BAF's messages, and converted ones.
func TestArguments(t *testing.T) {
	t.Parallel()
	s := newSet(t, SetConfig{Tools: []Tool{echo(t, "echo")}})
	const e = "ERROR: ToolError: "
	for in, want := range map[string]string{
		`{"names":[]}`:                                                 "0 0 false true []  []",
		`{"names":["x"],"n":"12","f":"1.5"}`:                           "12 1.5 false true []  [x]",
		`{"names":[],"n":3.0,"f":2}`:                                   "3 2 false true []  []",
		`{"names":[],"b":"True","s":null}`:                             "0 0 true true []  []",
		`{"names":[],"l":["1",2],"n":null}`:                            "0 0 false true [1 2]  []",
		`{"names":[],"where":{"city":"x","zip":null,"tags":["home"]}}`: "0 0 false true []  []",
		`[1]`:                            e + "Tool 'echo' expects a dict of arguments, got list",
		`"x"`:                            e + "Tool 'echo' expects a dict of arguments, got str",
		`1`:                              e + "Tool 'echo' expects a dict of arguments, got int",
		`1.5`:                            e + "Tool 'echo' expects a dict of arguments, got float",
		`true`:                           e + "Tool 'echo' expects a dict of arguments, got bool",
		`{"names":`:                      e + "Tool 'echo' expects a dict of arguments, got invalid JSON",
		`{"names":[]} {}`:                e + "Tool 'echo' expects a dict of arguments, got more than one value",
		``:                               e + "Tool 'echo' missing required argument(s): ['names']",
		`null`:                           e + "Tool 'echo' missing required argument(s): ['names']",
		`{"zzz":1,"aaa":2}`:              e + "Tool 'echo' received unknown argument(s): ['aaa', 'zzz']",
		`{"names":null}`:                 e + "Invalid argument 'names': expected array, got None",
		`{"names":"x"}`:                  e + "Invalid argument 'names': expected array, got 'x'",
		`{"names":[1]}`:                  e + "Invalid argument 'names[0]': expected string, got 1",
		`{"names":[],"n":true}`:          e + "Invalid argument 'n': expected integer, got True",
		`{"names":[],"n":1.5}`:           e + "Invalid argument 'n': expected integer, got 1.5",
		`{"names":[],"n":"1e3"}`:         e + "Invalid argument 'n': expected integer, got '1e3'",
		`{"names":[],"f":"NaN"}`:         e + "Invalid argument 'f': expected number, got 'NaN'",
		`{"names":[],"b":1}`:             e + "Invalid argument 'b': expected boolean, got 1",
		`{"names":[],"s":5}`:             e + "Invalid argument 's': expected string, got 5",
		`{"names":[],"where":[]}`:        e + "Invalid argument 'where': expected object, got list",
		`{"names":[],"where":{"zip":1}}`: e + "Invalid argument 'where.zip': expected string, got 1",
	} {
		out := s.Invoke(t.Context(), "echo", json.RawMessage(in))
		if out.Content != want || out.IsError != strings.HasPrefix(want, "ERROR") {
			t.Errorf("%s: got %q, want %q", in, out.Content, want)
		}
	}
	for in, part := range map[string]string{
		`{"names":[],"kind":"c"}`:                                 "enum",
		`{"names":[],"where":{}}`:                                 "city",
		`{"names":[],"where":{"city":"x","no":1}}`:                "no",
		`{"names":[],"n":99999999999999999999}`:                   "expected integer",
		`{"names":["` + strings.Repeat("x", MaxArguments) + `"]}`: "at most",
	} {
		if out := s.Invoke(t.Context(), "echo", json.RawMessage(in)); !out.IsError || !strings.Contains(out.Content, part) {
			t.Errorf("%.60s: got %q, want %q", in, out.Content, part)
		}
	}
}

// TestForeignSchemas calls tools with schemas from other programs.
func TestForeignSchemas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ schema, args, want string }{
		{``, `{}`, "{}"},
		{``, `{"x":1}`, "unknown"},
		{`{"type":"object"}`, `{"x":1}`, "unknown"},
		{`{"type":"object","additionalProperties":true}`, `{"x":1}`, `{"x":1}`},
		{`{"type":"object","properties":{"x":{"type":["integer","null"]}},"required":["x"]}`, `{"x":null}`, `{"x":null}`},
		{`{"type":"object","properties":{"x":{"type":["string","integer"]}}}`, `{"x":"12"}`, `{"x":"12"}`},
		{`{"type":"object","properties":{"x":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"x":null}`, `{"x":null}`},
		{`{"type":"object","properties":{"x":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"x":3}`, "invalid arguments"},
		{`{"type":"object","properties":{"x":{"type":"string","pattern":"(?=a)"}}}`, `{"x":"b"}`, `{"x":"b"}`},
		{`{"type":"object","properties":{"x":{"type":"string","pattern":"^a$"}}}`, `{"x":"b"}`, "invalid arguments"},
		{`{"type":"object","properties":{"x":{"$ref":"#"}}}`, `{"x":{"x":{}}}`, `{"x":{"x":{}}}`},
		{`{"type":"object","$ref":"#"}`, `{}`, `{}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"x":{"type":"integer"}}}`, `{"x":"1"}`, `{"x":1}`},
		{`{"type":"object","properties":{"x":{"type":"integer"}},"patternProperties":{"^y":{"type":"string"}}}`, `{"y1":"a"}`, `{"y1":"a"}`},
	} {
		s := newSet(t, SetConfig{Tools: []Tool{{Name: "far", Parameters: json.RawMessage(tc.schema), Call: func(_ context.Context, a json.RawMessage) (any, error) { return a, nil }}}})
		if out := s.Invoke(t.Context(), "far", json.RawMessage(tc.args)); !strings.Contains(out.Content, tc.want) {
			t.Errorf("%s of %s: got %q, want %q", tc.args, tc.schema, out.Content, tc.want)
		}
	}
}

func TestNewSetRefuses(t *testing.T) {
	t.Parallel()
	ok := Tool{Name: "a", Call: call[json.RawMessage]}
	with := func(change func(*Tool)) []Tool { c := ok; change(&c); return []Tool{c} }
	many := make([]Tool, MaxTools+1)
	for name, cfg := range map[string]SetConfig{
		"twice":       {Tools: []Tool{ok, ok}},
		"name":        {Tools: with(func(t *Tool) { t.Name = "a.b" })},
		"no call":     {Tools: with(func(t *Tool) { t.Call = nil })},
		"timeout":     {Tools: with(func(t *Tool) { t.Timeout = -1 })},
		"default":     {Timeout: -1},
		"max":         {MaxResult: -1},
		"many":        {Tools: many},
		"no schema":   {Tools: with(func(t *Tool) { t.Parameters = json.RawMessage(`{`) })},
		"not object":  {Tools: with(func(t *Tool) { t.Parameters = json.RawMessage(`{"type":"string"}`) })},
		"null":        {Tools: with(func(t *Tool) { t.Parameters = json.RawMessage(`{"type":"object","properties":{"x":null}}`) })},
		"long schema": {Tools: with(func(t *Tool) { t.Parameters = bytes.Repeat([]byte(" "), MaxParameters+1) })},
	} {
		if _, err := NewSet(cfg); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := newSet(t, SetConfig{Tools: []Tool{ok, {Name: "b", Call: ok.Call}}})
	if all := s.Tools(); len(all) != 2 || all[0].Name != "a" || all[1].Name != "b" || all[0].Definition().Parameters == nil {
		t.Errorf("tools %v", all)
	}
}

// broken panics when it is rendered.
type broken struct{}

func (broken) MarshalJSON() ([]byte, error) { panic("secret") }

func TestOutcomes(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	answer := func(v any, err error) Tool {
		return Tool{Name: "t", Call: func(context.Context, json.RawMessage) (any, error) { return v, err }}
	}
	for name, tc := range map[string]struct {
		tool Tool
		want string
	}{
		"nil":          {answer(nil, nil), "OK"},
		"nil map":      {answer(map[string]int(nil), nil), "OK"},
		"string":       {answer("é <b>\x00\xff", nil), "é <b>\uFFFD\uFFFD"},
		"json":         {answer(map[string]any{"b": "é <&>", "a": 1}, nil), `{"a":1,"b":"é <&>"}`},
		"raw":          {answer(json.RawMessage(`[1]`), nil), `[1]`},
		"number":       {answer(7, nil), "7"},
		"not json":     {answer(make(chan int), nil), "ERROR: ToolError: Tool 't' returned something that cannot be shown"},
		"broken":       {answer(broken{}, nil), "ERROR: ToolError: Tool 't' failed unexpectedly"},
		"looks failed": {answer("ERROR: no", nil), "ERROR: no"},
		"any error":    {answer(nil, fmt.Errorf("secret: %w", io.ErrUnexpectedEOF)), "ERROR: the tool t failed"},
		"own error":    {answer(nil, &Error{Text: "no room on Friday"}), "ERROR: no room on Friday"},
		"classed":      {answer(nil, fmt.Errorf("x: %w", &Error{"ValueError", "bad"})), "ERROR: ValueError: bad"},
		"fault": {answer(nil, fmt.Errorf("db: %w", fault.Wrap(fault.Unavailable, errors.New("10.0.0.1"),
			"test_sentence", "the database is away"))), "ERROR: the database is away"},
		"context":    {answer(nil, fmt.Errorf("get: %w", context.DeadlineExceeded)), "ERROR: the request took too long"},
		"panic":      {Tool{Name: "t", Call: func(context.Context, json.RawMessage) (any, error) { panic("secret") }}, "ERROR: ToolError: Tool 't' failed unexpectedly"},
		"long error": {answer(nil, &Error{Text: strings.Repeat("x", 3000)}), "ERROR: " + strings.Repeat("x", 2000) + "\n[cut after 2000 of 3000 characters]"},
	} {
		s := newSet(t, SetConfig{
			Tools: []Tool{tc.tool}, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Attrs: func(context.Context) []any { return []any{"session", "s"} },
		})
		out := s.Invoke(t.Context(), "t", nil)
		if out.Content != tc.want {
			t.Errorf("%s: got %q, want %q", name, out.Content, tc.want)
		}
		if out.IsError != (strings.HasPrefix(tc.want, "ERROR") && name != "looks failed") {
			t.Errorf("%s: is error: %t", name, out.IsError)
		}
	}
	if text := log.String(); !strings.Contains(text, "a tool panicked") || !strings.Contains(text, `types="*fmt.wrapError > *errors.errorString"`) ||
		!strings.Contains(text, `text="secret: unexpected EOF" session=s`) || !strings.Contains(text, "panic=secret") {
		t.Errorf("log: %s", text)
	}
	log.Reset()
	for name, call := range map[string]func(context.Context, json.RawMessage) (any, error){
		"fails":  func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("secret") },
		"panics": func(context.Context, json.RawMessage) (any, error) { panic("secret") },
	} {
		s := newSet(t, SetConfig{Tools: []Tool{{Name: name, Call: call, Withheld: true}}, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if out := s.Invoke(t.Context(), name, nil); out.Cause != nil {
			t.Errorf("%s: the cause is %v", name, out.Cause)
		}
	}
	if text := log.String(); !strings.Contains(text, "panic=string") || strings.Contains(text, "secret") {
		t.Errorf("log of tools of others: %s", text)
	}
	s := newSet(t, SetConfig{Tools: []Tool{answer("ééé", nil)}, MaxResult: 2})
	if out := s.Invoke(t.Context(), "t", nil); out.Content != "éé\n[cut after 2 of 3 characters]" || out.IsError {
		t.Errorf("cut: %+v", out)
	}
	if out := s.Invoke(t.Context(), "nope", nil); out.Content != "ERROR: tool 'nope' is not registered" || !out.IsError {
		// MaxResult bounds errors too, so ask a Set that has room.
		s = newSet(t, SetConfig{})
		if out = s.Invoke(t.Context(), "nope", nil); out.Content != "ERROR: tool 'nope' is not registered" || !out.IsError {
			t.Errorf("unknown: %+v", out)
		}
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		obeys := func(ctx context.Context, _ json.RawMessage) (any, error) { <-ctx.Done(); return nil, ctx.Err() }
		late := func(ctx context.Context, _ json.RawMessage) (any, error) { <-ctx.Done(); return "after all", nil }
		s := newSet(t, SetConfig{Tools: []Tool{
			{Name: "obeys", Call: obeys}, {Name: "quick", Call: obeys, Timeout: time.Second}, {Name: "late", Call: late},
		}})
		for name, want := range map[string]string{
			"obeys": "ERROR: ToolError: Tool 'obeys' timed out after 30s",
			"quick": "ERROR: ToolError: Tool 'quick' timed out after 1s",
			"late":  "after all",
		} {
			if out := s.Invoke(t.Context(), name, nil); out.Content != want {
				t.Errorf("%s: got %q, want %q", name, out.Content, want)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		for range 2 { // while it runs, and before it starts
			if out := s.Invoke(ctx, "obeys", nil); out.Content != "ERROR: ToolError: Tool 'obeys' was stopped" {
				t.Errorf("stopped: %q", out.Content)
			}
		}
	})
}

// TestDeafTool calls a tool that ignores its context.
func TestDeafTool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := newSet(t, SetConfig{Timeout: time.Second, Tools: []Tool{{Name: "deaf", Call: func(context.Context, json.RawMessage) (any, error) {
			<-release
			return nil, nil
		}}}})
		start := time.Now()
		for range MaxStray {
			if out := s.Invoke(t.Context(), "deaf", nil); out.Content != "ERROR: ToolError: Tool 'deaf' timed out after 1s" {
				t.Fatalf("got %q", out.Content)
			}
		}
		if took := time.Since(start); took != MaxStray*(time.Second+grace) {
			t.Errorf("took %s", took)
		}
		if out := s.Invoke(t.Context(), "deaf", nil); !strings.Contains(out.Content, "too many earlier calls") {
			t.Errorf("got %q", out.Content)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := s.Wait(ctx); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("wait: %v", err)
		}
		close(release)
		if err := s.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if out := s.Invoke(t.Context(), "deaf", nil); out.Content != "OK" {
			t.Errorf("afterwards: %q", out.Content)
		}
	})
}

func TestParallel(t *testing.T) {
	t.Parallel()
	s := newSet(t, SetConfig{Tools: []Tool{echo(t, "echo")}})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			out := s.Invoke(t.Context(), "echo", json.RawMessage(fmt.Sprintf(`{"names":[],"n":"%d"}`, i)))
			if want := fmt.Sprintf("%d 0 false true []  []", i); out.Content != want {
				t.Errorf("got %q, want %q", out.Content, want)
			}
		})
	}
	wg.Wait()
}

func FuzzInvoke(f *testing.F) {
	for _, seed := range []string{`{"names":["x"],"n":"12"}`, `{"where":{"tags":[null]}}`, `[]`, `{"l":[1e400]}`, `{"n":1e15,"names":[]}`, `{"f":".5","names":[]}`, "{\"names\":[\"\xff\"]}"} {
		f.Add(seed)
	}
	s := newSet(f, SetConfig{Tools: []Tool{must(New("echo", "", func(_ context.Context, in pick) (any, error) { return in, nil }))}, MaxResult: 5000})
	f.Fuzz(func(t *testing.T, arguments string) {
		out := s.Invoke(t.Context(), "echo", json.RawMessage(arguments))
		if clean(out.Content) != out.Content {
			t.Errorf("not clean: %q", out.Content)
		}
		if out.IsError != strings.HasPrefix(out.Content, "ERROR: ToolError: ") {
			t.Errorf("is error %t: %q", out.IsError, out.Content)
		}
		if strings.Contains(out.Content, "unexpectedly") || strings.Contains(out.Content, "cannot read") {
			t.Errorf("%q: what was checked cannot be used: %s", arguments, out.Content)
		}
	})
}

func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"x":{"type":["integer","null"]}}}`, `{"x":1}`)
	f.Add(`{"type":"object","properties":{"x":{"items":[{}]}},"anyOf":[{"$ref":"#"}]}`, `{"x":[1]}`)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		s, err := NewSet(SetConfig{Tools: []Tool{{Name: "t", Parameters: json.RawMessage(schema), Call: func(context.Context, json.RawMessage) (any, error) { return nil, nil }}}})
		if err != nil {
			return
		}
		if out := s.Invoke(t.Context(), "t", json.RawMessage(arguments)); strings.Contains(out.Content, "unexpectedly") {
			t.Error(out.Content)
		}
	})
}
