package text_test

import (
	"fmt"
	"strings"
	"testing"

	"docent/rag/text"
)

// numbered returns n distinct words.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}

func TestSearchedKeepsBothEnds(t *testing.T) {
	t.Parallel()
	got := text.Searched("How long is a lease? " + numbered(2000) + "Why did it end?")
	if n := len(text.Stems(got)); n > text.MaxSearched || n < text.MaxSearched-2 {
		t.Errorf("%d distinct words, want about %d", n, text.MaxSearched)
	}
	if !strings.HasPrefix(got, "How long is a lease? w0 w1 ") || !strings.HasSuffix(got, " w1998 w1999 Why did it end?") {
		t.Errorf("lost an end: %q … %q", got[:40], got[len(got)-40:])
	}
}

func TestSearchedKeepsOtherMessages(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"", "How long is a lease?", numbered(text.MaxSearched), strings.Repeat("the same words again. ", 1000), strings.Repeat("?", 5000),
	} {
		if got := text.Searched(message); got != message {
			t.Errorf("%.30q became %.30q", message, got)
		}
	}
}

func TestSearchedCutsEndlessWords(t *testing.T) {
	t.Parallel()
	identifier := strings.ReplaceAll(numbered(2000), " ", "_x.")
	for message, want := range map[string]string{
		identifier:                    identifier[:text.MaxSearched],
		"lease of " + identifier:      "lease of",
		identifier + " has a lease":   "has a lease",
		"a " + identifier + " lease?": "a\nlease?",
	} {
		if got := text.Searched(message); got != want {
			t.Errorf("%.30q became %.300q, want %.30q", message, got, want)
		}
	}
	if got := text.Searched(strings.Repeat("語文字書", 20) + unspaced(1000)); len(text.Stems(got)) > text.MaxSearched {
		t.Errorf("%d pairs", len(text.Stems(got)))
	}
}

// unspaced returns n distinct Chinese characters.
func unspaced(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune('一' + rune(i))
	}
	return b.String()
}

func FuzzSearched(f *testing.F) {
	f.Add("a_b.c " + numbered(300) + "語文字書")
	f.Fuzz(func(t *testing.T, message string) {
		got := text.Searched(message)
		if got == message {
			return
		}
		if len(got) > len(message)+1 || len(text.Stems(got)) > text.MaxSearched {
			t.Fatalf("%q became %q", message, got)
		}
	})
}
