package definition

import (
	"bytes"
	"encoding/json"
	"html"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"docent/agent"
)

// MaxReply bounds a text after its placeholders are replaced, in bytes. The
// rest is cut off.
const MaxReply = 64 << 10

// template is a text with placeholders. A placeholder can only read the values
// below.
type template []part

// part is a literal text or a placeholder.
type part struct {
	text  string
	value source // nil for text
}

// source computes a value that JSON can represent. It returns nil without a
// value.
type source func(s *agent.Session) any

// values are the placeholders without a key.
var values = map[string]source{
	"message":      func(s *agent.Session) any { return s.Message() },
	"username":     func(s *agent.Session) any { return s.Username() },
	"session":      func(s *agent.Session) any { return s.ID() },
	"session_name": func(s *agent.Session) any { return s.SessionName() },
	"state":        func(s *agent.Session) any { return s.CurrentState() },
	"event":        func(s *agent.Session) any { return s.Event().Name },
}

const templateValues = ".message, .username, .session, .session_name, .state, .event, .data.KEY, .parameters.NAME, .variables.NAME and .properties.NAME"

// template reads a text with placeholders such as {{.name}}.
func (d *draft) template(n *yaml.Node, what string) template {
	var out template
	rest := d.text(n, what)
	for {
		before, after, found := strings.Cut(rest, "{{")
		if before != "" {
			out = append(out, part{text: before})
		}
		if !found {
			return out
		}
		name, behind, closed := strings.Cut(after, "}}")
		if !closed {
			d.wrong(n, "%s has {{ without }}: close it after the name, as in {{.message}}", what)
			return out
		}
		rest = behind
		value, reason := d.computed(strings.TrimSpace(name))
		if value == nil {
			d.wrong(n, "%s has {{%s}}, %s", what, name, reason)
			continue
		}
		out = append(out, part{value: value})
	}
}

// placeholder returns the function that computes a placeholder's value, or nil.
func (d *draft) placeholder(name string) source {
	name, ok := strings.CutPrefix(name, ".")
	if !ok {
		return nil
	}
	if value := values[name]; value != nil {
		return value
	}
	of, key, _ := strings.Cut(name, ".")
	switch {
	case key == "":
		return nil
	case of == "parameters":
		return d.parameter(key)
	case of == "data":
		return func(s *agent.Session) any { return datum(s.Event(), key) }
	case of == "variables":
		return variable(key)
	case of == "properties" && d.properties.Has(key):
		value := d.properties.values[key]
		return func(*agent.Session) any { return value }
	default:
		return nil
	}
}

// parameter returns the source of an intent's parameter, or nil if no intent has
// it. The values of number entities are numbers, and others are texts.
func (d *draft) parameter(name string) source {
	numeric, known := d.parameters[name]
	if !known {
		return nil
	}
	return func(s *agent.Session) any {
		p := s.Prediction()
		value, ok := p.Parameter(name)
		switch {
		case !ok:
			return nil
		case numeric && json.Valid([]byte(value)):
			return json.Number(value)
		}
		return value
	}
}

// variable returns the source of a session variable, or of a value in it. Dots
// separate nested keys, unless a variable has the whole name.
func variable(name string) source {
	first, rest, nested := strings.Cut(name, ".")
	return func(s *agent.Session) any {
		v := decoded(agent.Get[json.RawMessage](s, name, nil))
		if v == nil && nested {
			v = within(decoded(agent.Get[json.RawMessage](s, first, nil)), rest)
		}
		return v
	}
}

// within returns the value of a key in objects and lists. Dots separate nested keys.
// It returns nil without a value.
func within(v any, key string) any {
	for key, rest, more := strings.Cut(key, "."); ; key, rest, more = strings.Cut(rest, ".") {
		switch outer := v.(type) {
		case map[string]any:
			v = outer[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(outer) {
				return nil
			}
			v = outer[i]
		default:
			return nil
		}
		if !more {
			return v
		}
	}
}

// datum returns the value of a key in the JSON object of an event or a message.
// Dots in the key separate nested keys. datum returns nil without a value.
func datum(e agent.Event, key string) any {
	return within(decoded(e.Object()), key)
}

// decoded returns a JSON value whose numbers keep all digits. Without a value, it is nil.
func decoded(data json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return nil
	}
	return v
}

// shown converts a value to text. Text is unchanged, null is "", and other
// values become JSON.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}

// fill returns the text for a session.
func (t template) fill(s *agent.Session) string {
	return t.filled(s, func(v string) string { return v })
}

// fillHTML returns the text of an HTML template and escapes the values.
func (t template) fillHTML(s *agent.Session) string { return t.filled(s, html.EscapeString) }

func (t template) filled(s *agent.Session, escape func(string) string) string {
	var b strings.Builder
	for _, p := range t {
		if p.value == nil {
			b.WriteString(p.text)
		} else {
			b.WriteString(escape(shown(p.value(s))))
		}
		if b.Len() > MaxReply {
			return strings.ToValidUTF8(b.String()[:MaxReply], "") // the cut may be inside a character
		}
	}
	return b.String()
}
