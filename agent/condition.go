package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"path"
	"reflect"
	"runtime"
	"strings"

	"docent/agent/intent"
)

// Condition is asked whether a transition may be taken. An error or a panic is
// logged and counts as false. It runs alone in its session and must not wait.
type Condition func(ctx context.Context, s *Session) (bool, error)

// condition is a Condition with the text it is stored under; broken tells why
// it can never be asked.
type condition struct {
	text   string
	holds  Condition
	broken error
}

// functionName is what a Go function is called.
func functionName(c Condition) string {
	if c == nil {
		return ""
	}
	name := runtime.FuncForPC(reflect.ValueOf(c).Pointer()).Name()
	return name[strings.LastIndexByte(name, '/')+1:]
}

// noIntent stands for a message that has none of a state's intents.
const noIntent = intent.Fallback

func intentText(name string) string { return "Intent Matching - " + name }

// isIntent holds for events that are predicted to have that intent.
func isIntent(name string) Condition {
	return func(ctx context.Context, s *Session) (bool, error) {
		p := s.turn.predict(ctx)
		return p.Intent == name, context.Cause(ctx)
	}
}

// Operator compares a session variable with a value.
type Operator string

// The operators. A variable that is not there compares as JSON's null: it is
// equal to nil only, and neither less nor greater than anything.
const (
	// Less is <.
	Less Operator = "<"
	// LessEqual is <=.
	LessEqual Operator = "<="
	// Equal is ==.
	Equal Operator = "=="
	// NotEqual is !=.
	NotEqual Operator = "!="
	// GreaterEqual is >=.
	GreaterEqual Operator = ">="
	// Greater is >.
	Greater Operator = ">"
)

// compare is the condition that a variable compares so. Numbers and texts have
// an order; of other values only Equal and NotEqual are true.
func compare(name string, op Operator, value any) condition {
	target, err := normal(value)
	shown, _ := json.Marshal(value) // normal has seen an error already
	c := condition{text: fmt.Sprintf("%s %s %s", name, op, bytes.Trim(shown, `"`)), broken: err}
	test := map[Operator]func(order int) bool{
		Less:         func(order int) bool { return order < 0 },
		LessEqual:    func(order int) bool { return order <= 0 },
		GreaterEqual: func(order int) bool { return order >= 0 },
		Greater:      func(order int) bool { return order > 0 },
	}[op]
	if test == nil && op != Equal && op != NotEqual {
		c.broken = fmt.Errorf("there is no operator %q", op)
	}
	c.holds = func(_ context.Context, s *Session) (bool, error) {
		var have any
		if _, err := s.Get(name, &have); err != nil {
			return false, err
		}
		switch op {
		case Equal:
			return reflect.DeepEqual(have, target), nil
		case NotEqual:
			return !reflect.DeepEqual(have, target), nil
		}
		switch a := have.(type) {
		case float64:
			b, ok := target.(float64)
			return ok && test(cmp.Compare(a, b)), nil
		case string:
			b, ok := target.(string)
			return ok && test(cmp.Compare(a, b)), nil
		default:
			return false, nil
		}
	}
	return c
}

// normal is a value as it comes back from JSON.
func normal(value any) (out any, err error) {
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	return out, err
}

// ofType is the condition that a file is of one of these types.
func ofType(types []string) condition {
	return condition{
		text: "File Type Matching - " + strings.Join(types, ", "),
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

// fileIs reports whether a file of that type and name is what want says: a
// media type, a family of them, or an extension.
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
