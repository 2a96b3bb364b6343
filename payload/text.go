package payload

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// storable returns message in a form every database can keep: valid UTF-8, no
// halves of surrogate pairs and no NUL, which Postgres refuses in text and
// jsonb. Such characters become U+FFFD. Nearly all messages are returned as
// they are.
func storable(message json.RawMessage) json.RawMessage {
	if utf8.Valid(message) && !bytes.Contains(message, []byte(`\u0000`)) && !surrogate(message) {
		return message
	}
	decoder := json.NewDecoder(bytes.NewReader(message))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil { // it was decoded before
		return nil
	}
	out, err := json.Marshal(withoutNUL(v))
	if err != nil {
		return nil
	}
	return out
}

// surrogate reports whether message has an escape of a surrogate half: paired
// or not, it is decoded and written anew.
func surrogate(message []byte) bool {
	for {
		i := bytes.Index(message, []byte(`\u`))
		if i < 0 || i+3 >= len(message) {
			return false
		}
		if (message[i+2] == 'd' || message[i+2] == 'D') && bytes.IndexByte([]byte("89abcdefABCDEF"), message[i+3]) >= 0 {
			return true
		}
		message = message[i+2:]
	}
}

func withoutNUL(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", "\uFFFD")
	case []any:
		for i := range v {
			v[i] = withoutNUL(v[i])
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[strings.ReplaceAll(key, "\x00", "\uFFFD")] = withoutNUL(value)
		}
		return out
	default:
		return v
	}
}
