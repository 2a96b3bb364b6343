package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"docent/internal/fault"
	"docent/llm"
)

// MaxParameters bounds a tool's JSON Schema, in bytes.
const MaxParameters = 64 << 10

// validName is what OpenAI and the servers like it take as a function's name.
var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Tool is one function a model can call.
type Tool struct {
	// Name is what the model calls it by: 1 to 64 letters, digits, "_" and "-".
	Name string
	// Description tells the model what it does and when to use it.
	Description string
	// Parameters is a JSON Schema of type object, at most MaxParameters long;
	// nil is a tool without arguments.
	Parameters json.RawMessage
	// Call does the work. Its arguments are a JSON object that fits Parameters.
	// A nil result is told to the model as "OK", a string as it stands, anything
	// else as JSON. Of an error the model (and who watches the steps) sees the
	// text if there is an *Error in its chain, the safe sentence if there is a
	// fault, and only that the tool failed otherwise. Call must be safe for
	// concurrent use and return when ctx ends.
	Call func(ctx context.Context, arguments json.RawMessage) (any, error)
	// Timeout is how long one call may take; default the Set's.
	Timeout time.Duration
}

// New makes a tool of a function. Its parameters are the fields of the struct
// In, named by their json tags; `description:"…"` tells the model what a field
// is for and `enum:"a,b,c"` which values it may have. A field is required
// unless it is a pointer or tagged omitempty or omitzero. It fails with
// fault.Invalid if the name is not one or In cannot be described.
func New[In any](name, description string, call func(context.Context, In) (any, error)) (Tool, error) {
	if call == nil {
		return Tool{}, fault.New(fault.Invalid, "tool %s: there is no function", name)
	}
	parameters, err := schemaOf[In]()
	if err != nil {
		return Tool{}, fault.Wrap(fault.Invalid, err, "tool %s: its arguments cannot be described: %v", name, err)
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

// Definition is the tool as a model is told of it.
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
		return fault.New(fault.Invalid, "tool %q: a name has 1 to 64 letters, digits, _ and -", t.Name)
	case t.Call == nil:
		return fault.New(fault.Invalid, "tool %s: there is no function", t.Name)
	case t.Timeout < 0:
		return fault.New(fault.Invalid, "tool %s: a timeout of %s", t.Name, t.Timeout)
	case len(t.Parameters) > MaxParameters:
		return fault.New(fault.Invalid, "tool %s: a schema of %d bytes, at most %d are allowed", t.Name, len(t.Parameters), MaxParameters)
	}
	return nil
}

// Error is a tool's failure in words meant for the model. Its text is shown as
// "ERROR: Class: Text"; BAF shows the class of a Python exception there.
type Error struct {
	// Class is the sort of failure, such as WorkspaceError; "" leaves it out.
	Class string
	// Text says what went wrong and, best, what to do instead.
	Text string
}

// Error returns class and text.
func (e *Error) Error() string {
	if e.Class == "" {
		return e.Text
	}
	return e.Class + ": " + e.Text
}

func refusal(class, format string, args ...any) error {
	return &Error{Class: class, Text: fmt.Sprintf(format, args...)}
}
