package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"docent/internal/fault"
	"docent/internal/lazyregexp"
)

// finish completes an answer with the text that was read. Tool calls in the text become
// calls if they name a known tool with valid arguments. Other tool calls in the text mean
// that the model cannot call tools. Without tools, tool calls in the text become calls, too,
// so that nobody takes them for an answer; rest is text after the mark of a call that is none.
func (r *reading) finish(a *Answer) (rest string, err error) {
	a.Text, a.Reasoning = r.said.String(), r.mused.String()
	if len(a.Calls) > 0 {
		return "", nil
	}
	wanted := r.called
	tried := len(wanted) > 0 || r.raw != ""
	if !tried {
		wanted, tried = callsInData(a.Text, r.tools)
		if valid(wanted, r.tools) {
			a.Text = ""
		}
	} else if len(wanted) == 0 {
		wanted = callsIn(r.raw, r.tools)
	}
	switch {
	case len(r.tools) == 0 && len(wanted) == 0 && strings.TrimSpace(a.Text) != "":
		a.Text += r.raw
		return r.raw, nil
	case len(r.tools) == 0 && len(wanted) == 0 && tried: // nothing but a mark
		wanted = []Call{{}}
	case tried && len(r.tools) > 0 && !valid(wanted, r.tools):
		return "", fault.Wrap(fault.Unavailable, fmt.Errorf("%w: its calls are text that docent cannot read", ErrNoTools),
			"model_calls_unreadable", "the model cannot call tools")
	}
	for i := range wanted {
		wanted[i].ID = fmt.Sprintf("call_%d", i)
	}
	if len(wanted) > 0 {
		a.Calls, a.StopReason = wanted, "tool_calls"
	}
	return "", nil
}

// valid reports whether all calls, and at least one, name a known tool with valid arguments.
func valid(calls []Call, tools []Tool) bool {
	for _, c := range calls {
		t := named(c.Name, tools)
		if t == nil || !t.takes(c.Arguments) {
			return false
		}
	}
	return len(calls) > 0
}

func named(name string, tools []Tool) *Tool {
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i]
		}
	}
	return nil
}

// takes reports whether the arguments are an object that has the required ones of the
// tool and no unknown ones. The tool itself checks their values.
func (t *Tool) takes(arguments string) bool {
	var args map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &args) != nil || args == nil {
		return false
	}
	schema := t.schema()
	for name := range args {
		if _, ok := schema.Properties[name]; !ok && len(schema.Properties) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(schema.Required, func(name string) bool { return args[name] == nil })
}

// schema is the part of the schema of a tool's arguments that calls in text are checked against.
type schema struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// schema returns the schema of the arguments. It is empty if it has another form.
func (t *Tool) schema() schema {
	var s schema
	data, err := json.Marshal(t.Parameters)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return schema{}
	}
	return s
}

// maxTextCalls limits the calls in a text.
const maxTextCalls = 32

// callsIn reads the tool calls in a text that begins with a mark of a tool call.
func callsIn(s string, tools []Tool) []Call {
	calls := callsWithJSON(s, tools)
	if len(calls) == 0 {
		calls = callsWithTags(s)
	}
	if len(calls) == 0 {
		calls = callsOfGemma(s)
	}
	if len(calls) == 0 && strings.Contains(s, "{'") {
		calls = callsWithJSON(pythonToJSON(s), tools)
	}
	if len(calls) == 0 {
		calls = callsInPython(s, tools)
	}
	return calls[:min(len(calls), maxTextCalls)]
}

