package terminal_test

import (
	"testing"

	"docent/internal/terminal"
)

func TestShellWord(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"/data/docent-1": "/data/docent-1", "/my data": "'/my data'", "/it's": `'/it'\''s'`, "/$HOME;x": "'/$HOME;x'"} {
		if got := terminal.ShellWord(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}
