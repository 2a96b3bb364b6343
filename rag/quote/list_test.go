package quote

import (
	"slices"
	"strings"
	"testing"

	"docent/rag/corpus"
	"docent/rag/text"
)

// The steps are from docent's page about upgrades.
const upgrade = "1. Back up the database.\n2. Install the new version.\n3. Run `docent migrate`, or start the server. Both update the database schema.\n\n" +
	"docent refuses a database of a newer version and leaves it unchanged."

func TestStepsStayTogether(t *testing.T) {
	t.Parallel()
	got := ask(t, "how do I upgrade to the new version?", corpus.Prose, upgrade)
	want := "1. Back up the database. [1]\n2. Install the new version. [1]\n3. Run `docent migrate`, or start the server. Both update the database schema. [1]"
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A step can have code and further paragraphs.
func TestStepsWithParagraphs(t *testing.T) {
	t.Parallel()
	body := "1. Create a user for each colleague.\n\n   ```sh\n   docent user create ann\n   ```\n\n   Ann can ask questions.\n\n" +
		"2. Start the server for your colleagues.\n\n   ```sh\n   docent serve --auth\n   ```\n\n" +
		"3. Tell your colleagues the address."
	want := "1. Create a user for each colleague. [1]\n\n```\ndocent user create ann\n```\n[1]\n\nAnn can ask questions. [1]\n\n" +
		"2. Start the server for your colleagues. [1]\n\n```\ndocent serve --auth\n```\n[1]\n\n3. Tell your colleagues the address. [1]"
	if got := ask(t, "how do I let my colleagues use the server?", corpus.Prose, body); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A number without the other items would look like the rest of a list.
func TestSingleItemHasNoNumber(t *testing.T) {
	t.Parallel()
	got := ask(t, "which database stores the pumps?", corpus.Prose,
		"1. Colors are red and blue.\n2. Postgres stores the pumps.\n3. Nothing else matters.")
	if !strings.Contains(got, "- Postgres stores the pumps. [1]") || strings.Contains(got, "2.") {
		t.Errorf("got %s", got)
	}
}

func TestSameSentenceCitesBoth(t *testing.T) {
	t.Parallel()
	body := "The valve opens at 4 bar."
	question := "when does the valve open?"
	answer, sentences := Answer(testStatic, Query{
		Question: question, Searched: question,
		Passages: []Passage{passage(1, "Manual", "Valve", body), passage(2, "Leaflet", "Valve", "The valve opens\nat 4 bar.")},
	})
	if strings.Count(answer, "valve opens") != 1 || !strings.Contains(answer, "[1][2]") || len(sentences) != 1 || !slices.Equal(sentences[0].Passages, []int{1, 2}) {
		t.Errorf("got %q with %v", answer, sentences)
	}
}

// The sentences are from the PostgreSQL 15 manual, section 20.11.1.
func TestSameSentenceOnAnotherSubject(t *testing.T) {
	t.Parallel()
	body, question := "A value of zero (the default) disables the timeout.", "statement_timeout default"
	answer, _ := Answer(testStatic, Query{
		Question: question, Searched: question,
		Passages: []Passage{passage(1, "Manual", "statement_timeout (integer)", body), passage(2, "Manual", "lock_timeout (integer)", body)},
	})
	if !strings.Contains(answer, "[1]") || strings.Contains(answer, "[1][2]") {
		t.Errorf("got %q", answer)
	}
}

// Similar sentences win over sentences with the same words.
func TestSimilarSentenceWins(t *testing.T) {
	t.Parallel()
	body := "Queries of a view are stored.\n\nSet log_min_duration_statement to record slow statements.\n\nCorrelated columns make queries slow."
	query := Query{Question: "see which queries are slow", Searched: "see which queries are slow", Passages: []Passage{passage(1, "Manual", "Logs", body)}}
	query.Similar = func(texts []string) []float64 {
		out := make([]float64, len(texts))
		for i, s := range texts {
			if strings.Contains(s, "log_min") {
				out[i] = .9
			}
		}
		return out
	}
	if got, _ := Answer(testStatic, query); !strings.Contains(got, "log_min_duration_statement") {
		t.Errorf("got %q", got)
	}
	query.Similar = func([]string) []float64 { return nil } // a failure
	if got, _ := Answer(testStatic, query); got == "" {
		t.Error("no answer without similarities")
	}
}

// Answers about the passages of this test, in any combination, are well-formed:
// fences come in pairs, and tables have a header.
func FuzzShape(f *testing.F) {
	for _, body := range []string{
		upgrade, "Run:\n\n   ```sh\n   make\n   ```\n\n| a | b |\n|---|---|\n| x \\| y | z |", "a | b\nc | d\ne | f", "```\nunclosed", "```\n\nProse follows the fence.",
		"Name\tValue\nx\t1", "- one\n- two:\n\n    code();\n\n1. three", "~~~\n```\n~~~", "|---|\n|---|", "x:\n\n````\n```\n````\n",
	} {
		f.Add(body, "how do I run a and b in x?")
	}
	f.Fuzz(func(t *testing.T, body, question string) {
		for _, kind := range []corpus.Kind{corpus.Prose, corpus.Code, corpus.Table} {
			checkShape(t, ask(t, question, kind, body, "Run it.\n\n"+body))
		}
	})
}

// checkShape fails if a fence stays open or a table has no header.
func checkShape(t *testing.T, answer string) {
	t.Helper()
	fence, above := "", ""
	for line := range strings.SplitSeq(answer, "\n") {
		switch {
		case fence == "" && text.OpensFence(line):
			fence = line
		case fence != "" && line == fence:
			fence = ""
		case fence == "" && strings.HasPrefix(line, "|") && !strings.HasPrefix(above, "|") && strings.HasSuffix(line, "[1] |"):
			t.Errorf("a table begins with a quoted row: %q in\n%s", line, answer)
		}
		above = line
	}
	if fence != "" {
		t.Errorf("a fence stays open in\n%s", answer)
	}
}

// A question for a list gets the whole list, and each item once.
func TestListsStayTogether(t *testing.T) {
	t.Parallel()
	body := "Arguments are checked before a command runs. The following validators are built in:\n\n" +
		"- `NoArgs` reports an error for any argument. Commands without arguments need it.\n- `ExactArgs` takes a fixed number.\n" +
		"- `RangeArgs` takes a minimum and a maximum.\n\nOther packages add more of them."
	want := "The following validators are built in: [1]\n\n- `NoArgs` reports an error for any argument. Commands without arguments need it. [1]\n" +
		"- `ExactArgs` takes a fixed number. [1]\n- `RangeArgs` takes a minimum and a maximum. [1]"
	for _, question := range []string{"Which validators are built in?", "list the built-in validators", "What kinds of validators are there?"} {
		if got := ask(t, question, corpus.Prose, body); !strings.Contains(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", question, got, want)
		}
	}
	if got := ask(t, "What does ExactArgs take?", corpus.Prose, body); strings.Contains(got, "NoArgs") {
		t.Errorf("a question for one item: got\n%s", got)
	}
	behind := "- The first shelf has paper.\n- The second shelf has ink.\n\nMonkeys eat fruits such as bananas and mangos."
	if got := ask(t, "Which fruits do monkeys eat?", corpus.Prose, behind); strings.Contains(got, "shelf") {
		t.Errorf("a sentence behind a list: got\n%s", got)
	}
	long := "The following colors exist:\n\n" + strings.Repeat("- A color such as red.\n", maxItems+1)
	if got := ask(t, "Which colors exist?", corpus.Prose, long); strings.Count(got, "red") > maxItems {
		t.Errorf("a long list: got\n%s", got)
	}
}

// Steps of another procedure would change the meaning of a complete one.
func TestStepsOfOneProcedure(t *testing.T) {
	t.Parallel()
	one := "To change the type of a column:\n\n1. Start a transaction.\n2. Create the new table with the other type of the column.\n3. Copy the rows."
	other := "To change a column's constraint:\n\n1. Allow writing the schema.\n2. Run UPDATE sqlite_schema with the other constraint, by hand.\n3. Check the schema."
	question := "How do I change the type of a column if ALTER TABLE does not support it, or its constraint in sqlite_schema?"
	answer, _ := Answer(testStatic, Query{
		Question: question, Searched: question, Passages: []Passage{passage(1, "Manual", "Types", one), passage(2, "Manual", "Constraints", other)},
	})
	if strings.Contains(answer, "Create the new table") == strings.Contains(answer, "by hand") {
		t.Errorf("got\n%s", answer)
	}
}

// The best passage stays first, although a further one has steps for another case. The texts are from docent's page about backups.
func TestStepsStayInPlace(t *testing.T) {
	t.Parallel()
	question := "how do I make a backup of the database"
	first, second := passage(1, "Back up data", "Back up", "To back up the database, run `docent backup FILE`. This makes a backup of the whole database."),
		passage(2, "Back up data", "Move to Postgres", "1. Stop the server.\n2. Make a backup of the database with `pg_dump`, and restore it into Postgres.\n3. Start the server.")
	first.Score, second.Score = 2, 1
	got, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: []Passage{first, second}})
	if !strings.HasPrefix(got, "To back up the database") {
		t.Errorf("got\n%s", got)
	}
}