// callsInData reads the tool calls in a text without marks: in its JSON, or in a line of
// code alone. tried says that an object has the form of a tool call.
func callsInData(s string, tools []Tool) (calls []Call, tried bool) {
	body := strings.TrimSpace(s)
	if fenced := wholeFence.FindStringSubmatch(body); fenced != nil {
		body = strings.TrimSpace(fenced[1])
	}
	if body == "" {
		return nil, false
	}
	if m := functionaryCall.FindStringSubmatch(body); m != nil {
		return []Call{{Name: m[1], Arguments: m[2]}}, true
	}
	if m := actionLine.FindStringSubmatch(body); m != nil {
		return []Call{actionCall(m[1], strings.TrimSpace(m[2]), tools)}, true
	}
	if m := bareCall.FindStringSubmatch(body); m != nil {
		return []Call{{Name: m[1], Arguments: m[2]}}, true
	}
	if c, ok := leading(body, tools); ok {
		return []Call{c}, true
	}
	if body[0] == '{' || body[0] == '[' {
		if found := callsWithJSON(body, nil); len(found) > 0 {
			return found, true
		}
	}
	if found := callsInPython(body, tools); len(found) > 0 && pythonAlone.MatchString(body) {
		return found, true
	}
	found := callsWithJSON(body, nil) // after other text
	if valid(found, tools) || len(tools) == 0 && len(found) > 0 && strings.ContainsAny(body[len(body)-1:], "}]`") {
		return found, true
	}
	return nil, false
}

var (
	// wholeFence matches a text that is one block of code.
	wholeFence = lazyregexp.New("(?s)^```[a-z_]*\\s*\\n(.*?)\\n?```$")
	// actionLine matches the calls of agents that think aloud (ReAct).
	actionLine = lazyregexp.New(`(?s)(?:^|\n)Action:\s*([\w.-]+)\s*\n+\s*Action Input:\s*(\{.*?\}|[^\n]+)\s*(?:\n|$)`)
	// functionaryCall matches a text that is one call of Functionary.
	functionaryCall = lazyregexp.New(`(?s)^>>>\s*([\w.-]+)\s*\n\s*(\{.*\})\s*$`)
	// pythonAlone matches a text that is one call, or a list of calls.
	pythonAlone = lazyregexp.New(`(?s)^\[?\s*(?:print\()?[\w.]+\(.*\)\s*\]?$`)
)

// actionCall returns a call whose input may be the only argument that the tool requires.
func actionCall(name, input string, tools []Tool) Call {
	if t := named(name, tools); t != nil && !strings.HasPrefix(input, "{") {
		if required := t.schema().Required; len(required) == 1 {
			if data, err := json.Marshal(map[string]string{required[0]: strings.Trim(input, `"`)}); err == nil {
				input = string(data)
			}
		}
	}
	return Call{Name: name, Arguments: input}
}

var (
	// beforeName matches signs and words before the name of a tool.
	beforeName = lazyregexp.New(`^[@#<*\s]*(?:(?i:call:?|functions\.)\s*)?`)
	// elementValue matches an argument that is an element of XML.
	elementValue = lazyregexp.New(`(?s)<(\w+)>\s*(.*?)\s*</\w+>`)
)

// leading reads a call that begins with the name of a known tool and consists of it and its arguments, as in
// "search\n{...}" of GLM 4, "call: search(...)", and "<search><query>...</query></search>".
func leading(body string, tools []Tool) (Call, bool) {
	body = body[len(beforeName.FindString(body)):]
	for _, t := range tools {
		rest, ok := strings.CutPrefix(body, t.Name)
		if rest = strings.TrimSpace(strings.TrimLeft(rest, ":>")); !ok || rest == "" {
			continue
		}
		args := rest
		switch rest[0] {
		case '(':
			if found := callsInPython(t.Name+rest, []Tool{t}); len(found) == 1 && strings.HasSuffix(rest, ")") {
				args = found[0].Arguments
			}
		case '<':
			values := map[string]any{}
			for _, v := range elementValue.FindAllStringSubmatch(rest, -1) {
				values[v[1]] = value(v[2])
			}
			if data, err := json.Marshal(values); err == nil {
				args = string(data)
			}
		}
		if t.takes(args) {
			return Call{Name: t.Name, Arguments: args}, true
		}
	}
	return Call{}, false
}

