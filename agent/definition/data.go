package definition

import (
	"strings"

	"gopkg.in/yaml.v3"

	"docent/agent"
)

// data is a value of any kind whose texts may contain placeholders. A text that is
// one placeholder has its value with its type, such as a number or a list.
type data struct {
	source
	// fixed reports that the value has no placeholders. constant is the value then.
	fixed    bool
	constant any
}

// data reads such a value.
func (d *draft) data(n *yaml.Node, what string) data {
	v := n
	for v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	var out data
	switch {
	case v.Kind == yaml.MappingNode:
		out = d.object(n, what)
	case v.Kind == yaml.SequenceNode:
		out = d.array(n, what)
	case v.Kind == yaml.ScalarNode && strings.Contains(v.Value, "{{"):
		text := d.template(n, what)
		if len(text) == 1 && text[0].value != nil {
			return data{source: text[0].value}
		}
		return data{source: func(s *agent.Session) any { return text.fill(s) }}
	default:
		out = data{fixed: true, constant: d.value(n, what)}
	}
	if out.fixed {
		constant := out.constant
		out.source = func(*agent.Session) any { return constant }
	}
	return out
}

func (d *draft) object(n *yaml.Node, what string) data {
	out, constant := map[string]data{}, map[string]any{}
	fixed := true
	d.entries(n, what, func(_ *yaml.Node, name string, value *yaml.Node) {
		item := d.data(value, what)
		out[name], constant[name] = item, item.constant
		fixed = fixed && item.fixed
	})
	return data{fixed: fixed, constant: constant, source: func(s *agent.Session) any {
		filled := make(map[string]any, len(out))
		for name, item := range out {
			filled[name] = item.source(s)
		}
		return filled
	}}
}

func (d *draft) array(n *yaml.Node, what string) data {
	out, constant := []data{}, []any{}
	fixed := true
	d.list(n, what, func(item *yaml.Node) {
		value := d.data(item, what)
		out, constant = append(out, value), append(constant, value.constant)
		fixed = fixed && value.fixed
	})
	return data{fixed: fixed, constant: constant, source: func(s *agent.Session) any {
		filled := make([]any, len(out))
		for i, item := range out {
			filled[i] = item.source(s)
		}
		return filled
	}}
}
