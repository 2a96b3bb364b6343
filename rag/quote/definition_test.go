package quote

import (
	"strings"
	"testing"

	"docent/rag/corpus"
)

// A question for a definition gets the paragraph that defines the subject first, and no
// synopsis.
func TestDefinition(t *testing.T) {
	t.Parallel()
	const page = "SAVEPOINT — define a new savepoint\n\n```\nSAVEPOINT savepoint_name\n```\n\nUse SAVEPOINT with a savepoint name. " +
		"A savepoint is a special mark inside a transaction that allows to roll back later commands."
	for question, want := range map[string]string{
		"What is a savepoint?":     "A savepoint is a special mark",
		"What does SAVEPOINT do?":  "SAVEPOINT — define a new savepoint",
		"What is backscatter?":     "Innocent sites get mail that they did not cause. This is called backscatter. [2]",
		"What is a savepoint for?": "A savepoint is a special mark",
	} {
		got := ask(t, question, corpus.Prose, page,
			"You know backscatter if the log is full of backscatter. Innocent sites get mail that they did not cause. This is called backscatter.",
			"Savepoints and savepoint names: a savepoint name replaces an older savepoint of that name.")
		if !strings.Contains(got, want) || strings.Contains(got, "```") {
			t.Errorf("%s\ngot\n%s\nwant\n%s", question, got, want)
		}
	}
	got := ask(t, "How do I write a savepoint?", corpus.Prose, "Define it:\n\n```\nSAVEPOINT savepoint_name\n```\n\nA savepoint is a mark.")
	if !strings.Contains(got, "```") {
		t.Errorf("another question gets no code:\n%s", got)
	}
}
