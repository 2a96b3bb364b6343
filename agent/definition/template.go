package definition

import (
	"encoding/json"
	"html"
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
	value func(s *agent.Session) string // nil for text
}

// values are the placeholders without a key.
var values = map[string]func(s *agent.Session) string{
	"message":      (*agent.Session).Message,
	"username":     (*agent.Session).Username,
	"session":      (*agent.Session).ID,
	"session_name": (*agent.Session).SessionName,
	"state":        (*agent.Session).CurrentState,
	"event":        func(s *agent.Session) string { return s.Event().Name },
}

const templateValues = ".message, .username, .session, .session_name, .state, .event, .data.KEY, .parameters.NAME, .variables.NAME and .properties.NAME"

// template reads a text with placeholders such as {{.name}}.
func (r *reader) template(n *yaml.Node, what string, d *draft) template {
	var out template
	rest := r.text(n, what)
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
			r.wrong(n, "%s has {{ without }}: close it after the name, as in {{.message}}", what)
			return out
		}
		rest = behind
		value := d.placeholder(strings.TrimSpace(name))
		if value == nil {
			r.wrong(n, "%s names {{%s}}, which there is not: it may name %s", what, name, templateValues)
			continue
		}
		out = append(out, part{value: value})
	}
}

// placeholder returns the function that computes a placeholder's value, or nil.
func (d *draft) placeholder(name string) func(s *agent.Session) string {
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
	case of == "parameters" && d.parameters[key]:
		return func(s *agent.Session) string {
			p := s.Prediction()
			value, _ := p.Parameter(key)
			return value
		}
	case of == "data":
		return func(s *agent.Session) string { return datum(s.Event(), key) }
	case of == "variables":
		return func(s *agent.Session) string { return shown(agent.Get[any](s, key, nil)) }
	case of == "properties" && d.properties.Has(key):
		text := shown(d.properties.values[key])
		return func(*agent.Session) string { return text }
	default:
		return nil
	}
}

// datum returns the value of a key in the JSON object of an event or a message.
// Dots in the key separate nested keys. datum returns "" without a value.
func datum(e agent.Event, key string) string {
	data := e.Data
	if data == nil {
		data = e.JSON
	}
	var v any
	if json.Unmarshal(data, &v) != nil {
		return ""
	}
	for key, rest, more := strings.Cut(key, "."); ; key, rest, more = strings.Cut(rest, ".") {
		object, _ := v.(map[string]any)
		if v = object[key]; !more {
			return shown(v)
		}
	}
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
			b.WriteString(escape(p.value(s)))
		}
		if b.Len() > MaxReply {
			return strings.ToValidUTF8(b.String()[:MaxReply], "") // the cut may be inside a character
		}
	}
	return b.String()
}

// constant returns the text of a template without placeholders.
func (t template) constant() (string, bool) {
	if len(t) != 1 || t[0].value != nil {
		return "", false
	}
	return t[0].text, true
}
