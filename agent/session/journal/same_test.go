package journal_test

import (
	"encoding/json"
	"testing"

	"docent/agent/chat"
	"docent/agent/session/journal"
)

// TestSame checks that a repeated message is recognized although a database has rewritten its JSON,
// and that another message is not.
func TestSame(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sent, stored string
		want         bool
	}{
		"equal":                 {`"Hi"`, `"Hi"`, true},
		"other text":            {`"Hi"`, `"Ho"`, false},
		"other order":           {`{"a":1,"b":[true,null]}`, `{"b": [true, null], "a": 1}`, true},
		"other member":          {`{"a":1}`, `{"b":1}`, false},
		"more members":          {`{"a":1}`, `{"a":1,"b":1}`, false},
		"other elements":        {`[1,2]`, `[2,1]`, false},
		"number in another way": {`1.50e1`, `15`, true},
		"long number":           {`12345678901234567890123`, `12345678901234567890124`, false},
		"number and text":       {`1`, `"1"`, false},
		"character of no store": {`"a\u0000b"`, `"a?b"`, true},
		"half a character":      {`"a\ud800b"`, `"a?b"`, true},
		"key of no store":       {`{"\u0000":1}`, `{"?":1}`, true},
		"equal keys":            {`{"\u0000":1,"?":2}`, `{"?":1}`, true}, // the database keeps one of them
		"not JSON":              {`"Hi"`, `{`, true},                     // it cannot be compared, so the message is not refused
	} {
		in := journal.Incoming{Type: "json", Content: json.RawMessage(tt.sent)}
		if got := in.Same(chat.Message{Type: "json", Content: json.RawMessage(tt.stored)}); got != tt.want {
			t.Errorf("%s: %s is %s: %v, want %v", name, tt.sent, tt.stored, got, tt.want)
		}
	}
	in := journal.Incoming{Type: "str", Content: json.RawMessage(`"Hi"`)}
	if in.Same(chat.Message{Type: "markdown", Content: in.Content}) || in.Same(chat.Message{Type: "str", Content: in.Content, Replaces: 2}) {
		t.Error("a message of another type, or for another turn, is the same")
	}
}
