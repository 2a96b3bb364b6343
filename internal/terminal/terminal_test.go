package terminal_test

import (
	"bytes"
	"testing"

	"docent/internal/terminal"
)

func TestWriter(t *testing.T) {
	t.Parallel()
	in := "a\x1b]52;c;aGk=\x07b\x1b[2J\tü\r\n\u009b1m\u202ec\u2066\x80\xffd 日本 👩‍💻\x7f"
	want := "a]52;c;aGk=b[2J\tü\n1mcd 日本 👩‍💻"
	for size := 1; size <= len(in); size++ {
		var out bytes.Buffer
		w := terminal.NewWriter(&out)
		for rest := []byte(in); len(rest) > 0; {
			n, err := w.Write(rest[:min(size, len(rest))])
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if out.String() != want {
			t.Fatalf("in pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
}
