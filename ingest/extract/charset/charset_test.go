package charset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	. "docent/ingest/extract/charset"
)

// languages are the languages of testdata (articles of the Universal
// Declaration of Human Rights) with the character sets they were written in.
var languages = map[string]string{
	"de": "windows-1252 iso-8859-15 ibm850 macintosh", "fr": "windows-1252 iso-8859-15", "es": "windows-1252", "it": "windows-1252",
	"pt": "windows-1252", "nl": "windows-1252", "sv": "windows-1252", "da": "windows-1252", "nb": "windows-1252", "fi": "windows-1252",
	"is": "windows-1252", "ca": "windows-1252", "et": "windows-1252 windows-1257", "pl": "windows-1250 iso-8859-2 ibm852",
	"cs": "windows-1250 iso-8859-2", "sk": "windows-1250 iso-8859-2", "hu": "windows-1250 iso-8859-2", "hr": "windows-1250 iso-8859-2",
	"sl": "windows-1250 iso-8859-2", "ro": "windows-1250 iso-8859-2", "ru": "windows-1251 koi8-r iso-8859-5 ibm866 utf-16le utf-32be",
	"uk": "windows-1251 koi8-u", "be": "windows-1251", "bg": "windows-1251 iso-8859-5", "sr": "windows-1251", "mk": "windows-1251",
	"el": "windows-1253 iso-8859-7 utf-16be", "tr": "windows-1254", "he": "windows-1255", "ar": "windows-1256 iso-8859-6", "fa": "windows-1256",
	"lt": "windows-1257", "lv": "windows-1257", "th": "windows-874", "zh": "gb18030 utf-16le utf-16be", "zh-hant": "big5 utf-16be",
	"ja": "shift_jis euc-jp iso-2022-jp utf-16le utf-32le", "ko": "euc-kr utf-16le",
}

func lookup(t *testing.T, name string) encoding.Encoding {
	t.Helper()
	switch name {
	case "ibm850":
		return charmap.CodePage850
	case "ibm852":
		return charmap.CodePage852
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		t.Fatalf("no character set %s", name)
	}
	return enc
}

// TestLanguages encodes texts in 38 languages in the character sets that were
// used for them. It also encodes them as lists of parts that are nine tenths
// ASCII.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for language, sets := range languages {
		raw, err := os.ReadFile(filepath.Join("testdata", language+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for set := range strings.FieldsSeq(sets) {
			enc := lookup(t, set)
			all, right := 0, 0
			for _, size := range []int{60, 200, 1500} {
				for _, padding := range []string{"", strings.Repeat("1001,K-25 pump;", 20)} {
					all++
					want := piece(enc, string(raw), size, padding)
					data, err := enc.NewEncoder().String(want)
					if err != nil {
						t.Fatal(err)
					}
					got, _, err := Decode([]byte(data), "")
					switch {
					case err == nil && got == want:
						right++
					case size > 60:
						t.Errorf("%s in %s: got %.60q, want %.60q", language, set, got, want)
					}
				}
			}
			if right < all-2 { // 60 bytes may contain a single non-ASCII letter

				t.Errorf("%s in %s: %d of %d are right", language, set, right, all)
			}
		}
	}
}

// piece returns about size bytes of text that a character set can represent, with
// padding after each line.
func piece(enc encoding.Encoding, text string, size int, padding string) string {
	var b strings.Builder
	n, high := 0, 0
	for _, r := range text {
		if n >= size && (r == ' ' || high > 8) && high > 0 || r == '\n' && n > size {
			break
		}
		if _, err := enc.NewEncoder().String(string(r)); err != nil {
			continue
		}
		if r == '\n' {
			b.WriteString(padding)
		}
		if r >= utf8.RuneSelf {
			high++
		}
		n += utf8.RuneLen(r)
		b.WriteRune(r)
	}
	b.WriteString(padding)
	return strings.TrimPrefix(b.String(), "\uFEFF")
}

