package journal

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"

	"docent/agent/chat"
)

// Same reports whether the incoming message is the one that is stored under its id.
func (in Incoming) Same(stored chat.Message) bool {
	return in.Type == stored.Type && in.Replaces == stored.Replaces && sameJSON(in.Content, stored.Content)
}

// sameJSON reports whether stored can be what a store made of raw: databases
// write the same value in another way, and replace characters that they cannot
// keep.
func sameJSON(raw, stored json.RawMessage) bool {
	if bytes.Equal(raw, stored) {
		return true
	}
	a, fine := decoded(raw)
	b, also := decoded(stored)
	return !fine || !also || same(a, b)
}

// decoded returns a JSON value that keeps the digits of its numbers. It reports
// false for invalid JSON.
func decoded(raw json.RawMessage) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err == nil
}

// unkept replaces the characters that stores do not keep.
var unkept = strings.NewReplacer("\x00", "?", "\ufffd", "?")

// same compares two decoded values.
func same(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && unkept.Replace(a) == unkept.Replace(b)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && number(a) == number(b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(byKey(a), byKey(b), func(a, b any) bool {
			return a == any(several{}) || b == any(several{}) || same(a, b)
		})
	}
	return a == b
}

// number returns the form of a number that is the same in all stores.
func number(n json.Number) string {
	if r, ok := new(big.Rat).SetString(n.String()); ok { // its length is bounded, see CheckJSON
		return r.RatString()
	}
	return n.String()
}

// several stands for the values of equal keys. A database may keep any of them, so
// they equal all values. Otherwise a repeated message might be refused.
type several struct{}

// byKey returns an object with the keys that stores keep.
func byKey(object map[string]any) map[string]any {
	out := make(map[string]any, len(object))
	for key, value := range object {
		key = unkept.Replace(key)
		if _, there := out[key]; there {
			value = several{}
		}
		out[key] = value
	}
	return out
}
