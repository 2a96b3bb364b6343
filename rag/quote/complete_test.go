package quote

import (
	"strings"
	"testing"

	"docent/rag/corpus"
)

// TestExplained: an answer goes on where its sentence says nothing without the next one. The texts are from Debian Reference,
// the Exim specification, and the documentation of Podman.
func TestExplained(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ question, body, want string }{
		{"limit the bandwidth of APT for downloads", "If you want to limit the download bandwidth for APT, you should configure APT with " +
			"its configuration parameter as the following.\n\n```\nAPT::Acquire::http::Dl-Limit \"800\";\n```\n\nMirrors are listed elsewhere.", "Dl-Limit"},
		{"What are the files ending in -J in the input directory?", "Files whose names end with -J may also be seen in the input directory. " +
			"These are journal files, used to record addresses. Another process reads a spool of its own.", "journal"},
		{"-Mrm option", "-Mrm <message id> ...\n\nThis option requests Exim to remove the given messages from the queue. No bounce messages are sent.", "remove"},
		{"apt-get update fails with GPG error BADSIG", "Caching errors of the package data cause errors, such as \"GPG error: BADSIG\" with APT.\n\n" +
			"You should remove all cached data and try again.", "remove all cached data"},
		{"mutt is slow with a big mailbox", "A big mailbox can be slow, because only ten messages are kept.\n\n" +
			"Caching headers helps for good.", "Caching headers"},
	} {
		if got := ask(t, test.question, corpus.Prose, test.body); !strings.Contains(got, test.want) {
			t.Errorf("%s: got\n%s", test.question, got)
		}
	}
}

// TestRemedyInNextPassage: the remedy of an error may be a passage of its own.
func TestRemedyInNextPassage(t *testing.T) {
	t.Parallel()
	question := "newuidmap: executable file not found in $PATH"
	symptom := passage(1, "Issues", "Newuidmap missing", "```\n$ podman run fedora\nerror: newuidmap: executable file not found in $PATH\n```")
	remedy := passage(1, "Issues", "Newuidmap missing", "Install a version of shadow-utils with these programs.")
	remedy.Headings = append(remedy.Headings, "Solution")
	answer, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: []Passage{symptom, remedy}})
	if !strings.Contains(answer, "Install a version of shadow-utils with these programs. [2]") {
		t.Errorf("got\n%s", answer)
	}
	remedy.Headings[len(remedy.Headings)-1] = "History"
	answer, _ = Answer(testStatic, Query{Question: question, Searched: question, Passages: []Passage{symptom, remedy}})
	if strings.Contains(answer, "shadow-utils") {
		t.Errorf("another section: got\n%s", answer)
	}
}

// TestSaid: an answer to a follow-up says something new first.
func TestSaid(t *testing.T) {
	t.Parallel()
	question := "How do I turn on WAL mode?"
	query := Query{Question: question, Searched: question, Passages: []Passage{
		passage(1, "SQLite", "WAL mode", "WAL mode is turned on until it is turned off, and the mode is kept in the file.\n\nThe pragma journal_mode=WAL sets the mode."),
	}}
	first, _ := Answer(testStatic, query)
	if !strings.HasPrefix(first, "WAL mode is turned on") {
		t.Fatalf("got %s", first)
	}
	query.Said = "WAL mode is turned on until it is turned off, and the mode is kept in the file. [1]"
	if second, _ := Answer(testStatic, query); !strings.HasPrefix(second, "The pragma") {
		t.Errorf("got %s", second)
	}
}
