package tool

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// noParameters describes a tool without arguments.
var noParameters = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// schemaOf describes a struct. It adjusts the schema of the library to models and encoding/json. A pointer is an
// optional field that does not accept null. Types that decode themselves from a string are strings.
func schemaOf(t reflect.Type) (json.RawMessage, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is not a struct", t)
	}
	own := map[reflect.Type]*jsonschema.Schema{}
	if err := selfReading(t, own, nil); err != nil {
		return nil, err
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: own})
	if err != nil {
		return nil, err //nolint:wrapcheck // New says what failed
	}
	if err := describe(s, t, own); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// selfReading collects the types below t that decode themselves. The library would describe their fields.
func selfReading(t reflect.Type, own map[reflect.Type]*jsonschema.Schema, above []reflect.Type) error {
	if slices.Contains(above, t) {
		return fmt.Errorf("%s holds itself", t)
	}
	above = append(slices.Clip(above), t)
	switch pointer := reflect.PointerTo(t); {
	case t == reflect.TypeFor[time.Time]():
		own[t] = &jsonschema.Schema{Type: "string", Format: "date-time"}
	case t == reflect.TypeFor[[]byte]():
		own[t] = &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}
	case len(above) == 1: // the arguments themselves
		return selfReadingBelow(t, own, above)
	case pointer.Implements(reflect.TypeFor[json.Unmarshaler]()):
		own[t] = &jsonschema.Schema{}
	case pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		own[t] = &jsonschema.Schema{Type: "string"}
	default:
		return selfReadingBelow(t, own, above)
	}
	return nil
}

func selfReadingBelow(t reflect.Type, own map[reflect.Type]*jsonschema.Schema, above []reflect.Type) error {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return selfReading(t.Elem(), own, above)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous && (f.Type.Kind() != reflect.Struct || f.Tag.Get("json") != "") {
				return fmt.Errorf("embedded %s: only a struct without a json tag can be embedded", f.Name)
			}
			if _, _, ok := jsonField(f); !ok && !f.Anonymous {
				continue
			}
			if _, options, _ := strings.Cut(f.Tag.Get("json"), ","); slices.Contains(strings.Split(options, ","), "string") {
				return fmt.Errorf("%s: a json tag with the option string", f.Name)
			}
			if err := selfReading(f.Type, own, above); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe adds the tags of t's fields to its schema.
func describe(s *jsonschema.Schema, t reflect.Type, own map[reflect.Type]*jsonschema.Schema) error {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Type == "" { // "true" is a schema too, but not every server knows
		s.Description = "Any JSON value."
	}
	if own[t] != nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return describe(s, t.Elem(), own)
	case reflect.Slice, reflect.Array:
		return describe(s.Items, t.Elem(), own)
	case reflect.Map:
		return describe(s.AdditionalProperties, t.Elem(), own)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, optional, ok := jsonField(f)
			if f.Anonymous || !ok {
				continue
			}
			p := s.Properties[name]
			if p == nil {
				return fmt.Errorf("%s: %q is no name of a JSON property", f.Name, name)
			}
			if err := describe(p, f.Type, own); err != nil {
				return err
			}
			if text := f.Tag.Get("description"); text != "" {
				p.Description = text
			}
			if err := allow(p, f.Tag.Get("enum")); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if optional {
				s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
			}
		}
	}
	return nil
}

// allow limits a property, or the items of a list, to the values of an enum tag.
func allow(p *jsonschema.Schema, tag string) error {
	if tag == "" {
		return nil
	}
	if p.Type == "array" {
		p = p.Items
	}
	for v := range strings.SplitSeq(tag, ",") {
		switch p.Type {
		case "string":
			p.Enum = append(p.Enum, v)
		case "integer", "number":
			n, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return fmt.Errorf("enum %q: %q is not a number", tag, v)
			}
			p.Enum = append(p.Enum, n)
		default:
			return fmt.Errorf("enum %q on a field of type %s", tag, p.Type)
		}
	}
	return nil
}

// jsonField returns the JSON name of a field and whether it is optional. It returns false for a field that encoding/json
// ignores.
func jsonField(f reflect.StructField) (name string, optional, ok bool) {
	tag := f.Tag.Get("json")
	if !f.IsExported() || tag == "-" {
		return "", false, false
	}
	name, rest, _ := strings.Cut(tag, ",")
	if name == "" {
		name = f.Name
	}
	for option := range strings.SplitSeq(rest, ",") {
		optional = optional || option == "omitempty" || option == "omitzero"
	}
	return name, optional || f.Type.Kind() == reflect.Pointer, true
}
