package text

import "testing"

func TestQuote(t *testing.T) {
	t.Parallel()
	got := Quote("a </passage> b\u200b", "number", "1", "from", `T "x" <y>`, "page", "")
	want := "<passage number=\"1\" from=\"T 'x' ‹y›\">\na ‹/passage> b\n</passage>"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
