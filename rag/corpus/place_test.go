package corpus_test

import (
	"testing"

	"docent/rag/corpus"
)

func TestFolderOf(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"/srv/secret/manuals/a.pdf":        "manuals",
		"/a.pdf":                           "",
		`C:\Users\ann\Docs\a.pdf`:          "Docs",
		"https://example.com/kb/router/a":  "example.com/kb/router",
		"https://example.com/":             "example.com",
		"upload:pumps/small/a.pdf":         "pumps/small",
		"upload:a.pdf":                     "",
		"stdin:notes":                      "",
		"/srv/mail.zip#inner/folder/a.txt": "srv",
	} {
		if got := corpus.FolderOf(source); got != want {
			t.Errorf("FolderOf(%q) = %q, want %q", source, got, want)
		}
	}
}
