package payload

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// FuzzScan: scan and encoding/json read the same values.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"action":"user_message","message":"hello \\" \\u00e9 é","history":false,"timestamp":null,"id":"m1"}`,
		` { "action" : "reset" , "n" : 12 , "hops" : 3 } `,
		`{"action":"a","action":"b"}`, `{"Action":"a"}`, `{"action":"a","message":null}`, `{"action":"a","message":{"a":1}}`,
		`{"action":"a","n":01}`, `{"action":"a","n":1.5}`, `{"action":"a","n":-1}`, `{"action":"a"} x`, `{}`, `{"action":"a",}`,
		`{"action":"a","n":123456789012345678}`, "{\"action\":\"a\",\"message\":\"\xff\"}", `{"action":"\\u0061"}`, `{"action":"a","message":"\\x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := scan(data)
		if !ok {
			return
		}
		var want incoming
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q is read, but %v", data, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %+v, want %+v", data, got, want)
		}
	})
}

func TestScan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"action":"user_message","message":"What is \"RAG\"? \u00e9","id":"m1"}`: true,
		`{"action":"reset"}`:                      true,
		`{"action":"a","message":{}}`:             false,
		`{"action":"a","message":null}`:           false,
		`{"action":"a","more":1}`:                 false,
		`{"action":"a","action":"a"}`:             false,
		`{"action":"a","message":"\x"}`:           false,
		`{"action":"a","message":"` + "\n" + `"}`: false,
	} {
		if _, ok := scan([]byte(text)); ok != want {
			t.Errorf("%s: %v", text, ok)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	frame := []byte(`{"action":"user_message","message":"` + strings.Repeat("twelve words ", 76) + `"}`)
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		if _, err := DecodeBAF(frame); err != nil {
			b.Fatal(err)
		}
	}
}
