package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxDepth bounds the nesting of a description.
const maxDepth = 200

var errDepth = errors.New("too many levels")

// node is a value of a description. The zero value is a missing one, and so are its members.
type node struct{ yaml *yaml.Node }

// parse reads a text in JSON or YAML and keeps the order of members.
func parse(text string) (node, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if strings.HasPrefix(text, "{") {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		n, err := parseJSON(d, 0)
		return node{n}, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return node{}, fmt.Errorf("parse YAML: %w", err)
	}
	if len(doc.Content) == 0 {
		return node{}, nil
	}
	return node{doc.Content[0]}, nil
}

// parseJSON reads a value. The reader of YAML refuses tabs, which JSON allows.
func parseJSON(d *json.Decoder, depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("parse JSON: %w", err)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		if token == nil {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, nil
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(token)}, nil
	}
	n := &yaml.Node{Kind: yaml.MappingNode}
	if delim == '[' {
		n.Kind = yaml.SequenceNode
	}
	for d.More() {
		child, err := parseJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, child)
	}
	_, err = d.Token() // the closing bracket
	if err != nil {
		return nil, fmt.Errorf("parse JSON: %w", err)
	}
	return n, nil
}

// kind returns the kind of a value; 0 without one.
func (n node) kind() yaml.Kind {
	// An alias of an alias cannot be written, so one step is enough.
	if n.yaml != nil && n.yaml.Kind == yaml.AliasNode {
		return n.yaml.Alias.Kind
	}
	if n.yaml == nil {
		return 0
	}
	return n.yaml.Kind
}

// content returns the members of a value. Keys and values of an object alternate.
func (n node) content() []*yaml.Node {
	if n.yaml != nil && n.yaml.Kind == yaml.AliasNode {
		return n.yaml.Alias.Content
	}
	if n.yaml == nil {
		return nil
	}
	return n.yaml.Content
}

// get returns a member of an object by the names on the way to it.
func (n node) get(names ...string) node {
	for _, name := range names {
		found := node{}
		for key, value := range n.members() {
			if key == name {
				found = value
				break
			}
		}
		n = found
	}
	return n
}

// members yields the members of an object in their order.
func (n node) members() iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		if n.kind() != yaml.MappingNode {
			return
		}
		c := n.content()
		for i := 0; i+1 < len(c); i += 2 {
			if !yield(c[i].Value, node{c[i+1]}) {
				return
			}
		}
	}
}

// items yields the items of an array.
func (n node) items() iter.Seq[node] {
	return func(yield func(node) bool) {
		if n.kind() != yaml.SequenceNode {
			return
		}
		for _, item := range n.content() {
			if !yield(node{item}) {
				return
			}
		}
	}
}

// text returns a text, number, or truth value, and "" for other values.
func (n node) text() string {
	if n.kind() != yaml.ScalarNode {
		return ""
	}
	scalar := n.yaml
	if scalar.Kind == yaml.AliasNode {
		scalar = scalar.Alias
	}
	if scalar.Tag == "!!null" {
		return ""
	}
	return strings.TrimSpace(scalar.Value)
}

// texts returns the texts of an array, or the only one.
func (n node) texts() []string {
	var out []string
	for item := range n.items() {
		if text := item.text(); text != "" {
			out = append(out, text)
		}
	}
	if text := n.text(); text != "" {
		out = append(out, text)
	}
	return out
}

// isTrue reports whether a value is true.
func (n node) isTrue() bool { return n.text() == "true" }
