package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"docent/config"
	"docent/internal/fault"
)

var update = flag.Bool("update", false, "write generated parts of the documentation")

// TestSettingsTable keeps the table of settings in docs/operations.md equal to
// the code.
func TestSettingsTable(t *testing.T) {
	const file = "../../docs/operations.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), "-update -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatal("the marks around the table are gone")
	}
	want := before + "-update -->\n" + config.Table() + "<!-- end -->" + after
	if want == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date: go test ./cmd/docent -run TestSettingsTable -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCommandsAreDocumented: every command is in docs/operations.md, and every
// exit status in the help.
func TestCommandsAreDocumented(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range newRoot(stdio{}).Commands() {
		if cmd.RunE != nil && cmd.Name() != "config" && cmd.Name() != "help" && !strings.Contains(string(raw), "`docent "+cmd.Name()) {
			t.Errorf("docs/operations.md does not name docent %s", cmd.Name())
		}
		if cmd.Short == "" {
			t.Errorf("docent %s has no one-line help", cmd.Name())
		}
	}
	codes := map[int]bool{}
	for _, k := range fault.Kinds() {
		codes[k.ExitCode()] = true
	}
	if len(codes) != 4 || !strings.Contains(longHelp, "0 done, 1 something failed, 2 wrong call or setting,") {
		t.Errorf("exit statuses %v are not those of the help", codes)
	}
}
