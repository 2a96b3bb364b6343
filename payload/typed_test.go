package payload

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"docent/internal/fault"
)

func TestDecodeTyped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]TypedRequest{
		`{"type":"query","content":"hi","timestamp":"2023-01-01T00:00:00.000Z"}`: {TypedQuery, json.RawMessage(`"hi"`)},
		`{"content":"no type","more":[1]}`:                                       {TypedQuery, json.RawMessage(`"no type"`)},
		`{"type":"query","content":{"a":1}}`:                                     {TypedQuery, json.RawMessage(`{"a":1}`)},
		`{"type":"query","content":[NaN]}`:                                       {TypedQuery, json.RawMessage(`[null]`)},
		`{"type":"command","content":"help"}`:                                    {TypedCommand, json.RawMessage(`"help"`)},
		`{"type":"human_feedback","content":{"rating":1}}`:                       {TypedHumanFeedback, json.RawMessage(`{"rating":1}`)},
	} {
		got, err := DecodeTyped([]byte(text))
		if err != nil || got.Type != want.Type || string(got.Content) != string(want.Content) {
			t.Errorf("%s: %s %s, %v", text, got.Type, got.Content, err)
		}
	}
	for text, want := range map[string]string{
		`{"type":"query"}`:                  "Message content is required",
		`{"type":"query","content":""}`:     "Message content is required",
		`{"type":"query","content":" \n"}`:  "Message content is required",
		`{"type":"command","content":null}`: "Message content is required",
		`{}`:                                "Message content is required",
		`{"type":"none","content":"x"}`:     "the type of a message",
		`{"type":"response","content":"x"}`: "the type of a message",
		`{"type":5,"content":"x"}`:          "the type of a message",
		`{"type":"query","content":"x"`:     "a JSON object",
		``:                                  "a JSON object",
		`null`:                              "a JSON object",
		`[1]`:                               "a JSON object",
		`"text"`:                            "a JSON object",
		`{"content":` + strings.Repeat("[", 20000) + `}`: "a JSON object",
	} {
		_, err := DecodeTyped([]byte(text))
		if err == nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), want) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

func TestTypedContents(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{`"reset"`: "reset", `" Reset\n"`: "reset", `5`: "", `{"command":"reset"}`: ""} {
		if got := (TypedRequest{TypedCommand, json.RawMessage(content)}).Command(); got != want {
			t.Errorf("%s: command %q", content, got)
		}
	}
	four := 4
	for content, want := range map[string]TypedFeedback{
		`"well done"`: {Comment: "well done"}, `{"rating":4}`: {Rating: &four}, `{"rating":4,"comment":"ok","x":1}`: {&four, "ok"},
		`{"rating":null,"comment":"ok"}`: {Comment: "ok"},
	} {
		got, err := TypedRequest{TypedHumanFeedback, json.RawMessage(content)}.Feedback()
		if err != nil || got.Comment != want.Comment || (got.Rating == nil) != (want.Rating == nil) ||
			got.Rating != nil && *got.Rating != *want.Rating {
			t.Errorf("%s: %+v, %v", content, got, err)
		}
	}
	for _, content := range []string{`{}`, `{"comment":" "}`, `{"rating":4.5}`, `{"rating":"4"}`, `{"rating":1e99}`, `5`, `[1]`, `true`} {
		got, err := (TypedRequest{TypedHumanFeedback, json.RawMessage(content)}).Feedback()
		if fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%s: %+v, %v", content, got, err)
		}
	}
}

func TestTyped(t *testing.T) {
	t.Parallel()
	at := time.Date(2023, 1, 1, 1, 0, 0, 7e6, time.FixedZone("", 3600))
	m := NewTyped(TypedResponse, "a", at)
	for want, m := range map[string]Typed{
		`{"type":"response","content":"a","timestamp":"2023-01-01T00:00:00.007Z"}`:                                 m,
		`{"type":"response","content":"a","timestamp":"2023-01-01T00:00:00.007Z","kind":"k","docs":[],"data":[1]}`: {m.Type, m.Content, m.Timestamp, "k", []RAGDoc{}, []int{1}},
	} {
		if got, err := Marshal(m); err != nil || string(got) != want {
			t.Errorf("%s\nwant %s, %v", got, want, err)
		}
	}
}

// docs/reference/websocket.md lists exactly the types of this package.
func TestDocumentedTypedTypes(t *testing.T) {
	t.Parallel()
	types := append(first(documented(t, "### Client messages")), first(documented(t, "### Server messages"))...)
	sameNames(t, "types", types, constants(t, ofType("TypedType")))
}

func FuzzDecodeTyped(f *testing.F) {
	for _, seed := range []string{
		`{"type":"query","content":"hi","timestamp":null}`, `{"type":"command","content":"RESET"}`,
		`{"type":"human_feedback","content":{"rating":-1,"comment":"no"}}`, `{"content":NaN}`, `{"type":[],"content":{}}`, "\xff", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := DecodeTyped(data)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || len(r.Content) > 0 {
				t.Errorf("%q: %+v, %v", data, r, err)
			}
			return
		}
		if !json.Valid(r.Content) || r.Type == "" {
			t.Errorf("%q: %+v", data, r)
		}
		if name := r.Command(); name != strings.ToLower(strings.TrimSpace(name)) {
			t.Errorf("%q: command %q", data, name)
		}
		if fb, err := r.Feedback(); err == nil && fb.Rating == nil && strings.TrimSpace(fb.Comment) == "" {
			t.Errorf("%q: empty feedback", data)
		}
	})
}
