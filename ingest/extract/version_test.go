package extract

import (
	"slices"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	for media, want := range map[string]string{
		"text/html": "text/html", "text/csv": "text/csv", "text/x-go": code, "text/javascript": code, "image/png": "image/…", "image/svg+xml": "image/svg+xml",
		"application/x-unknown": "", "": "",
	} {
		if got := formatOf(media); got != want {
			t.Errorf("%q belongs to %q, want %q", media, got, want)
		}
	}
	if Version("text/csv; charset=shift_jis") < 1 || Version("application/octet-stream") != 0 {
		t.Errorf("versions %d and %d", Version("text/csv; charset=shift_jis"), Version("application/octet-stream"))
	}
	for media := range versions {
		if !slices.ContainsFunc(Formats(), func(f Info) bool { return f.Media == media }) {
			t.Errorf("no format has the media type %s", media)
		}
	}
}