// object is a tool call in JSON, in the forms of several families.
type object struct {
	Name       json.RawMessage `json:"name"`
	ToolName   string          `json:"tool_name"`
	Tool       json.RawMessage `json:"tool"`
	Function   json.RawMessage `json:"function"`
	Action     json.RawMessage `json:"action"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
	Args       json.RawMessage `json:"args"`
	Input      json.RawMessage `json:"input"`
	ToolCalls  []object        `json:"tool_calls"`
}

// calls returns the calls of an object, or none if it has another form.
func (o object) calls() []Call {
	if len(o.ToolCalls) > 0 {
		var out []Call
		for _, inner := range o.ToolCalls {
			out = append(out, inner.calls()...)
		}
		return out
	}
	var inner object
	if json.Unmarshal(o.Function, &inner) == nil && inner.Name != nil {
		return inner.calls()
	}
	name := o.ToolName
	for _, raw := range []json.RawMessage{o.Name, o.Function, o.Tool, o.Action} {
		if name == "" {
			_ = json.Unmarshal(raw, &name) // another type is no name
		}
	}
	for _, raw := range []json.RawMessage{o.Arguments, o.Parameters, o.Args, o.Input} {
		if raw == nil || name == "" {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil { // JSON inside a string, as in the API
			raw = json.RawMessage(text)
		}
		return []Call{{Name: strings.TrimPrefix(name, "functions."), Arguments: string(raw)}}
	}
	return nil
}

// callsWithJSON reads the JSON values of a text. Each is a call, or the arguments of the
// known tool that the text before it names.
func callsWithJSON(s string, tools []Tool) []Call {
	var out []Call
	from := 0
	for at := 0; at < len(s) && len(out) < maxTextCalls; {
		if s[at] != '{' {
			at++
			continue
		}
		var raw json.RawMessage
		d := json.NewDecoder(strings.NewReader(s[at:]))
		if d.Decode(&raw) != nil {
			at++
			continue
		}
		end := at + int(d.InputOffset())
		var o object
		if json.Unmarshal(raw, &o) == nil && len(o.calls()) > 0 {
			out = append(out, o.calls()...)
		} else if c, ok := keyed(raw, tools); ok {
			out = append(out, c)
		} else if name := lastNamed(s[from:at], tools); name != "" {
			out = append(out, Call{Name: name, Arguments: string(raw)})
		}
		at, from = end, end
	}
	return out
}

// keyed reads a call whose only key is the name of a known tool, as Apertus writes it.
func keyed(raw json.RawMessage, tools []Tool) (Call, bool) {
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil || len(args) != 1 {
		return Call{}, false
	}
	for name, a := range args {
		if named(name, tools) != nil {
			return Call{Name: name, Arguments: string(a)}, true
		}
	}
	return Call{}, false
}

// lastNamed returns the last known tool that a text names, or "".
func lastNamed(s string, tools []Tool) string {
	best, name := -1, ""
	for _, t := range tools {
		if i := strings.LastIndex(s, t.Name); i > best || i >= 0 && i == best && len(t.Name) > len(name) {
			best, name = i, t.Name
		}
	}
	return name
}

var (
	// taggedCall matches a call whose arguments are tags: of Qwen Coder, MiniMax, DeepSeek, Step, and GLM.
	taggedCall = lazyregexp.New(`<function=["']?([\w.-]+)["']?>|<[\w｜:]*invoke name="([\w.-]+)">|<tool_call>\s*([\w.-]+)\s*(?:\n|<arg_key>)`)
	// taggedValue matches one argument.
	taggedValue = lazyregexp.New(`(?s)<[\w｜:]*parameter(?:=| name=)["']?([\w.-]+)["']?[^<>]*>\n?(.*?)\n?</[\w｜:]*parameter>|<arg_key>\s*(.*?)\s*</arg_key>\s*<arg_value>(.*?)</arg_value>`)
)

// callsWithTags reads calls whose arguments are tags.
func callsWithTags(s string) []Call {
	var out []Call
	found := taggedCall.FindAllStringSubmatchIndex(s, maxTextCalls)
	for i, m := range found {
		end := len(s)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		args := map[string]any{}
		for _, v := range taggedValue.FindAllStringSubmatch(s[m[0]:end], -1) {
			args[v[1]+v[3]] = value(v[2] + v[4])
		}
		if data, err := json.Marshal(args); err == nil {
			out = append(out, Call{Name: group(s, m), Arguments: string(data)})
		}
	}
	return out
}

// group returns the group of a match that is set.
func group(s string, m []int) string {
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			return s[m[i]:m[i+1]]
		}
	}
	return ""
}

