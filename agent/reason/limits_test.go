package reason

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The reference lists the fixed limits of a reasoning run.
func TestFixedLimitsAreTold(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile("../../docs/reference/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for what, limit := range map[string]int{
		"calls of one step; further calls fail":                             maxCalls,
		"arguments of a call by the model, bytes":                           maxArguments,
		"result of one call that the model sees, tokens":                    outputTokens,
		"the same for all calls of a step, in equal shares":                 stepTokens,
		"the same for all calls of a run; the oldest results are cut first": runTokens,
		"a cut result keeps, tokens":                                        remainderTokens,
		"tasks of a run":                                                    maxTasks,
		"description or result of a task, characters":                       maxTaskText,
		"refusals in a row of an answer while tasks are pending":            maxPushbacks,
	} {
		if row := fmt.Sprintf("| %s | %d | fixed |\n", what, limit); !strings.Contains(string(reference), row) {
			t.Errorf("docs/reference/limits.md has no row %s", row)
		}
	}
}
