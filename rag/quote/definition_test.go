package quote

import (
	"strings"
	"testing"

	"docent/rag/corpus"
)

// A question for a definition gets the sentence that defines the subject first, and no
// synopsis.
func TestDefinition(t *testing.T) {
	t.Parallel()
	const page = "SAVEPOINT — define a new savepoint\n\n```\nSAVEPOINT savepoint_name\n```\n\nUse SAVEPOINT with a savepoint name. " +
		"A savepoint is a special mark inside a transaction that allows to roll back later commands."
	for question, want := range map[string]string{
		"What is a savepoint?":     "A savepoint is a special mark",
		"What does SAVEPOINT do?":  "SAVEPOINT — define a new savepoint",
		"What is backscatter?":     "Innocent sites get mail that they did not cause. [2] This is called backscatter.",
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

// The links between the title and the text of a page are no part of a definition. A list
// below a heading is.
func TestPageLinks(t *testing.T) {
	t.Parallel()
	page := passage(1, "Vdirsyncer", "", "- Documentation\n- Source code\n\nVdirsyncer is a tool that synchronizes calendars.")
	page.Headings = nil
	list := passage(1, "Manual", "Requirements", "- Python\n- Source code\n\nThey are the same on all systems.")
	for question, c := range map[string]struct {
		passage Passage
		quoted  bool
	}{
		"What is the source code?": {page, false},
		"What is a source code?":   {list, true},
	} {
		got, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: []Passage{c.passage}})
		if quoted := strings.Contains(got, "Source code"); quoted != c.quoted {
			t.Errorf("%s: the list is quoted: %v, want %v\n%s", question, quoted, c.quoted, got)
		}
	}
}