// value returns a JSON value that is not a string as it is, and other text as a string.
func value(s string) any {
	var v any
	if json.Unmarshal([]byte(s), &v) == nil {
		if _, ok := v.(string); !ok {
			return json.RawMessage(s)
		}
		return v
	}
	return s
}

// pythonValue matches one keyword argument.
var pythonValue = lazyregexp.New(`(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?[\d.]+|True|False|None)`)

// callsInPython reads calls such as search(query="x") of known tools.
func callsInPython(s string, tools []Tool) []Call {
	var out []Call
	for _, t := range tools {
		_, rest, ok := strings.Cut(s, t.Name+"(")
		if !ok {
			continue
		}
		args := map[string]any{}
		for _, v := range pythonValue.FindAllStringSubmatch(rest, -1) {
			if _, again := args[v[1]]; again {
				break
			}
			args[v[1]] = pythonLiteral(v[2])
		}
		if data, err := json.Marshal(args); err == nil {
			out = append(out, Call{Name: t.Name, Arguments: string(data)})
		}
	}
	return out
}

var (
	// gemmaCall matches a call of Gemma: call:NAME{KEY:VALUE,…}.
	gemmaCall = lazyregexp.New(`(?s)\bcall:([\w.-]+)\{(.*?)\}\s*(?:<|$)`)
	// gemmaValue matches one argument. Texts are between special tokens.
	gemmaValue = lazyregexp.New(`(?s)(\w+):(?:(?:<escape>|<\|"\|>)(.*?)(?:<escape>|<\|"\|>)|([^,{}<>]+))`)
)

// callsOfGemma reads calls of Gemma.
func callsOfGemma(s string) []Call {
	var out []Call
	for _, m := range gemmaCall.FindAllStringSubmatch(s, maxTextCalls) {
		args := map[string]any{}
		for _, v := range gemmaValue.FindAllStringSubmatch(m[2], -1) {
			if args[v[1]] = v[2]; v[3] != "" {
				args[v[1]] = value(strings.TrimSpace(v[3]))
			}
		}
		if data, err := json.Marshal(args); err == nil {
			out = append(out, Call{Name: m[1], Arguments: string(data)})
		}
	}
	return out
}

// pythonToken matches a string or a constant of Python.
var pythonToken = lazyregexp.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:True|False|None)\b`)

// pythonToJSON replaces the strings and constants of Python in a text by those of JSON.
func pythonToJSON(s string) string {
	return pythonToken.ReplaceAllStringFunc(s, func(token string) string {
		if token[0] == '"' {
			return token
		}
		data, err := json.Marshal(pythonLiteral(token))
		if err != nil {
			return token
		}
		return string(data)
	})
}

// pythonLiteral returns the value of a literal.
func pythonLiteral(s string) any {
	switch {
	case s == "None":
		return nil
	case s == "True", s == "False":
		return s == "True"
	case s[0] == '\'':
		return strings.NewReplacer(`\'`, `'`, `\\`, `\`, `\n`, "\n").Replace(s[1 : len(s)-1])
	default:
		return value(s)
	}
}
