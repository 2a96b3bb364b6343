package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"docent/internal/fault"
)

// maxError is the maximum length of an error's text, in characters.
const maxError = 2000

// failed returns the outcome of a tool call that ended with err.
func (s *Set) failed(name string, err error) Outcome {
	return Outcome{Content: "ERROR: " + bound(clean(errorText(name, err)), min(maxError, s.cfg.MaxResult)), IsError: true, Cause: err}
}

// errorText returns the text of an error for the model and for people who watch the steps. An Error is shown completely,
// because it is written for them. A fault shows its safe sentence. Other errors show no details.
func errorText(name string, err error) string {
	var own *Error
	if errors.As(err, &own) {
		return own.Error()
	}
	var f *fault.Fault
	if errors.As(err, &f) || fault.KindOf(err) != fault.Internal {
		return fault.Message(err)
	}
	return "the tool " + name + " failed"
}

// render returns a result as text. It follows BAF's rules, but does not escape JSON to ASCII.
func render(result any) (string, error) {
	switch r := result.(type) {
	case nil:
		return "OK", nil
	case string:
		return clean(r), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return "", fmt.Errorf("render: %w", err)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if text == "null" { // a nil pointer or map
		return "OK", nil
	}
	return clean(text), nil
}

// clean makes text fit for all stores. Postgres accepts neither invalid UTF-8 nor NUL.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// bound cuts text after limit characters and adds a note.
func bound(s string, limit int) string {
	short := clip(s, limit)
	if len(short) == len(s) {
		return s
	}
	return fmt.Sprintf("%s\n[cut after %d of %d characters]", short, limit, utf8.RuneCountInString(s))
}

// clip returns the first limit characters.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	return s
}
