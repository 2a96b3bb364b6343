package quote

import (
	"strings"
	"testing"

	"docent/rag/corpus"
)

// A step or a row of another document says little without its list or table.
func TestNoStrayStepsAndRows(t *testing.T) {
	t.Parallel()
	question := "how do I make a backup"
	best := passage(1, "Back up", "Back up", "To make a backup of the database, run `docent backup monday.backup`.")
	steps := passage(2, "Move", "Move to Postgres", "1. Stop the server.\n2. Make a backup, and restore it into Postgres.\n3. Start the server.")
	rows := passage(3, "Errors", "Sentences", "| id | sentence |\n|---|---|\n| backup_damaged | the backup is damaged |\n| backup_make | cannot make a backup |")
	answer, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: []Passage{best, steps, rows}})
	if !strings.Contains(answer, "monday.backup") || strings.Contains(answer, "Stop the server") || strings.Contains(answer, "restore it") ||
		strings.Contains(answer, "|") {
		t.Errorf("got\n%s", answer)
	}
}

// A short table is quoted whole behind the sentence that announces it. Without its table, that sentence is left out.
func TestAnnouncedTable(t *testing.T) {
	t.Parallel()
	question := "which files does the backup not contain?"
	const announced = "The backup does not contain these files of the data folder:\n\n| file | what to do |\n|---|---|\n"
	short := announced + "| `secret.key` | Keep it in another place. |\n| `models` | Install the models again. |\n| `cache` | Nothing. |"
	got := ask(t, question, corpus.Prose, short)
	for _, want := range []string{"secret.key", "models", "cache"} {
		if !strings.Contains(got, want) {
			t.Errorf("without %s:\n%s", want, got)
		}
	}
	long := announced + strings.Repeat("| `secret.key` | Keep the key in another place that only you know, and that nobody else can read. |\n", 8)
	if got := ask(t, question, corpus.Prose, "A backup is a file.\n\n"+long); strings.HasSuffix(got, "data folder: [1]") {
		t.Errorf("got\n%s", got)
	}
}

// A question of the documents is quoted with its answer.
func TestQuestionWithItsAnswer(t *testing.T) {
	t.Parallel()
	body := "Q: I have installed xz, but my tar doesn't recognize .tar.xz files. How can I extract .tar.xz files?\n\nA: xz -dc foo.tar.xz | tar xf -"
	if got := ask(t, "tar wont extract xz", corpus.Prose, body); !strings.Contains(got, "xz -dc") {
		t.Errorf("got\n%s", got)
	}
}

// Several steps of a list belong together, also if the question does not ask for steps.
func TestSeveralStepsBringTheirList(t *testing.T) {
	t.Parallel()
	body := "1. Create a user for each person.\n2. Start the server for your colleagues in the network.\n" +
		"3. Tell your colleagues the address, and let them use docent."
	got := ask(t, "can my colleagues in the network use docent", corpus.Prose, body)
	if !strings.HasPrefix(got, "1. Create a user") {
		t.Errorf("got\n%s", got)
	}
}
