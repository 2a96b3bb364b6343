package quote

import (
	"strings"
	"testing"

	"docent/rag/corpus"
)

// TestBlocks: an answer quotes all that belongs to the sentence that answers. A problem is answered with the text around it.
func TestBlocks(t *testing.T) {
	t.Parallel()
	const problems = "- **Guests see no page.** The browser blocks it.\n- **The guest network stops every day.** The schedule is wrong. Firmware 3.1.2 fixes this.\n" +
		"- **Guests are slow.** Raise the limit."
	const settings = "`wan.mtu`\n: The largest packet, in bytes.\n  Default: `1500`\n\n`led.night`\n: Turns off the lights at night.\n  Default: None\n"
	const decisions = "## Decisions\n\n1. The pump gets a new seal. Responsible: Jonas. Due 1 June.\n2. The price of the filter rises.\n\n## Numbers\n\nSales were high."
	for _, c := range []struct{ question, body, want, without string }{
		{"my guest network stops every day", problems, "- The guest network stops every day. The schedule is wrong. Firmware 3.1.2 fixes this. [1]", "> "},
		{"what does led.night do", settings, "**`led.night`:** Turns off the lights at night. Default: None [1]", "1500"},
		{"How many decisions were made?", decisions, "Responsible: Jonas. Due 1 June. [1]\n2. The price of the filter rises. [1]", "Sales"},
		{"where is the limit of the guests", "Open **Settings > Wireless > Limit** to raise the limit of the guests.", "Open Settings > Wireless > Limit to raise", "`"},
		{
			"How do I fill the tank?", "1. Open the tank.\n\n   For winter, use the small lid instead.\n2. Fill the tank with water.\n\nWarning: Close the lid again.",
			"1. Open the tank. For winter, use the small lid instead. [1]\n2. Fill the tank with water. [1]\n\nWarning: Close the lid again. [1]", "> ",
		},
		{"smoking at the kiosk", "Not allowed is:\n\n- diving from the edge,\n- smoking, also at the kiosk,\n- noise.", "Not allowed is: [1]\n\n- diving from the edge, [1]\n- smoking, also at the kiosk, [1]", "> "},
		{"Does it work away from home?", "**Does it work far away from home?**\nYes, if remote access is on.\n\n**Is it free?**\nNo.", "away from home?:** Yes, if remote access is on. [1]", "No."},
	} {
		got := ask(t, c.question, corpus.Prose, c.body)
		if !strings.Contains(got, c.want) || strings.Contains(got, c.without) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.question, got, c.want)
		}
	}
}

// TestBlocksOfOtherSubjects: a similar block without the words of the question is left out.
func TestBlocksOfOtherSubjects(t *testing.T) {
	t.Parallel()
	results := []Passage{
		passage(1, "Heron 36 manual", "Technical data", "| item | value |\n|---|---|\n| Length overall | 10.98 m |\n| Beam | 3.55 m |"),
		passage(2, "Meeting", "Decisions", "- The Heron 36 gets a bow thruster from hull 112.\n- The price of the Heron 30 rises."),
	}
	question := "How long is the Heron 36?"
	got, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: results})
	if !strings.Contains(got, "10.98 m") || strings.Contains(got, "thruster") || strings.Contains(got, "Beam") {
		t.Errorf("got\n%s", got)
	}
}

// TestRelatedRow: a short table below the best paragraph is quoted with it.
func TestRelatedRow(t *testing.T) {
	t.Parallel()
	got := ask(t, "which package has the ICU headers on CentOS for building with SMTPUTF8", corpus.Prose,
		"Postfix builds with SMTPUTF8 if the ICU library and header files are installed. The package name varies with the system. The table "+
			"shows package names.\n\n| System | Package |\n| --- | --- |\n| FreeBSD | icu |\n| CentOS | libicu-devel |")
	if !strings.Contains(got, "libicu-devel") {
		t.Errorf("got\n%s", got)
	}
}

// TestHeadingFirst: the passage whose title is the subject of the question comes first, also if another one has its word in a step.
func TestHeadingFirst(t *testing.T) {
	t.Parallel()
	results := []Passage{
		passage(1, "Use Postgres", "Move the data", "1. Make a backup of the data.\n2. Start the server with the new database."),
		passage(2, "Back up and restore", "Back up and restore", "This copies the whole database into a file. It works while the server runs."),
	}
	results[0].Score, results[1].Score = 1, 1
	question := "how do I make a backup"
	got, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: results})
	if !strings.Contains(got, "whole database into a file") || strings.Index(got, "whole database into a file") > strings.Index(got+"Make a backup", "Make a backup") {
		t.Errorf("got\n%s", got)
	}
}

// TestProseBeforeRow: prose of a better passage comes before a row of a table with the same words.
func TestProseBeforeRow(t *testing.T) {
	t.Parallel()
	results := []Passage{
		passage(1, "Proxy", "Network", "The server uses one port for the page and for the clients."),
		passage(2, "Settings", "All settings", "| setting | meaning |\n|---|---|\n| `listen` | the port that the server uses |\n| `name` | its name |"),
	}
	question := "what port does the server use"
	got, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: results})
	if !strings.HasPrefix(got, "The server uses one port") {
		t.Errorf("got\n%s", got)
	}
}
