package payload

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Marshal encodes a message as JSON. NaN and infinities become null, because JSON
// cannot represent them. encoding/json would fail, and BAF writes text that
// browsers cannot parse.
func Marshal(v any) (json.RawMessage, error) {
	data, err := json.Marshal(v)
	var unsupported *json.UnsupportedValueError
	if errors.As(err, &unsupported) && unsupported.Value.CanFloat() {
		finite, ferr := finite(reflect.ValueOf(v), 0)
		if ferr != nil {
			return nil, ferr
		}
		data, err = json.Marshal(finite)
	}
	if err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	return data, nil
}

// maxDepth bounds the nesting of values for finite; it also ends cycles.
const maxDepth = 200

// finite returns v with NaN and infinities replaced by nil.
func finite(v reflect.Value, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("encode message: nested too deeply")
	}
	if !v.IsValid() {
		return nil, nil
	}
	switch v.Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler, []byte:
		return v.Interface(), nil
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, nil
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil, nil
		}
		return finite(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		return finiteList(v, depth)
	case reflect.Map:
		return finiteMap(v, depth)
	case reflect.Struct:
		return finiteStruct(v, depth)
	}
	return v.Interface(), nil
}

func finiteList(v reflect.Value, depth int) (any, error) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil, nil
	}
	out := make([]any, v.Len())
	for i := range out {
		var err error
		if out[i], err = finite(v.Index(i), depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func finiteMap(v reflect.Value, depth int) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	out := make(map[string]any, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		value, err := finite(iter.Value(), depth+1)
		if err != nil {
			return nil, err
		}
		out[fmt.Sprint(iter.Key().Interface())] = value
	}
	return out, nil
}

func finiteStruct(v reflect.Value, depth int) (any, error) {
	out := map[string]any{}
	for _, field := range reflect.VisibleFields(v.Type()) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || field.Anonymous || name == "-" {
			continue
		}
		value, err := v.FieldByIndexErr(field.Index)
		if err != nil { // the field is inside an embedded nil pointer
			continue
		}
		if strings.Contains(options, "omitempty") && value.IsZero() {
			continue
		}
		if name == "" {
			name = field.Name
		}
		if out[name], err = finite(value, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unmarshal decodes JSON, including that of Python: bare NaN, Infinity, and
// -Infinity are read as null.
func unmarshal(data []byte, to any) error {
	err := json.Unmarshal(data, to)
	if err == nil {
		return nil
	}
	if plain, changed := withoutNaN(data); changed {
		return json.Unmarshal(plain, to)
	}
	return err
}

// UnmarshalMessage decodes a message. It accepts integers that are written like
// 5.0, which encoding/json rejects.
func UnmarshalMessage(data []byte, to any) error {
	err := json.Unmarshal(data, to)
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) || !strings.HasPrefix(mismatch.Value, "number") {
		return err //nolint:wrapcheck // callers say of what
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) != nil {
		return err //nolint:wrapcheck // callers say of what
	}
	for key, value := range keys {
		if f, bad := strconv.ParseFloat(string(value), 64); bad == nil && f == math.Trunc(f) && math.Abs(f) <= maxN {
			keys[key] = strconv.AppendInt(nil, int64(f), 10)
		}
	}
	if data, err = json.Marshal(keys); err != nil { // keys comes from JSON
		return err //nolint:wrapcheck // callers say of what
	}
	return json.Unmarshal(data, to) //nolint:wrapcheck // callers say of what
}

// withoutNaN replaces the bare words NaN, Infinity, and -Infinity outside of
// strings by null.
func withoutNaN(data []byte) ([]byte, bool) {
	var out []byte
	kept, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == 'N' || c == 'I' || c == '-'):
			for _, word := range [...]string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(data[i:], []byte(word)) {
					out = append(append(out, data[kept:i]...), "null"...)
					i += len(word) - 1
					kept = i + 1
					break
				}
			}
		}
	}
	return append(out, data[kept:]...), kept > 0
}
