package reason_test

import (
	"strings"
	"testing"

	"docent/agent/reason"
	"docent/llm/llmtest"
)

// A model that answers without a search has no sources. docent removes its citations and says so.
func TestAnswerWithoutASearchIsMarked(t *testing.T) {
	t.Parallel()
	r := reasonWith(t, reason.Options{Knowledge: knowledge()}, llmtest.Say("Cats have nine lives [1]."), llmtest.Say("Which cats do you mean?"))
	if got := saidText(t, r.ask("How many lives has a cat?")); !strings.HasPrefix(got, "Cats have nine lives.") || !strings.Contains(got, "Not checked") {
		t.Errorf("the answer is %q", got)
	}
	if got := saidText(t, r.ask("And others?")); got != "Which cats do you mean?" {
		t.Errorf("the question back is %q", got)
	}
}
