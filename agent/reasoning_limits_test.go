package agent

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The guide's table of limits has those of a reasoning run, which cannot be set.
func TestFixedLimitsAreTold(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/how-to/write-agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for what, limit := range map[string]int{
		"calls of one step (the others are answered with an error)": maxCalls,
		"arguments that a model gives a call, bytes":                maxArguments,
		"what the model is shown of one call, tokens":               outputTokens,
		"of all calls of a step, which share it evenly":             stepTokens,
		"of all calls of a run; with more the oldest are cut":       runTokens,
		"to":             remainderTokens,
		"tasks of a run": maxTasks,
		"description or result of a task, characters":                               maxTaskText,
		"an answer proposed while tasks are pending is objected to, times in a row": maxPushbacks,
	} {
		if row := fmt.Sprintf("| %s | %d | fixed |\n", what, limit); !strings.Contains(string(guide), row) {
			t.Errorf("the guide has no row %s", row)
		}
	}
}
