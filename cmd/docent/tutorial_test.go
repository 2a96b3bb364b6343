package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFirstAnswer runs the questions of docs/start/first-answer.md beside the documents
// that make run reads, which contain these questions.
func TestFirstAnswer(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/start/first-answer.md")
	if err != nil {
		t.Fatal(err)
	}
	demo := t.TempDir()
	text := "# Feed pump\n\nThe feed pump is serviced every six months. Replace the seal each time.\n"
	if !strings.Contains(string(page), strings.ReplaceAll(text, "\n", `\n`)) {
		t.Error("the page has another document")
	}
	if err := os.WriteFile(filepath.Join(demo, "pump.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"DOCENT_DATA=" + t.TempDir()}
	docent(t, env, 0, "ingest", "../../README.md", "../../docs")
	docent(t, env, 0, "ingest", "--collection", "demo", demo)
	want := []string{"The feed pump is serviced every six months. Replace the seal each time. [1]", "These passages come closest. They may not answer the question."}
	for i, m := range regexp.MustCompile(`docent ask --collection demo "(.*)"`).FindAllStringSubmatch(string(page), -1) {
		if got := docent(t, env, 0, "ask", "--collection", "demo", m[1]); i >= len(want) || !strings.HasPrefix(got, want[i]) {
			t.Errorf("%s: %s", m[1], got)
		}
	}
}
