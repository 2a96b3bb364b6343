package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"mime"
	"path"
	"reflect"
	"runtime"
	"strings"

	"docent/agent/intent"
)

// Condition decides whether a transition may be taken. An error or a panic is logged and counts as false. Only one
// function runs in a session at a time. A condition must not block.
type Condition func(ctx context.Context, s *Session) (bool, error)

// condition is a Condition with its description for the store. broken is the reason why it can never run.
type condition struct {
	text   string
	holds  Condition
	broken error
}

// functionName returns the name of a Go function.
func functionName(c Condition) string {
	if c == nil {
		return ""
	}
	name := runtime.FuncForPC(reflect.ValueOf(c).Pointer()).Name()
	return name[strings.LastIndexByte(name, '/')+1:]
}

// noIntent stands for a message that matches no intent of a state.
const noIntent = intent.Fallback

func intentText(name string) string { return "Intent Matching - " + name }

// isIntent holds for events with the predicted intent.
func isIntent(name string) Condition {
	return func(ctx context.Context, s *Session) (bool, error) {
		p := s.turn.predict(ctx)
		return p.Intent == name, context.Cause(ctx)
	}
}

// Operator compares a session variable with a value.
type Operator string

// The operators. A missing variable compares like JSON's null. It equals only nil, and it is neither less nor greater than
// any value.
const (
	// Less is the operator <.
	Less Operator = "<"
	// LessEqual is the operator <=.
	LessEqual Operator = "<="
	// Equal is the operator ==.
	Equal Operator = "=="
	// NotEqual is the operator !=.
	NotEqual Operator = "!="
	// GreaterEqual is the operator >=.
	GreaterEqual Operator = ">="
	// Greater is the operator >.
	Greater Operator = ">"
)

// orders are the operators that need an order.
var orders = map[Operator]func(order int) bool{
	Less:         func(order int) bool { return order < 0 },
	LessEqual:    func(order int) bool { return order <= 0 },
	GreaterEqual: func(order int) bool { return order >= 0 },
	Greater:      func(order int) bool { return order > 0 },
}

// Holds compares the JSON forms of two values. Numbers and texts have an order. Other values only support Equal and
// NotEqual. It fails for a value without a JSON form.
func (op Operator) Holds(have, want any) (bool, error) {
	a, err := normal(have)
	if err != nil {
		return false, err
	}
	b, err := normal(want)
	return err == nil && op.holds(a, b), err
}

// holds compares two values in the form of normal.
func (op Operator) holds(have, want any) bool {
	switch op {
	case Equal:
		return reflect.DeepEqual(have, want)
	case NotEqual:
		return !reflect.DeepEqual(have, want)
	}
	test := orders[op]
	if test == nil {
		return false
	}
	if a, ok := have.(int64); ok {
		if b, ok := want.(int64); ok {
			return test(cmp.Compare(a, b))
		}
	}
	if a, ok := float(have); ok {
		b, ok := float(want)
		return ok && test(cmp.Compare(a, b))
	}
	a, ok := have.(string)
	b, both := want.(string)
	return ok && both && test(cmp.Compare(a, b))
}

// float returns a number of normal as a float64.
func float(v any) (out float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// compare returns a condition that compares a variable with a value.
func compare(name string, op Operator, value any) condition {
	target, err := normal(value)
	shown, _ := json.Marshal(value) // normal has seen an error already
	c := condition{text: fmt.Sprintf("variable %s %s %s", name, op, bytes.Trim(shown, `"`)), broken: err}
	if orders[op] == nil && op != Equal && op != NotEqual {
		c.broken = fmt.Errorf("there is no operator %q", op)
	}
	c.holds = func(_ context.Context, s *Session) (bool, error) {
		have, err := normal(Get[json.RawMessage](s, name, nil))
		return err == nil && op.holds(have, target), err
	}
	return c
}

// normal returns a value in the form that JSON decoding gives it. Integers are int64, if they fit.
func normal(value any) (out any, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&out); err != nil {
		return nil, err
	}
	return counted(out)
}

// counted replaces the numbers in a decoded value.
func counted(v any) (_ any, err error) {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			if v[key], err = counted(item); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, item := range v {
			if v[i], err = counted(item); err != nil {
				return nil, err
			}
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		f, err := v.Float64()
		if err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 { // 1.0 equals 1
			return int64(f), nil
		}
		return f, err
	}
	return v, nil
}

// fileTypes begins the description of accepted files, as in BAF.
const fileTypes = "File Type Matching - "

// ofType returns a condition that holds for files of one of these types.
func ofType(types []string) condition {
	return condition{
		text: fileTypes + strings.Join(types, ", "),
		holds: func(_ context.Context, s *Session) (bool, error) {
			f := s.Event().File
			if f == nil {
				return false, nil
			}
			for _, t := range types {
				if fileIs(f.Type, f.Name, strings.ToLower(t)) {
					return true, nil
				}
			}
			return false, nil
		},
	}
}

// fileIs reports whether a file's type or name matches want: a media type, a family of types, or an extension.
func fileIs(mediaType, name, want string) bool {
	have := strings.ToLower(mediaType)
	if plain, _, err := mime.ParseMediaType(have); err == nil {
		have = plain
	}
	if family, ok := strings.CutSuffix(want, "*"); ok && strings.HasSuffix(family, "/") {
		return strings.HasPrefix(have, family)
	}
	if strings.Contains(want, "/") {
		return have == want
	}
	want = strings.TrimPrefix(want, ".")
	_, kind, _ := strings.Cut(have, "/")
	return have == want || kind == want || strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) == want
}
