package extract

import "testing"

func TestVersion(t *testing.T) {
	t.Parallel()
	for media, want := range map[string]int{
		"text/html": 3, "application/pdf": 2, "text/plain; charset=utf-8": 2, "text/asciidoc": 3, "text/csv; charset=shift_jis": 1, "text/x-go": 1, "text/javascript": 1, "image/png": 1, "image/svg+xml": 1,
		"application/x-unknown": 0, "application/octet-stream": 0, "": 0,
	} {
		if got := Version(media); got != want {
			t.Errorf("the reader of %q has version %d, want %d", media, got, want)
		}
	}
}
