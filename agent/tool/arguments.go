package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// MaxArguments bounds the arguments of one call, in bytes.
const MaxArguments = 1 << 20

// readSchema reads a tool's parameters. Schemas that the library cannot apply
// (with references, which may go round in circles, or patterns of another
// regexp dialect) have only their first level checked.
func readSchema(raw json.RawMessage) (*jsonschema.Schema, *jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, nil, fmt.Errorf("read schema: %w", err)
	}
	if s.Type != "object" {
		return nil, nil, fmt.Errorf("read schema: its type is %q", s.Type)
	}
	for _, p := range s.Properties {
		if p == nil {
			return nil, nil, errors.New("read schema: a property is null")
		}
	}
	if bytes.Contains(raw, []byte(`"$ref"`)) || bytes.Contains(raw, []byte(`"$dynamicRef"`)) {
		return &s, nil, nil
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return &s, nil, nil //nolint:nilerr // the first level is checked all the same
	}
	return &s, resolved, nil
}

// arguments checks the arguments of a call, as BAF does, and converts those
// that models commonly get a little wrong.
func (e *entry) arguments(raw json.RawMessage) (json.RawMessage, error) {
	args, err := e.object(raw)
	if err != nil {
		return nil, err
	}
	if unknown := e.unknown(args); len(unknown) > 0 {
		return nil, refusal("ToolError", "Tool '%s' received unknown argument(s): %s", e.Name, list(unknown))
	}
	var missing []string
	for _, name := range e.schema.Required {
		if _, ok := args[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, refusal("ToolError", "Tool '%s' missing required argument(s): %s", e.Name, list(missing))
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		p := e.schema.Properties[name]
		if p == nil {
			continue
		}
		if args[name] == nil && !takesNull(p) && !slices.Contains(e.schema.Required, name) {
			delete(args, name)
			continue
		}
		if args[name], err = convert(p, name, args[name]); err != nil {
			return nil, err
		}
	}
	out, err := json.Marshal(args)
	if err != nil {
		return nil, refusal("ToolError", "Tool '%s' cannot read its arguments", e.Name)
	}
	return out, e.deep(out)
}

// object reads the arguments. Models that call a tool without arguments send
// nothing or null.
func (e *entry) object(raw json.RawMessage) (map[string]any, error) {
	if len(raw) > MaxArguments {
		return nil, refusal("ToolError", "Tool '%s' takes at most %d bytes of arguments, got %d", e.Name, MaxArguments, len(raw))
	}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || string(trimmed) == "null" {
		return map[string]any{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, refusal("ToolError", "Tool '%s' expects a dict of arguments, got invalid JSON", e.Name)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, refusal("ToolError", "Tool '%s' expects a dict of arguments, got more than one value", e.Name)
	}
	args, ok := v.(map[string]any)
	if !ok {
		return nil, refusal("ToolError", "Tool '%s' expects a dict of arguments, got %s", e.Name, pythonType(v))
	}
	return args, nil
}

// unknown lists arguments that the tool has not. A schema that says which
// others it takes, or says it elsewhere than in its properties, is believed.
func (e *entry) unknown(args map[string]any) []string {
	s := e.schema
	no, _ := json.Marshal(s.AdditionalProperties)
	if s.AdditionalProperties != nil && string(no) != "false" || s.PatternProperties != nil ||
		s.Ref != "" || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil || s.If != nil {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if s.Properties[name] == nil {
			out = append(out, clip(name, 64))
		}
	}
	return out
}

// deep checks what lies below the first level.
func (e *entry) deep(arguments json.RawMessage) (err error) {
	if e.resolved == nil {
		return nil
	}
	var plain any // the library takes json.Number for a string
	if err := json.Unmarshal(arguments, &plain); err != nil {
		return refusal("ToolError", "Tool '%s' cannot read its arguments", e.Name)
	}
	if err := e.resolved.Validate(plain); err != nil {
		return refusal("ToolError", "Tool '%s' received invalid arguments: %v", e.Name, err)
	}
	return nil
}

func takesNull(p *jsonschema.Schema) bool {
	return p.Type == "null" || slices.Contains(p.Types, "null") || p.Type == "" && p.Types == nil
}

// convert makes a value of the type a parameter has, if it can be taken for
// one; of parameters with several types the first that fits.
func convert(p *jsonschema.Schema, name string, v any) (any, error) {
	types := p.Types
	if p.Type != "" {
		types = []string{p.Type}
	}
	if len(types) == 0 {
		return v, nil
	}
	for _, strict := range []bool{true, false} {
		for _, t := range types {
			if out, ok := as(t, v, strict); ok {
				return convertItems(p, name, out)
			}
		}
	}
	return nil, refusal("ToolError", "Invalid argument '%s': expected %s, got %s", name, strings.Join(types, " or "), pythonValue(v))
}

func convertItems(p *jsonschema.Schema, name string, v any) (any, error) {
	items, ok := v.([]any)
	if !ok || p.Items == nil {
		return v, nil
	}
	for i := range items {
		var err error
		if items[i], err = convert(p.Items, fmt.Sprintf("%s[%d]", name, i), items[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

var (
	integerText = regexp.MustCompile(`^[+-]?[0-9]{1,18}$`)
	numberText  = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)
)

// as returns v as a value of a JSON Schema type; unless strict, also what is
// only written differently.
func as(kind string, v any, strict bool) (any, bool) {
	switch v := v.(type) {
	case nil:
		return nil, kind == "null"
	case bool:
		return v, kind == "boolean"
	case []any:
		return v, kind == "array"
	case map[string]any:
		return v, kind == "object"
	case json.Number:
		switch kind {
		case "number":
			_, err := v.Float64()
			return v, err == nil
		case "integer":
			return integer(v)
		}
	case string:
		if kind == "string" {
			return v, true
		}
		if strict {
			return nil, false
		}
		return fromText(kind, strings.TrimSpace(v))
	}
	return nil, false
}

func fromText(kind, text string) (any, bool) {
	switch kind {
	case "integer":
		if integerText.MatchString(text) {
			n, err := strconv.ParseInt(text, 10, 64)
			return n, err == nil
		}
	case "number":
		if numberText.MatchString(text) {
			f, err := strconv.ParseFloat(text, 64)
			return f, err == nil
		}
	case "boolean":
		switch strings.ToLower(text) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
	}
	return nil, false
}

// integer takes 3 and 3.0 and 3e0 for what JSON Schema says they are.
func integer(n json.Number) (any, bool) {
	if _, err := n.Int64(); err == nil {
		return n, true
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil, false
	}
	return int64(f), true
}

// list writes names as Python does, for messages that read as BAF's.
func list(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "'" + n + "'"
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func pythonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case string:
		return "str"
	case []any:
		return "list"
	case map[string]any:
		return "dict"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "int"
		}
		return "float"
	}
	return fmt.Sprintf("%T", v)
}

// pythonValue names a refused value: short ones as they are, others by type.
func pythonValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case json.Number:
		return clip(v.String(), 32)
	case string:
		return "'" + clip(v, 32) + "'"
	}
	return pythonType(v)
}