func TestShort(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ set, text string }{
		{"shift_jis", "id,name,qty\n1001,ポンプ,25\n1002,バルブ,4\n"},
		{"shift_jis", "1001,ﾎﾟﾝﾌﾟ,25\n1002,ﾊﾞﾙﾌﾞ,3\n"},
		{"gb18030", "id,name\n1001,水泵,25\n1002,阀门,3\n"},
		{"big5", "id,name\n1001,幫浦,25\n1002,閥門,3\n"},
		{"euc-kr", "id,name\n1001,펌프,25\n1002,밸브,3\n"},
		{"windows-1251", "1001,Насос,25\n1002,Клапан,3\n"},
		{"windows-1252", "1001,Kühlmittelpumpe,25 °C\n1002,Ölfilter,3\n"},
		{"windows-1252", "Temperature: 20 °C ± 2 °C, torque 25 N·m"},
		{"windows-1252", "It’s “quoted” text – with dashes and 5 € … © 2020"},
		{"windows-1252", "São Paulo, à la carte, déjà vu, naïve café"},
		{"iso-2022-jp", "件名: 日本語のメール\n"},
		{"hz-gb-2312", "subject: 中国人民的水泵 ok\n"},
	} {
		enc := lookup2(t, tt.set)
		data, err := enc.NewEncoder().String(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		got, name, err := Decode([]byte(data), "")
		if err != nil || got != tt.text || name != tt.set {
			t.Errorf("%s: got %q (%s, %v), want %q", tt.set, got, name, err, tt.text)
		}
	}
}

func lookup2(t *testing.T, name string) encoding.Encoding {
	if name == "hz-gb-2312" {
		return simplifiedchinese.HZGB2312
	}
	return lookup(t, name)
}

// TestASCII checks that ASCII and UTF-8 text stays unchanged.
func TestASCII(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"plain", "C++ and x+y-z, 1+1-2", "~{not Chinese~} ~~", "a+AAAA-b", "Bush hid the facts", "日本語 +AOQ-", "+49-351-12345 and +1-202",
		"git log --format=%h+abcd-", "HostkeyAlgorithms +ssh-rsa\nPubkeyAcceptedAlgorithms +ssh-rsa\n", "",
	} {
		if got, name, err := Decode([]byte(text), ""); err != nil || got != text || name != "" {
			t.Errorf("%q: got %q, %q, %v", text, got, name, err)
		}
	}
	if _, _, err := Decode([]byte("Gr+APwA3w-e von K+APY-ln und M+APw-nchen"), ""); err == nil || !strings.Contains(err.Error(), "UTF-7") {
		t.Errorf("UTF-7: got %v", err)
	}
	if text, name, err := Decode([]byte("\xcd\xe0\xf1\xee\xf1 \xe2\xee\xe4\xfb"), "iso-8859-1"); err != nil || name != "windows-1252" {
		t.Errorf("declared: got %q, %q, %v", text, name, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("1001,\x83|\x83\x93\x83v,25"), "")
	f.Add([]byte("~{VPNDH~} +AOQ- \x1b$B"), "big5")
	f.Fuzz(func(t *testing.T, data []byte, declared string) {
		if len(data) > 64<<10 {
			return
		}
		IsBinary(data)
		text, _, err := Decode(data, declared)
		if err == nil && !utf8.ValidString(text) {
			t.Fatal("the text is not valid UTF-8")
		}
	})
}

// TestMixed reads a text of several authors who used different character sets.
func TestMixed(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("The pump is shut, and so is the valve.\n", 40)
	text, name, err := Decode([]byte(line+"Rog\xc3\xa9rio Brito, Jos\xc3\xa9 and J\xc3\xb6rg\n"+line+"S\xe9bastien and Ih\xe1rosi\n"+line), "")
	if err != nil || name != "" || text != line+"Rogério Brito, José and Jörg\n"+line+"Sébastien and Ihárosi\n"+line {
		t.Errorf("got %q, %q, %v", text, name, err)
	}
}
