package quote

import (
	"strings"
	"testing"
)

// A document may contain the same question as an example. That is not an
// answer.
func TestExamplesOfAskingAreNoAnswers(t *testing.T) {
	t.Parallel()
	question := "How often is the pump serviced?"
	results := []Passage{
		passage(1, "Readme", "From an app", "Ask over HTTP:\n\n```\ncurl http://127.0.0.1:8765/api/ask -d '{\"question\":\"How often is the pump serviced?\"}'\n```\n\nHow often is the pump serviced?"),
		passage(2, "Manual", "Upkeep", "The pump is serviced every six months by the maker."),
	}
	answer, _ := render(extract(testStatic, Query{Question: question, Searched: question, Passages: results}), results)
	if !strings.Contains(answer, "every six months") || strings.Contains(answer, "How often is the pump") {
		t.Errorf("the answer is %s", answer)
	}
	command := "git commit --amend --no-edit"
	results = []Passage{passage(1, "Git", "Amend", "```\ngit commit --amend --no-edit\n```")}
	if answer, _ := render(extract(testStatic, Query{Question: command, Searched: command, Passages: results}), results); !strings.Contains(answer, "--amend") {
		t.Errorf("a command is not found: %q", answer)
	}
}

func TestNothingButTheQuestion(t *testing.T) {
	t.Parallel()
	question := "How often is the pump serviced?"
	results := []Passage{passage(1, "Log", "Asked", question)}
	if got := extract(testStatic, Query{Question: question, Searched: question, Passages: results}); len(got) > 0 {
		t.Errorf("quotes are %+v", got)
	}
}
