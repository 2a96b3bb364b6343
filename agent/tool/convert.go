package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// convertProperties converts the values of an object in place. It removes optional properties that are null.
func convertProperties(s *jsonschema.Schema, path string, object map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		p := s.Properties[name]
		if p == nil {
			continue
		}
		if object[name] == nil && !takesNull(p) && !slices.Contains(s.Required, name) {
			delete(object, name)
			continue
		}
		var err error
		if object[name], err = convert(p, path+name, object[name]); err != nil {
			return err
		}
	}
	return nil
}

func takesNull(p *jsonschema.Schema) bool {
	return p.Type == "null" || slices.Contains(p.Types, "null") || p.Type == "" && p.Types == nil
}

// convert converts a value to the type of a parameter if it can. If a parameter has several types, the first fitting type
// wins.
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
				return convertBelow(p, name, out)
			}
		}
	}
	expected := fmt.Sprintf("Invalid argument '%s': expected %s", name, strings.Join(types, " or "))
	return nil, &argumentError{refusal("ToolError", "%s, got %s", expected, pythonValue(v)), expected}
}

// convertBelow converts the values in a list or an object.
func convertBelow(p *jsonschema.Schema, name string, v any) (any, error) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			if p.Items == nil {
				break
			}
			var err error
			if v[i], err = convert(p.Items, fmt.Sprintf("%s[%d]", name, i), v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		return v, convertProperties(p, name+".", v)
	}
	return v, nil
}

var (
	integerText = regexp.MustCompile(`^[+-]?[0-9]{1,18}$`)
	numberText  = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)
)

// as returns v as a value of a JSON Schema type. Unless strict, it also converts other spellings of the value.
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

// integer accepts 3, 3.0, and 3e0 as integers, as JSON Schema does.
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

// list writes names like Python, for messages in BAF's style.
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

// pythonValue describes a refused value: short values literally, others by type.
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
