package chat

import (
	"encoding/json"
	"testing"
)

func TestMessageEvent(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]Event{
		`"What is RAG?"`:               {Name: EventText, Text: "What is RAG?"},
		`""`:                           {Name: EventText},
		`"{\"message\":\"md\"}"`:       {Name: EventMessage, Text: "md", JSON: json.RawMessage(`{"message":"md"}`)},
		`"{\"q\":1}"`:                  {Name: EventMessage, Text: `{"q":1}`, JSON: json.RawMessage(`{"q":1}`)},
		`{"message":"md","n":1}`:       {Name: EventMessage, Text: "md", JSON: json.RawMessage(`{"message":"md","n":1}`)},
		`{"message":5}`:                {Name: EventMessage, Text: `{"message":5}`, JSON: json.RawMessage(`{"message":5}`)},
		`{"message":null}`:             {Name: EventMessage, Text: `{"message":null}`, JSON: json.RawMessage(`{"message":null}`)},
		`"[1,2]"`:                      {Name: EventText, Text: "[1,2]"},
		`["md"]`:                       {Name: EventText, Text: `["md"]`},
		`5`:                            {Name: EventText, Text: "5"},
		`true`:                         {Name: EventText, Text: "true"},
		`null`:                         {Name: EventText},
		`"null"`:                       {Name: EventText, Text: "null"},
		`"{not json"`:                  {Name: EventText, Text: "{not json"},
		`"  {\"message\": \"x\"} \n "`: {Name: EventMessage, Text: "x", JSON: json.RawMessage(`{"message": "x"}`)},
	} {
		got := MessageEvent(json.RawMessage(content))
		if got.Name != want.Name || got.Text != want.Text || string(got.JSON) != string(want.JSON) {
			t.Errorf("%s: %+v, want %+v", content, got, want)
		}
	}
}

func FuzzMessageEvent(f *testing.F) {
	for _, seed := range []string{`"text"`, `{"message":"x"}`, `"{\"message\":\"x\"}"`, `null`, `5`, `[[`, `"\ud800"`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		e := MessageEvent(content)
		if e.Name != EventText && e.Name != EventMessage {
			t.Errorf("%q: event %q", content, e.Name)
		}
		if (e.JSON != nil) != (e.Name == EventMessage) || e.JSON != nil && !json.Valid(e.JSON) {
			t.Errorf("%q: %+v", content, e)
		}
	})
}
