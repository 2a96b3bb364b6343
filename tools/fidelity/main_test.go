package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	got := compare(words("The pump, K-25, runs. Menu"), words("the pump K-25 runs well"))
	if got.recall != 5.0/6 || got.precision != 5.0/6 || got.order != 4.0/5 {
		t.Errorf("got %+v", got)
	}
	if w := words("水泵 pump"); len(w) != 3 {
		t.Errorf("got %q", w)
	}
	if got := compare(nil, words("a b")); got != (figures{}) {
		t.Errorf("empty: got %+v", got)
	}
}

// TestRun measures a page against its expected text, and names the programs
// that are missing.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	const text = "<p>The seal of the pump is changed every four thousand hours, and the bearing with it.</p>"
	for name, page := range map[string]string{"source.html": "<html><title>x</title><body><nav>Menu</nav>" + text, "expected.html": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, log strings.Builder
	if err := run(t.Context(), []string{"-format", "html", dir}, &out, &log); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| html | expected.html | 1 | 1.000 | 1.000 | 1.000 | 0 | 0 |", "Not compared with trafilatura: it is not installed (pip install trafilatura lxml_html_clean)."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s%s", want, out.String(), log.String())
		}
	}
}

// TestRunFailing names the programs that cannot read a file.
func TestRunFailing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for name, content := range map[string]string{"pandoc": "#!/bin/sh\nexit 65\n", "notes.md": "The seal of the pump is changed.\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var out, log strings.Builder
	if err := run(t.Context(), []string{"-format", "markdown", dir}, &out, &log); err != nil {
		t.Fatal(err)
	}
	if want := "Not compared with pandoc: 1 file that it cannot read."; !strings.Contains(out.String(), want) {
		t.Errorf("%q is not in %s%s", want, out.String(), log.String())
	}
}
