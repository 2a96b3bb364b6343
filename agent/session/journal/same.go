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

// Same reports whether the incoming message equals the message that is stored under its id.
func (in Incoming) Same(stored chat.Message) bool {
	return in.Type == stored.Type && in.Replaces == stored.Replaces && sameJSON(in.Content, stored.Content)
}

// sameJSON reports whether a store may have stored raw as stored. Databases write the same value in
// another way and replace characters that they cannot store.
func sameJSON(raw, stored json.RawMessage) bool {
	if bytes.Equal(raw, stored) {
		return true
	}
	a, fine := decoded(raw)
	b, also := decoded(stored)
	return !fine || !also || same(a, b)
}

// decoded returns a JSON value that keeps the digits of its numbers. It returns false for invalid
// JSON.
func decoded(raw json.RawMessage) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err == nil
}

// unkept replaces the characters that stores cannot store.
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
	if r, ok := new(big.Rat).SetString(n.String()); ok { // CheckJSON bounds its length
		return r.RatString()
	}
	return n.String()
}

// several replaces the values of equal keys. A database may keep any of these values, so several
// equals all values. Otherwise the session might refuse a repeated message.
type several struct{}

// byKey returns an object with the keys that stores can store.
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
