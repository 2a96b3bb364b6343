package bpe

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFirstWord: the words are those of the regular expression of GPT-2. The expected
// ones come from the library tokenizers.
func TestFirstWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"It's we'll I'D":      {"It", "'s", " we", "'ll", " I", "'", "D"},
		" 's 'tis it's":       {" '", "s", " '", "tis", " it", "'s"},
		"'sun":                {"'s", "un"},
		"a  b   c":            {"a", " ", " b", "  ", " c"},
		"a \n b\n\nc ":        {"a", " \n", " b", "\n", "\n", "c", " "},
		"\tx\u00a0y":          {"\t", "x", "\u00a0", "y"},
		"x  ":                 {"x", "  "},
		" ":                   {" "},
		"v1.2 €5½":            {"v", "1", ".", "2", " €", "5½"},
		"größer数 don't!? 🙂ok": {"größer数", " don", "'t", "!?", " 🙂", "ok"},
		"e\u0301":             {"e", "\u0301"},
		"a\xffb":              {"a", "\xff", "b"},
	} {
		var got []string
		for rest := text; rest != ""; {
			n := firstWord(rest)
			got, rest = append(got, rest[:n]), rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

// small returns a vocabulary of the bytes and some merges.
func small() Config {
	cfg := Config{Vocabulary: map[string]int{}, Merges: [][2]string{
		{"a", "b"}, {"b", "c"}, {"a", "a"}, {"Ġ", "ab"}, {"aa", "aa"}, {"Ã", "¶"},
	}}
	for _, r := range characters() {
		cfg.Vocabulary[string(r)] = len(cfg.Vocabulary)
	}
	for _, m := range cfg.Merges {
		cfg.Vocabulary[m[0]+m[1]] = len(cfg.Vocabulary)
	}
	return cfg
}

func TestAppend(t *testing.T) {
	t.Parallel()
	cfg := small()
	names := map[int32]string{}
	for token, id := range cfg.Vocabulary {
		names[int32(id)] = token
	}
	for text, want := range map[string]string{
		"abc bc":                   "ab c Ġ bc",
		"x ab":                     "x Ġab",
		"aaaaa":                    "aaaa a", // the leftmost pair comes first
		"aab":                      "a ab",   // the first merge of the list comes first
		"ö":                        "Ã¶",
		"\n":                       "Ċ",
		"":                         "",
		strings.Repeat("a", 1<<20): strings.TrimSpace(strings.Repeat("aaaa ", 8)),
	} {
		tokens, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range tokens.Append([]int32{7}, text, 8)[1:] {
			got = append(got, names[id])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.20q gives %q, want %q", text, got, want)
		}
	}
	cfg.PrefixSpace = true
	tokens, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"ab", " ab"} {
		if got := tokens.Append(nil, text, 8); len(got) != 1 || names[got[0]] != "Ġab" {
			t.Errorf("with a space, %q gives %v", text, got)
		}
	}
	if got := tokens.Append([]int32{1}, "ab", 0); len(got) != 1 {
		t.Errorf("with the limit 0: %v", got)
	}
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Config){
		"for the byte":       func(c *Config) { delete(c.Vocabulary, "Ġ") },
		"no tokens for the":  func(c *Config) { c.Merges = append(c.Merges, [2]string{"x", "y"}) },
		`"a" has the id -1`:  func(c *Config) { c.Vocabulary["a"] = -1 },
		"has the id 4294967": func(c *Config) { c.Vocabulary["long"] = 1 << 32 },
	} {
		cfg := small()
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// FuzzAppend: the tokens of any text are its bytes.
func FuzzAppend(f *testing.F) {
	f.Add("It's  aabaaab\n\n bcbc \xff🙂")
	cfg := small()
	tokens, err := New(cfg)
	if err != nil {
		f.Fatal(err)
	}
	bytes, names := map[rune]byte{}, map[int32]string{}
	for b, r := range characters() {
		bytes[r] = byte(b)
	}
	for token, id := range cfg.Vocabulary {
		names[int32(id)] = token
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), maxText)]
		var whole []byte
		for _, id := range tokens.Append(nil, text, maxText) {
			for _, r := range names[id] {
				whole = append(whole, bytes[r])
			}
		}
		if string(whole) != text {
			t.Errorf("%q became %q", text, whole)
		}
		for rest := text; rest != ""; {
			n := firstWord(rest)
			if n <= 0 || utf8.ValidString(text) && !utf8.ValidString(rest[:n]) {
				t.Fatalf("a word of %d bytes in %q", n, rest)
			}
			rest = rest[n:]
		}
	})
}
