package main

import (
	"strings"
	"testing"
	"time"

	loadtest "docent/tools/loadtest/load"
)

// TestLoadtest runs each scenario of tools/loadtest against a server with its
// default limits. None leaves a session.
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
	wrong := loadtest.Test{URL: at, Scenario: "none", Connections: 1, Users: 1, Times: 1, Duration: 1}
	if _, err := wrong.Run(t.Context()); err == nil {
		t.Error("an unknown scenario")
	}
}

// loadTestRows measures for a time and returns the rows.
func loadTestRows(t *testing.T, at, scenario string, duration time.Duration) string {
	t.Helper()
	test := loadtest.Test{
		URL: at, Question: "What is this?", Scenario: scenario, Connections: 5, Users: 2, Duration: duration, Pause: time.Millisecond, Times: 1,
	}
	rows, err := test.Run(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", scenario, err)
	}
	var lines []string
	for _, r := range rows {
		lines = append(lines, r.Name+" "+r.Value)
	}
	return strings.Join(lines, "\n")
}