// A sentence without an end goes on with the code below it. The text is from the Debian kernel handbook.
func TestCodeEndsSentence(t *testing.T) {
	t.Parallel()
	body := "If changes are desired later, the initramfs needs to be regenerated. This is achieved by the command\n\n```\nupdate-initramfs -u\n```"
	if got := ask(t, "how is the initramfs regenerated", corpus.Prose, body); !strings.Contains(got, "update-initramfs -u") {
		t.Errorf("got\n%s", got)
	}
}

// TestNumberedRules: a numbered title with a text below it is a rule of its own, and not a step of a list.
func TestNumberedRules(t *testing.T) {
	t.Parallel()
	got := ask(t, "Where do I put paint that is left over in the workshop?", corpus.Prose, "HOUSE RULES\n\n"+
		"1. Opening hours\nThe house is open from Monday to Friday.\n\n2. Keys\nA key costs 30 euros.\n\n"+
		"3. Waste\nPaint from the workshop goes to the red bin in the shed. It is emptied on the last Friday of the month.\n\n4. Kitchen\nWash the dishes.")
	if !strings.Contains(got, "red bin in the shed. It is emptied") || strings.Contains(got, "Opening hours") || strings.Contains(got, "dishes") {
		t.Errorf("got\n%s", got)
	}
}
