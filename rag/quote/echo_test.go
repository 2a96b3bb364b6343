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
	answer, _ := render(extract(testStatic, Query{Question: question, Searched: question, Passages: results}), results, "")
	if !strings.Contains(answer, "every six months") || strings.Contains(answer, "How often is the pump") {
		t.Errorf("the answer is %s", answer)
	}
	command := "git commit --amend --no-edit"
	results = []Passage{passage(1, "Git", "Amend", "```\ngit commit --amend --no-edit\n```")}
	if answer, _ := render(extract(testStatic, Query{Question: command, Searched: command, Passages: results}), results, ""); !strings.Contains(answer, "--amend") {
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

// A step of another task that names the asked task does not say how to do it.
func TestNamesOfTheTask(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"How do I back up the database?", "how to back up the database"} {
		results := []Passage{
			passage(1, "Manual", "Upgrade", "1. Back up the database.\n2. Install the new version."),
			passage(2, "Manual", "Backups", "Copy the folder of the database to another disk."),
		}
		results[0].Score, results[1].Score = 1, 1
		answer, _ := render(extract(testStatic, Query{Question: question, Searched: question, Passages: results}), results, "")
		if !strings.Contains(answer, "Copy the folder") || strings.Contains(answer, "Install") {
			t.Errorf("%s is answered by %s", question, answer)
		}
	}
}
