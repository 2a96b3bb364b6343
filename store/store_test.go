package store

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"unicode/utf8"
)

func TestVector(t *testing.T) {
	t.Parallel()
	in := []float32{0, 1, -1.5, math.MaxFloat32, math.SmallestNonzeroFloat32}
	stored := AppendVector([]byte("x"), in)[1:]
	if !bytes.Equal(stored[4:8], []byte{0, 0, 0x80, 0x3f}) {
		t.Errorf("1 is stored as % x: not little-endian", stored[4:8])
	}
	out, err := Vector(stored)
	if err != nil {
		t.Fatal(err)
	}
	for i := range in {
		if math.Float32bits(in[i]) != math.Float32bits(out[i]) {
			t.Errorf("%v became %v", in[i], out[i])
		}
	}
	if _, err := Vector(stored[1:]); err == nil {
		t.Error("half a float was read")
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{-1: 100, 0: 100, 1: 1, 1000: 1000, 1001: 1000} {
		if got := Page(limit); got != want {
			t.Errorf("Page(%d) is %d, want %d", limit, got, want)
		}
	}
	for limit, want := range map[int]int{-1: 200, 0: 200, 1: 1, 1001: 1000} {
		if got := Sessions(limit); got != want {
			t.Errorf("Sessions(%d) is %d, want %d", limit, got, want)
		}
	}
}

// FuzzText checks that Text makes any text storable, keeps its length, and is
// idempotent.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "plain", "a\x00b", "\xff", "ä\xe2\x82", "\xed\xa0\x80", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if len(got) != len(s) || !utf8.ValidString(got) || bytes.ContainsRune([]byte(got), 0) || Text(got) != got {
			t.Errorf("%q became %q", s, got)
		}
		if utf8.ValidString(s) && !bytes.ContainsRune([]byte(s), 0) && got != s {
			t.Errorf("%q was changed to %q", s, got)
		}
	})
}

// FuzzJSON checks that JSON accepts exactly valid JSON, keeps its meaning, and
// removes everything that Postgres rejects.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`null`, `"\u0000"`, `"\\u0000"`, `"\\\u0000"`, `{"\ud834\udd1e":"\ud834"}`, `"\ud834\ud834\udd1e"`, `"\udd1e\uD834\uDd1e"`, "\"\xff\"", `[1,2`, `"\u"`, "\"\\ud800",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := JSON(raw)
		if (err == nil) != json.Valid(raw) {
			t.Fatalf("%q: %v", raw, err)
		}
		if err != nil {
			return
		}
		var before, after any
		if err := json.Unmarshal(raw, &before); err != nil {
			t.Skip() // valid, but a number too large for Go
		}
		if err := json.Unmarshal(got, &after); err != nil || !utf8.Valid(got) {
			t.Fatalf("%q became %q: %v", raw, got, err)
		}
		again, err := JSON(got)
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("%q became %q, then %q, %v", raw, got, again, err)
		}
		text, err := json.Marshal(after)
		if err != nil || bytes.Contains(text, []byte(`\u0000`)) && !bytes.Contains(text, []byte(`\\u0000`)) {
			t.Errorf("%q still holds a NUL: %s", got, text)
		}
	})
}

func TestQuantized(t *testing.T) {
	t.Parallel()
	v := make([]float32, 384)
	square := 0.0
	for i := range v {
		v[i] = float32(math.Sin(float64(i*i))) / 14
		square += float64(v[i]) * float64(v[i])
	}
	got := Quantized(AppendQuantized(nil, v))
	dot, length := 0.0, 0.0
	for i := range v {
		dot += float64(v[i]) * float64(got[i])
		length += float64(got[i]) * float64(got[i])
	}
	if cosine := dot / math.Sqrt(square); cosine < .9999 || math.Abs(length-1) > 1e-5 {
		t.Errorf("cosine %.6f, squared length %.6f", cosine, length)
	}
	if zero := Quantized(AppendQuantized(nil, make([]float32, 3))); !slices.Equal(zero, []float32{0, 0, 0}) {
		t.Errorf("zeros became %v", zero)
	}
}
