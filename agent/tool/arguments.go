package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// MaxArguments limits the arguments of one call, in bytes.
const MaxArguments = 1 << 20

// drafts are the versions of JSON Schema that the library supports.
var drafts = []string{
	"", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#",
	"https://json-schema.org/draft/2020-12/schema",
}

// readSchema reads a tool's parameters. Some schemas are not supported by the library: other versions, references, which
// may form a cycle, and patterns of another regexp dialect. For them, only types and names are checked.
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
	if !slices.Contains(drafts, s.Schema) || bytes.Contains(raw, []byte(`"$ref"`)) || bytes.Contains(raw, []byte(`"$dynamicRef"`)) {
		return &s, nil, nil
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return &s, nil, nil //nolint:nilerr // types and names are checked anyway
	}
	return &s, resolved, nil
}

// arguments checks the arguments of a call, as BAF does. It converts common small mistakes of models.
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
	if err := convertProperties(e.schema, "", args); err != nil {
		return nil, err
	}
	out, err := json.Marshal(args)
	if err != nil {
		return nil, refusal("ToolError", "Tool '%s' cannot read its arguments", e.Name)
	}
	return out, e.deep(out)
}

// object decodes the arguments. Empty input and null mean no arguments, because some models send them.
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

// unknown lists arguments that the tool does not have. It returns none if the schema allows additional arguments or
// declares them outside of its properties.
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

// deep checks the values below the first level.
func (e *entry) deep(arguments json.RawMessage) (err error) {
	if e.resolved == nil {
		return nil
	}
	var plain any // the library takes json.Number for a string
	if err := json.Unmarshal(arguments, &plain); err != nil {
		return refusal("ToolError", "Tool '%s' cannot read its arguments", e.Name)
	}
	if err := e.resolved.Validate(plain); err != nil {
		refused := fmt.Sprintf("Tool '%s' received invalid arguments", e.Name)
		return &argumentError{refusal("ToolError", "%s: %v", refused, err), refused}
	}
	return nil
}
