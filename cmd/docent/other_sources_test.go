package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// TestOtherSourcesScript runs the script of docs/how-to/other-sources.md on a
// REST API with two pages.
func TestOtherSourcesScript(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/how-to/other-sources.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```sh\n(#!/bin/sh.*?)```").FindSubmatch(guide)
	if found == nil {
		t.Fatal("the guide has no script")
	}
	dir := t.TempDir()
	if err := linkProgram(dir, programPath(t)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pull.sh"), found[1], 0o600); err != nil {
		t.Fatal(err)
	}
	var second atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		type article struct {
			ID    int    `json:"id"`
			Title string `json:"title"`
			Body  string `json:"body"`
		}
		answer := map[string]any{"articles": []article{{1, "Pump", "The pump runs at \"40\" bar.\nSecond line."}, {2, "Valve", "The valve opens at 3 bar."}}, "next_page": 2}
		if r.URL.Query().Get("page") == "2" {
			answer = map[string]any{"articles": []article{{3, "Motor", "The motor has 5 kW."}}, "next_page": nil}
			if second.Load() {
				answer["articles"] = []article{}
			}
		}
		_ = json.NewEncoder(w).Encode(answer) // the client is gone
	}))
	t.Cleanup(server.Close)
	env := []string{"DOCENT_DATA=" + filepath.Join(dir, "data")}
	pull := func() string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "pull.sh", server.URL)
		cmd.Dir = dir
		cmd.Env = append([]string{asProgram + "=1", "HOME=" + dir, "PATH=" + dir + ":" + os.Getenv("PATH"), "no_proxy=127.0.0.1"}, env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := pull(); !strings.Contains(out, "3 added") {
		t.Errorf("first: %s", out)
	}
	if out := pull(); !strings.Contains(out, "0 added, 0 changed, 3 unchanged") {
		t.Errorf("again: %s", out)
	}
	second.Store(true)
	if out := pull(); !strings.Contains(out, "2 unchanged, 1 removed") {
		t.Errorf("with one gone: %s", out)
	}
	if out := docent(t, env, 0, "docs", "ls", "--json"); !strings.Contains(out, `"source":"stdin:helpdesk.jsonl#1"`) || !strings.Contains(out, `"title":"Pump"`) {
		t.Errorf("the documents are\n%s", out)
	}
}
