package embed

import (
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzTokenize compares the tokens of any text with those of the reference.
// Earlier texts must not affect later ones.
func FuzzTokenize(f *testing.F) {
	for _, seed := range []string{"Part 4gm3Bu is the spare seal.", "01078f6d5f66a1bea794a786548c0f1157d17099", "élan 你好 a_b", "\xff\x00a"} {
		f.Add(seed)
	}
	s, ref := newTestStatic(f), newTestReference(f)
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := s.Tokenize(text), ref.tokenize(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		s.Count(text)
	})
}

// TestTokenizeBase64 tokenizes random base64, and two words whose slot has the tag of a token that is
// shorter than the continuation mark. About one word in 26 MB of base64 reaches such a slot.
func TestTokenizeBase64(t *testing.T) {
	t.Parallel()
	const piece, size = 60, 4 << 20
	s := newTestStatic(t)
	r := rand.New(rand.NewPCG(11, 1))
	raw, text, line := make([]byte, piece), make([]byte, 0, 1<<20), make([]byte, base64.StdEncoding.EncodedLen(piece))
	for done := 0; done < size; done += len(text) {
		text = text[:0]
		for len(text)+len(line)+1 < cap(text) {
			for i := range raw {
				raw[i] = byte(r.Uint32())
			}
			base64.StdEncoding.Encode(line, raw)
			text = append(append(text, line...), '\n')
		}
		if s.Count(string(text)) == 0 {
			t.Fatal("no tokens")
		}
	}
	for _, word := range []string{"4gm3Bu", "01078f6d5f66a1bea794a786548c0f1157d17099"} {
		if s.Count(word) == 0 {
			t.Errorf("%s: no tokens", word)
		}
	}
}
