package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerated fails if the sources break the rules for ids, or if a generated
// file differs from them: run "go generate ./internal/fault".
func TestGenerated(t *testing.T) {
	t.Parallel()
	all, err := collect("../..")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files(all) {
		got, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil || string(got) != want {
			t.Errorf(`%s is stale (%v); run "go generate ./internal/fault"`, path, err)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ source, want string }{
		"good":        {`fault.New(fault.Invalid, "no_turn", "no turn %d", 1); fault.NewText("no_turn", "no turn %d", 2)`, ""},
		"wrapper":     {`wrap := func(id, format string, args ...any) error { return fault.New(fault.Busy, id, format, args...) }; wrap("No", "no")`, "lower_snake_case"},
		"two formats": {`fault.NewText("a", "one"); fault.NewText("a", "two")`, "another format"},
		"two ids":     {`fault.NewText("a", "one"); fault.NewText("b", "one")`, "has the ids"},
		"no literal":  {`fault.NewText("a", other())`, "must be literals"},
		"no id":       {`fault.New(fault.Invalid, "there is no turn %d", 1)`, "must be literals"},
		"old call":    {`fault.New(fault.Invalid, "no turn %s", "x")`, "lower_snake_case"},
		"values":      {`fault.NewText("a", "%d of %d", 1)`, "2 verbs and 1 values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			source := "package p\nfunc f() { " + tc.source + " }\n"
			if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := collect(dir)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
