package jsonl_test

import (
	"testing"

	"docent/ingest/jsonl"
)

func TestExchanges(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]jsonl.Line{
		`{"question":"Which oil?","answer":"Number 40."}`:                                                                                   {Title: "Which oil?", Text: "Which oil?\n\nNumber 40."},
		`{"id":7,"prompt":"Which oil?","completion":"Number 40."}`:                                                                          {ID: "7", Title: "Which oil?", Text: "Which oil?\n\nNumber 40."},
		`{"instruction":"Name the oil.","input":"","output":"Number 40."}`:                                                                  {Title: "Name the oil.", Text: "Name the oil.\n\nNumber 40."},
		`{"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Which oil?"},{"role":"assistant","content":"40."}]}`: {Title: "Which oil?", Text: "user: Which oil?\n\nassistant: 40."},
		`{"conversations":[{"from":"human","value":"Which oil?"},{"from":"gpt","value":"40."}]}`:                                            {Title: "Which oil?", Text: "human: Which oil?\n\ngpt: 40."},
	} {
		if got, err := jsonl.Parse([]byte(line)); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", line, got, err)
		}
	}
	for _, line := range []string{`{"question":"Which oil?"}`, `{"messages":[]}`, `{"a":1}`} {
		if _, err := jsonl.Parse([]byte(line)); err == nil {
			t.Errorf("%s has a text", line)
		}
	}
}
