package main

import (
	"strings"
	"testing"
	"time"
)

// Every scenario measures a server with its own limits, and leaves nothing
// behind.
func TestLoadtest(t *testing.T) {
	t.Parallel()
	_, at := serve(t, nil)
	for scenario, want := range map[string]string{
		"idle": "memory of each, after one message", "echo": "refused as too fast and sent again", "turns": "turns",
		"stream": "none: quotes", "slow": "with clients that do not read",
	} {
		duration := 50 * time.Millisecond
		if scenario == "echo" {
			duration = time.Second // far more frames than may come at once
		}
		text := loadTestRows(t, at, scenario, duration)
		for scenario == "echo" && !strings.Contains(text, want) && duration < patience { // but on a slow machine
			duration *= 2
			text = loadTestRows(t, at, scenario, duration)
		}
		if !strings.Contains(text, want) || strings.Contains(text, "could not be deleted") {
			t.Errorf("%s prints %q", scenario, text)
		}
		var sessions []map[string]any
		if getJSON(t, at+"/api/sessions", &sessions); len(sessions) > 0 {
			t.Errorf("%s leaves %v", scenario, sessions)
		}
	}
	wrong := loadTest{url: at, scenario: "none", connections: 1, users: 1, duration: 1}
	if wrong.validate() == nil {
		t.Error("an unknown scenario")
	}
}

// loadTestRows measures for a time and returns what is printed.
func loadTestRows(t *testing.T, at, scenario string, duration time.Duration) string {
	t.Helper()
	l := loadTest{
		url: at, question: "What is this?", scenario: scenario, connections: 5, users: 2, duration: duration, pause: time.Millisecond,
	}
	if err := l.validate(); err != nil {
		t.Fatal(err)
	}
	rows, err := l.run(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", scenario, err)
	}
	var lines []string
	for _, r := range rows {
		lines = append(lines, r.name+" "+r.value)
	}
	return strings.Join(lines, "\n")
}
