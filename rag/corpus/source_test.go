package corpus_test

import (
	"testing"

	"docent/rag/corpus"
)

func TestShortSource(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"/srv/manuals/pump/a.pdf":            "pump/a.pdf",
		"/a.pdf":                             "a.pdf",
		"/srv/a.zip#docs/readme.md":          "srv/a.zip#docs/readme.md",
		"/srv/a.zip#/etc/passwd":             "srv/a.zip#/etc/passwd",
		`C:\Users\ada\manuals\a.pdf`:         "manuals/a.pdf",
		`C:\a.pdf`:                           "C:/a.pdf",
		"upload:guide/readme.md":             "upload:guide/readme.md",
		"stdin:notes":                        "stdin:notes",
		"https://example.org/a/b/c.html#top": "https://example.org/a/b/c.html#top",
		"":                                   "",
	} {
		if got := corpus.ShortSource(source); got != want {
			t.Errorf("%q is shortened to %q, want %q", source, got, want)
		}
	}
}
