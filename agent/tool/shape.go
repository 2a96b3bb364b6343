package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"docent/internal/fault"
)

// Shape is the JSON Schema of an object that a model writes as its answer.
type Shape struct {
	schema   json.RawMessage
	resolved *jsonschema.Resolved
}

// NewShape returns the shape of a JSON Schema, which must have the type object. It fails with fault.Invalid.
func NewShape(schema json.RawMessage) (*Shape, error) {
	if len(schema) > MaxParameters {
		return nil, fault.New(fault.Invalid, "schema_too_large", "the schema has %d bytes; at most %d are allowed", len(schema), MaxParameters)
	}
	_, resolved, err := readSchema(schema)
	if err == nil && resolved == nil {
		err = errors.New("only draft 7 and 2020-12 without references are supported")
	}
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "schema_invalid", "the schema cannot be used: %v", err)
	}
	return &Shape{schema, resolved}, nil
}

// ShapeOf returns the shape of a struct. The tags of its fields are those of [New].
func ShapeOf(t reflect.Type) (*Shape, error) {
	schema, err := schemaOf(t)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "schema_of_type", "no schema describes %s: %v", t, err)
	}
	return NewShape(schema)
}

// Schema returns the JSON Schema.
func (s *Shape) Schema() json.RawMessage { return s.schema }

// Read returns the object in the answer of a model, which may have other text around it. The error tells the model what to
// change.
func (s *Shape) Read(answer string) (json.RawMessage, error) {
	from := strings.IndexByte(answer, '{')
	if from < 0 {
		return nil, errors.New("the answer has no JSON object")
	}
	decoder := json.NewDecoder(strings.NewReader(answer[from:]))
	decoder.UseNumber()
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return nil, fmt.Errorf("the JSON object is not complete: %w", err)
	}
	var object any
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&object); err != nil {
		return nil, fmt.Errorf("the JSON object cannot be read: %w", err)
	}
	if err := s.resolved.Validate(object); err != nil {
		return nil, fmt.Errorf("the JSON object does not fit the schema: %w", err)
	}
	return raw, nil
}
