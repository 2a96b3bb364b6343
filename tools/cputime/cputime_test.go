package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	table, golden := filepath.Join(dir, "table"), filepath.Join(dir, "golden")
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(table, "ws 11.9\nagent 10\nstore 1.9\n")
	if err := update(table, golden); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(golden); err != nil || strings.Join(strings.Fields(string(got)), " ") != "agent 10.0 ws 11.9" {
		t.Errorf("the golden table is\n%s\n%v", got, err)
	}
	write(table, "ws 14.2\nagent 7\nagent 5.1\nstore 2.3\nnew 2.5\n")
	var b strings.Builder
	if err := compare(&b, table, golden); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	for _, want := range []string{"tests of agent need 12.1 s of processor time, and 10.0 s", "tests of new need", "needed 31 s"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "ws") || strings.Contains(out, "store") {
		t.Errorf("notes of small growth:\n%s", out)
	}
}

// TestRun counts the processor time of a child.
func TestRun(t *testing.T) {
	t.Parallel()
	table := filepath.Join(t.TempDir(), "table")
	if err := run(table, "/bin/sh", []string{"-c", `sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'`}); err != nil {
		t.Fatal(err)
	}
	if err := run(table, "/bin/sh", []string{"-c", "exit 3"}); err == nil {
		t.Error("a failure is a success")
	}
	got, err := read(table)
	if err != nil || len(got) != 1 || got["tools/cputime"] <= 0 {
		t.Errorf("the table is %v, %v", got, err)
	}
}
