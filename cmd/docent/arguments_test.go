package main

import (
	"slices"
	"strings"
	"testing"
)

// TestUselessArguments: a collection that does not exist, and a setting without an effect, are
// errors that say what to do.
func TestUselessArguments(t *testing.T) {
	t.Parallel()
	docs, env := t.TempDir(), []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_ENCODER=off"}
	write(t, docs, "pump.md", "# Pump\n\nThe feed pump moves 40 litres per minute.\n")
	docent(t, env, 0, "ingest", docs)
	const question = "How much does the feed pump move?"
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"ask --collection nope", `there is no collection "nope"`, 1},
		{"search --collection nope", `there is no collection "nope"`, 1},
		{"docs ls --collection nope", `there is no collection "nope"`, 1},
		{"ask --second-query wordings", "setting llm.second-query: is set but no model is: add --model NAME", 2},
		{"ask --prompts 2", "setting llm.prompts: is set but no model is: add --model NAME", 2},
	} {
		args := strings.Fields(c.args)
		if args[0] != "docs" {
			args = slices.Insert(args, 1, question)
		}
		p := start(t, env, args...)
		if code := p.wait(); code != c.code || !strings.Contains(p.log.String(), c.want) {
			t.Errorf("docent %s: status %d and %q, want %d and %q", c.args, code, p.log, c.code, c.want)
		}
	}
	docent(t, env, 0, "docs", "ls", "--collection", "default")
}
