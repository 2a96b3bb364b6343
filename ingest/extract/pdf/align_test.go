package pdf

import (
	"strings"
	"testing"
)

// check fails if runs are not ascending, overlap, or match different
// characters.
func check(t *testing.T, text, page []rune, runs []run) {
	t.Helper()
	a, b := 0, 0
	for _, r := range runs {
		if r.n <= 0 || r.a < a || r.b < b || r.a+r.n > len(text) || r.b+r.n > len(page) {
			t.Fatalf("run %+v after %d, %d in %d letters on a page of %d", r, a, b, len(text), len(page))
		}
		if string(text[r.a:r.a+r.n]) != string(page[r.b:r.b+r.n]) {
			t.Fatalf("run %+v is %q and %q", r, string(text[r.a:r.a+r.n]), string(page[r.b:r.b+r.n]))
		}
		a, b = r.a+r.n, r.b+r.n
	}
}

func FuzzAlign(f *testing.F) {
	f.Add("the valve is closed before the motor starts and stays so", "header the valve is closed before the motor starts and stays so footer", 3, 20)
	f.Add(strings.Repeat("ab", 40), strings.Repeat("ab", 60), 0, 80)
	f.Add("abcdefghijklmnopqrstuvwxyz0123456789", "0123456789abcdefghijklmnopqrstuvwxyz", 0, 36)
	f.Add("", "page", 0, 0)
	f.Add("ﬁne ÉTÉ Straße", "fine ete", 0, 4)
	f.Fuzz(func(t *testing.T, text, page string, first, last int) {
		words, at := spelled(text)
		sheet, _ := spelled(page)
		if len(words) != len(at) {
			t.Fatal("letters without a place")
		}
		first = min(max(first, 0), len(words))
		last = min(max(last, first), len(words))
		check(t, words, sheet, align(words, sheet, first, last))
		runs := align(words, words, 0, len(words)) // a text is aligned with itself
		check(t, words, words, runs)
		n := 0
		for _, r := range runs {
			n += r.n
		}
		if n != len(words) {
			t.Errorf("%d of %d letters are found on a page that is the text", n, len(words))
		}
	})
}

// Aligning hostile text takes linear time: with quadratic time, the test would not end.
func TestAlignHostileText(t *testing.T) {
	t.Parallel()
	var same, mixed strings.Builder
	for i := range 20_000 {
		same.WriteString("aaaaaaaaaaaaa")
		mixed.WriteString(strings.Repeat("a", 11) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)))
	}
	for _, text := range []string{same.String(), mixed.String()} {
		words, _ := spelled(text)
		page := words[:min(len(words), maxPageLetters)]
		check(t, words, page, align(words, page, 10, len(words)-10))
		turned := append(append([]rune{}, page[len(page)/2:]...), page[:len(page)/2]...)
		check(t, words, turned, align(words, turned, 10, len(words)-10))
	}
}

func TestSpelled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Instal-\nlation, 4 bar":  "installation4bar",
		"ﬁve e\u0301te\u0301 été": "fiveeteete",
		"ÄÖ ß m² ½":               "aoßm212",
		"\x02\xff…":               "",
		"図面 ２":                    "図面2",
	} {
		letters, at := spelled(text)
		if string(letters) != want || len(at) != len(letters) {
			t.Errorf("%q is spelled %q", text, string(letters))
		}
	}
}
