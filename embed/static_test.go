package embed

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newTestStatic(t testing.TB) *Static {
	t.Helper()
	s, err := NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newTestReference(t testing.TB) *reference {
	t.Helper()
	r, err := newReference()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStaticReferenceVectors(t *testing.T) {
	t.Parallel()
	s := newTestStatic(t)
	f, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for ; lines.Scan(); n++ {
		var want struct {
			Text   string
			IDs    []uint16
			Tokens []string
			Vector []float64
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		ids := s.Tokenize(want.Text)
		if !slices.Equal(ids, want.IDs) {
			t.Errorf("%q: ids %v, want %v", want.Text, ids, want.IDs)
			continue
		}
		for i, id := range ids {
			if s.Token(id) != want.Tokens[i] {
				t.Errorf("%q: token %d is %q, want %q", want.Text, i, s.Token(id), want.Tokens[i])
			}
		}
		v, err := s.EmbedQuery(t.Context(), want.Text)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range want.Vector {
			if math.Abs(float64(v[i])-x) > 1e-4 {
				t.Errorf("%q: component %d is %f, want %f", want.Text, i, v[i], x)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if n < 20 {
		t.Errorf("%d reference cases", n)
	}
}

// Difficult texts in addition to those of the reference vectors.
var awkward = []string{
	"\xff\xfe broken \xc3 utf-8 \xe2\x82", "a\x00b\x07c\x7fd", "\ufeffBOM", "e\u0301\u0323e\u0323\u0301",
	"\u1b05\u1b44\u1b35\u0301x", "\u212a\u212b\u037e\u1fef", "ǅ ǆ ΑΣ ΣΑΣ ß ẞ", "한국어 텍스트", "デジタル ﾃﾞ",
	"漢字かな交じり文mixed中文text", "\U0002F800\U00020000", "١٢٣ ४५", "soft\u00adhyphen", "\u2028line\u2029para\u0085next\fform\vfeed",
	"“quoted” — ‘text’ … › •", "👩‍👩‍👧‍👦 🇩🇪", "\ue000private\U000f0000", "\u0378unassigned", "a\u3099が", strings.Repeat("é", 100), strings.Repeat("é", 101),
	strings.Repeat("x", 100), strings.Repeat("x", 101), strings.Repeat("\U0001D400", 100), strings.Repeat("\U0001D400", 100) + "abc",
	strings.Repeat("ab\u0301", 60), strings.Repeat("z", 399) + "é" + strings.Repeat("z", 99), "[CLS] [SEP] [UNK] ##ing", "\u0301\u0301", "x\u0301\x07\u0323y",
	"İIıi", "\u1e9b\u0323", "ﬃ ﬀ", "\u0f71\u0f72\u0f74", "a" + strings.Repeat("\u0301", 50) + "b", "pg_stat_activity.wait_event_type::text=>'Lock'",
}

func checkAgainstReference(t *testing.T, s *Static, r *reference, text string) {
	t.Helper()
	ids, want := s.Tokenize(text), r.tokenize(text)
	if !slices.Equal(ids, want) || s.Count(text) != len(want) {
		t.Fatalf("%q: %d ids %v, want %v", text, s.Count(text), ids, want)
	}
	v, err := s.EmbedQuery(context.WithoutCancel(t.Context()), text)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range r.vector(ids) {
		if math.Abs(float64(v[i])-x) > 1e-4 {
			t.Fatalf("%q: component %d is %f, want %f", text, i, v[i], x)
		}
	}
}

func TestStaticAgainstReference(t *testing.T) {
	t.Parallel()
	s, r := newTestStatic(t), newTestReference(t)
	for _, text := range awkward {
		checkAgainstReference(t, s, r, text)
	}
	// Every character, alone and inside a word.
	var alone, inside strings.Builder
	for c := rune(0); c <= 0x10FFFF; c++ {
		if c >= 0x30000 && c < 0xE0000 { // unassigned throughout
			continue
		}
		alone.WriteString(string(c) + " ")
		inside.WriteString("a" + string(c) + "b ")
	}
	for _, text := range []string{alone.String(), inside.String()} {
		if !slices.Equal(s.Tokenize(text), r.tokenize(text)) {
			for _, word := range strings.Split(text, " ") {
				checkAgainstReference(t, s, r, word)
			}
		}
	}
}

func TestStaticLargeText(t *testing.T) {
	t.Parallel()
	s := newTestStatic(t)
	words := strings.Repeat("the quick brown fox, naïve as ever\n", 3*embedWindow/32)
	for _, text := range []string{words, strings.Repeat("漢", embedWindow), strings.Repeat("x", 3*embedWindow)} {
		v, err := s.EmbedQuery(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		mean := make([]float32, dimensions)
		s.Mean(mean, s.Tokenize(text))
		if !slices.Equal(v, mean) || s.Count(text) != len(s.Tokenize(text)) {
			t.Errorf("vector of %.20q… differs from that of its tokens", text)
		}
	}
}

func TestNewStaticRefusesBrokenFiles(t *testing.T) {
	t.Parallel()
	vocabulary, err := vocabularyFile()
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string][2]string{
		"no table":         {"", vocabulary},
		"wrong magic":      {"XXXX" + tableFile[4:], vocabulary},
		"wrong version":    {tableFile[:4] + "\x02" + tableFile[5:], vocabulary},
		"truncated table":  {tableFile[:len(tableFile)-1], vocabulary},
		"no vocabulary":    {tableFile, ""},
		"cut vocabulary":   {tableFile, vocabulary[:len(vocabulary)-1]},
		"fewer tokens":     {tableFile, vocabulary[:strings.LastIndex(vocabulary[:len(vocabulary)-1], "\n")+1]},
		"no unknown":       {tableFile, strings.Replace(vocabulary, "[UNK]", "[XXX]", 1)},
		"a token too long": {tableFile, vocabulary[:len(vocabulary)-1] + strings.Repeat("x", 40) + "\n"},
		"an empty token":   {tableFile, strings.Replace(vocabulary, "\n!\n", "\n\n", 1)},
	} {
		if _, err := newStatic(files[0], files[1]); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestUnpackRefusesBrokenFiles(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "no gzip", vocabularyPacked[:len(vocabularyPacked)/2], vocabularyPacked[:len(vocabularyPacked)-8] + "12345678"} {
		if text, err := unpack(file); err == nil {
			t.Errorf("%.8q, %d bytes: unpacked to %d", file, len(file), len(text))
		}
	}
}

// Every command creates the embedder, so that must be fast. The tables are part of the
// binary, and a further embedder does not build them again. BenchmarkNewStatic has the time.
func TestNewStaticAllocatesLittle(t *testing.T) {
	bytes, objects := uint64(math.MaxUint64), uint64(math.MaxUint64)
	for range 5 { // the least, because other goroutines allocate, too
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		newTestStatic(t)
		runtime.ReadMemStats(&after)
		bytes, objects = min(bytes, after.TotalAlloc-before.TotalAlloc), min(objects, after.Mallocs-before.Mallocs)
	}
	if bytes > 1<<20 || objects > 50 {
		t.Errorf("NewStatic allocates %d bytes in %d objects", bytes, objects)
	}
}

func FuzzStatic(f *testing.F) {
	for _, text := range awkward {
		f.Add(text)
	}
	s, r := newTestStatic(f), newTestReference(f)
	f.Fuzz(func(t *testing.T, text string) {
		checkAgainstReference(t, s, r, text)
	})
}
