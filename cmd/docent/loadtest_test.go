package main

import (
	"strings"
	"testing"
	"time"
)

func TestLoadtest(t *testing.T) {
	t.Parallel()
	_, at := serve(t, nil, "--rate", "100000", "--burst", "100000")
	for scenario, want := range map[string]string{
		"idle": "memory of each, after one message", "echo": "frames", "turns": "turns", "slow": "with clients that do not read",
	} {
		l := loadTest{
			url: at, question: "What is this?", scenario: scenario, connections: 5, users: 2, duration: 50 * time.Millisecond,
		}
		if err := l.validate(); err != nil {
			t.Fatal(err)
		}
		rows, err := l.run(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", scenario, err)
		}
		var names []string
		for _, r := range rows {
			names = append(names, r.name)
		}
		if !strings.Contains(strings.Join(names, "\n"), want) {
			t.Errorf("%s prints %q", scenario, names)
		}
	}
	wrong := loadTest{url: at, scenario: "none", connections: 1, users: 1, duration: 1}
	if wrong.validate() == nil {
		t.Error("an unknown scenario")
	}
}
