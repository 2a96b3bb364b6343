package fault

//go:generate go run ../../tools/sentences ../..

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
)

// Sentence names a sentence for programs. A client that knows the id can write
// the sentence in another language. docs/reference/errors.md lists all ids.
type Sentence struct {
	// ID is unique for each sentence.
	ID string `json:"id"`
	// Params are the values in the sentence.
	Params Params `json:"params"`
}

// Params are the values in a sentence, in its order, as a JSON array of strings,
// numbers, and other sentences, each a [Text]. "" has no values. A string keeps
// sentences comparable.
type Params string

// MarshalJSON writes the array.
func (p Params) MarshalJSON() ([]byte, error) {
	if p == "" {
		return []byte("[]"), nil
	}
	return []byte(p), nil
}

// UnmarshalJSON reads an array.
func (p *Params) UnmarshalJSON(data []byte) error {
	var values []json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	*p = ""
	if len(values) > 0 {
		*p = Params(data)
	}
	return nil
}

// JSON is the sentence in JSON, or "" without an id.
func (s Sentence) JSON() string {
	if s.ID == "" {
		return ""
	}
	data, err := json.Marshal(s)
	if err != nil { // params that are no JSON, which NewText does not make
		return ""
	}
	return string(data)
}

// Value is how databases store a sentence: as JSON returns it.
func (s Sentence) Value() (driver.Value, error) { return s.JSON(), nil }

// Scan reads what Value returned.
func (s *Sentence) Scan(value any) error {
	*s = Sentence{}
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		if v == "" {
			return nil
		}
		return json.Unmarshal([]byte(v), s)
	case []byte:
		return s.Scan(string(v))
	default:
		return fmt.Errorf("sentence: a column of type %T", value)
	}
}

// Text is a sentence that clients see: in English, and by its id.
type Text struct {
	Sentence
	// Message is the sentence in English.
	Message string `json:"message" doc:"The sentence in English."`
}

// NewText returns the sentence that format makes of args. Each id belongs to one
// format in the whole repository; tools/sentences checks that. A param is a
// number for the verbs d, g, and f, and a string for all others. A Text and a
// [Fault] become params with an id of their own. The whole text of any other
// error is shown, so pass TextOf(err) unless clients may see all of it.
func NewText(id, format string, args ...any) Text {
	shown := make([]any, len(args))
	params := make([]any, len(args))
	all := verbs(format)
	for i, arg := range args {
		switch a := arg.(type) {
		case Text:
			shown[i], params[i] = a.Message, a
			continue
		case error:
			shown[i], params[i] = a.Error(), a.Error()
			if f, ok := a.(*Fault); ok && f.Message != "" { //nolint:errorlint // what wraps a fault says more
				shown[i], params[i] = f.Message, f.Text
			}
			continue
		}
		shown[i], params[i] = arg, fmt.Sprint(arg)
		if i < len(all) {
			params[i] = param(all[i], arg)
		}
	}
	message := fmt.Sprintf(strings.ReplaceAll(format, "%w", "%s"), shown...)
	if len(args) == 0 {
		return Text{Sentence: Sentence{ID: id}, Message: message}
	}
	data, err := json.Marshal(params)
	if err != nil { // a number that JSON does not have, such as NaN
		return Text{Message: message}
	}
	return Text{Sentence: Sentence{ID: id, Params: Params(data)}, Message: message}
}

// param is the value that clients get for an argument.
func param(verb string, arg any) any {
	switch verb[len(verb)-1] {
	case 'd', 'g', 'f':
		return arg
	case 'q': // each language has quotation marks of its own
		return fmt.Sprintf(verb[:len(verb)-1]+"s", arg)
	default:
		return fmt.Sprintf(verb, arg)
	}
}

// verbs are the verbs of a format, with their flags.
func verbs(format string) []string {
	var out []string
	for {
		_, rest, found := strings.Cut(format, "%")
		end := strings.IndexFunc(rest, func(r rune) bool { return r == '%' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
		if !found || end < 0 {
			return out
		}
		if rest[end] != '%' {
			out = append(out, "%"+rest[:end+1])
		}
		format = rest[end+1:]
	}
}

// IsZero reports whether there is no sentence.
func (t Text) IsZero() bool { return t.Message == "" }

// Plain returns a sentence without an id, such as the words of another program.
// Clients show it as it stands.
func Plain(message string) Text { return Text{Message: message} }
