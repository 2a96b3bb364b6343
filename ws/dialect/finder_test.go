package dialect

import (
	"strings"
	"testing"

	"docent/payload"
)

// The Finder returns the same id as decoding, in whatever pieces a frame arrives.
func TestFinder(t *testing.T) {
	t.Parallel()
	for _, frame := range []string{
		`{"action":"a","id":"x"}`, `{"id":"x","action":"a"}`, ` { "id" : "\u0041\"\\" , "action" : "a" } `, `{"action":"a","\u0069d":"x"}`,
		`{"action":"a","message":{"id":"no","a":[{"id":"no"},"id"]},"id":"yes"}`, `{"action":"a","message":"\",\"id\":\"no\""}`,
		`{"action":"a","id":null}`, `{"action":"a","message":["id","no"]}`, `{"action":"a","id":"first","id":"last"}`, `{"action":"id","message":"no"}`,
		`{"action":"a","message":"id","history":true}`, `{"action":"a","id":"ü€😀"}`, `["id","no"]`, `"id"`, `[[{"id":"no"}]]`, `5`, ``,
	} {
		want, _ := payload.DecodeV1([]byte(frame))
		for size := 1; size <= len(frame)+1; size++ {
			var f Finder
			for rest := frame; rest != ""; {
				n := min(size, len(rest))
				f.See([]byte(rest[:n]))
				rest = rest[n:]
			}
			if f.id != want.ID {
				t.Errorf("%s in pieces of %d bytes: %q, want %q", frame, size, f.id, want.ID)
			}
		}
	}
	for frame, want := range map[string]string{
		`{"id":"x","message":`: "x", `{"id":"` + strings.Repeat("x", 10_000) + `","message":0}`: "", `{"id":"a\u0000"}`: "", `{"` + strings.Repeat("k", 10_000) + `":1,"id":"x"}`: "x",
		`{"id":{"id":"no"}}`: "", `{"id":["no"]}`: "", `}{"id":"x"`: "", `{"message":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `,"id":"x"}`: "x",
	} {
		var f Finder
		f.See([]byte(frame))
		if f.id != want || len(f.kept) > maxFound {
			t.Errorf("%.40s: %.40q, want %q, and %d bytes are kept", frame, f.id, want, len(f.kept))
		}
	}
}
