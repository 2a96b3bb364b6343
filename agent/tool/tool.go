package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"time"

	"docent/internal/fault"
	"docent/llm"
)

// MaxParameters limits a tool's JSON Schema, in bytes.
const MaxParameters = 64 << 10

// validName matches the function names that OpenAI and compatible servers accept.
var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Tool is a function that a model can call.
type Tool struct {
	// Name is the name for the model: 1 to 64 letters, digits, "_", and "-".
	Name string
	// Description tells the model when and how to use the tool.
	Description string
	// Parameters is a JSON Schema of type object, at most MaxParameters long. nil means no arguments.
	Parameters json.RawMessage
	// Call runs the tool. The arguments are a JSON object that fits Parameters. The model sees a nil result as "OK", a string
	// literally, and any other result as JSON. If an error contains an *Error, its text is shown to the model and to people
	// who watch the steps. Otherwise they see the safe sentence of a fault, or only that the tool failed. Call must be safe
	// for concurrent use and return when ctx ends.
	Call func(ctx context.Context, arguments json.RawMessage) (any, error)
	// Timeout is the timeout of one call. Default: the Set's timeout.
	Timeout time.Duration
	// Withheld keeps the texts of errors and panics out of the log and out of Outcome.Cause, because they may repeat words of
	// users, documents, or other programs. Default: false.
	Withheld bool
}

// New makes a tool from a function. The fields of the struct In become its parameters, under their json names. The tag
// `description:"…"` explains a field to the model, and `enum:"a,b,c"` lists its allowed values. A field is required unless
// it is a pointer or tagged omitempty or omitzero. New fails with fault.Invalid if the name is invalid or In cannot be
// described.
func New[In any](name, description string, call func(context.Context, In) (any, error)) (Tool, error) {
	if call == nil {
		return Tool{}, fault.New(fault.Invalid, "tool_without_function", "tool %s: there is no function", name)
	}
	parameters, err := schemaOf(reflect.TypeFor[In]())
	if err != nil {
		return Tool{}, fault.Wrap(fault.Invalid, err,
			"tool_arguments_undescribable", "tool %s: its arguments cannot be described: %v", name, err)
	}
	t := Tool{Name: name, Description: description, Parameters: parameters}
	t.Call = func(ctx context.Context, arguments json.RawMessage) (any, error) {
		var in In
		if err := json.Unmarshal(arguments, &in); err != nil {
			return nil, refusal("ToolError", "Tool '%s' cannot read its arguments: %v", name, err)
		}
		return call(ctx, in)
	}
	return t, t.validate()
}

// Definition returns the description of the tool for a model.
func (t Tool) Definition() llm.Tool {
	parameters := t.Parameters
	if len(parameters) == 0 {
		parameters = noParameters
	}
	return llm.Tool{Name: t.Name, Description: t.Description, Parameters: parameters}
}

func (t Tool) validate() error {
	switch {
	case !validName.MatchString(t.Name):
		return fault.New(fault.Invalid, "tool_name_invalid", "tool %q: a name has 1 to 64 letters, digits, _ and -", t.Name)
	case t.Call == nil:
		return fault.New(fault.Invalid, "tool_without_function", "tool %s: there is no function", t.Name)
	case t.Timeout < 0:
		return fault.New(fault.Invalid, "tool_timeout_invalid", "tool %s: a timeout of %s", t.Name, t.Timeout)
	case len(t.Parameters) > MaxParameters:
		return fault.New(fault.Invalid,
			"tool_schema_too_large", "tool %s: the schema has %d bytes; at most %d are allowed", t.Name, len(t.Parameters), MaxParameters)
	}
	return nil
}

// Error is a tool's failure with a text for the model. The model sees "ERROR: Class: Text". In BAF, the class is that of a
// Python exception.
type Error struct {
	// Class is the kind of failure, such as WorkspaceError. It may be "".
	Class string
	// Text says what went wrong and, preferably, what to do instead.
	Text string
}

// Error returns the class and the text.
func (e *Error) Error() string {
	if e.Class == "" {
		return e.Text
	}
	return e.Class + ": " + e.Text
}

func refusal(class, format string, args ...any) error {
	return &Error{Class: class, Text: fmt.Sprintf(format, args...)}
}

// argumentError is a refusal with the value of an argument. safe is its text without the value, for logs.
type argumentError struct {
	refusal error
	safe    string
}

func (e *argumentError) Error() string { return e.refusal.Error() }
func (e *argumentError) Unwrap() error { return e.refusal }
