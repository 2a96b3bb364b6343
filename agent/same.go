package agent

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
)

// sameMessage reports whether a message is the one that is stored under its id.
func sameMessage(in Incoming, stored ChatMessage) bool {
	return in.Type == stored.Type && in.Replaces == stored.Replaces && sameJSON(in.Content, stored.Content)
}

// sameJSON reports whether stored can be what a store made of raw: databases
// write the same value in another way, and replace characters that they cannot
// keep.
func sameJSON(raw, stored json.RawMessage) bool {
	if bytes.Equal(raw, stored) {
		return true
	}
	a, fine := canonicalJSON(raw)
	b, also := canonicalJSON(stored)
	return !fine || !also || reflect.DeepEqual(a, b)
}

// canonicalJSON is a JSON value in which what counts as the same is equal; false if
// it cannot be read.
func canonicalJSON(raw json.RawMessage) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	return canonical(v), true
}

// unkept are the characters that no store keeps, and what may stand for them.
var unkept = strings.NewReplacer("\x00", "?", "\ufffd", "?")

func canonical(v any) any {
	switch v := v.(type) {
	case string:
		return unkept.Replace(v)
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok { // its length is bounded, see CheckJSON
			return json.Number(r.RatString())
		}
		return v
	case []any:
		for i := range v {
			v[i] = canonical(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[unkept.Replace(key)] = canonical(value)
		}
		return out
	}
	return v
}
