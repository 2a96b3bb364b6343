package quote

import (
	"strings"
	"testing"

	"docent/rag/corpus"
)

func TestIsPractical(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"how do I turn the light off": true, "why does the pump stop": true, "was kann ich gegen den Rost tun": true,
		"the screen is too blue in the evening": true, "der Drucker zieht kein Papier ein": true,
		"how long is the warranty": false, "what is a keel": false, "wann öffnet das Büro": false, "wie viele Wörter hat mein Text": false,
		"default port": false, "quelle est la durée de la garantie": false,
	} {
		if got := isPractical(question); got != want {
			t.Errorf("%s: got %v", question, got)
		}
	}
}

// TestSteps: the answer to a complaint has all of the steps, although only the text above them has the words of the complaint.
func TestSteps(t *testing.T) {
	t.Parallel()
	question := "the screen is too blue in the evening"
	got, _ := Answer(testStatic, Query{Question: question, Searched: question, Passages: []Passage{passage(1, "Display", "Night light",
		"A screen emits blue light, which keeps people awake in the evening. Night Light makes the color of the screen warmer. To enable it:\n"+
			"1. Open the overview and start typing Displays, and click on the entry with the same name to open the panel.\n"+
			"2. Click on Night Light at the lower end of the panel to open the settings for the time after sunset.\n"+
			"3. Set the switch to on, and choose a schedule.")}})
	if !strings.Contains(got, "keeps people awake") || !strings.Contains(got, "3. Set the switch to on") {
		t.Errorf("got\n%s", got)
	}
}

// TestPointers: lines that only name related pages are no part of an answer, but short items of a list with an introduction are.
func TestPointers(t *testing.T) {
	t.Parallel()
	const steps = "White lines appear if the print head is dirty.\n\n1. Open the cover.\n2. Clean the print head.\n\n"
	question := "there are white lines on the page"
	if got := ask(t, question, corpus.Prose, steps+"Wrong colors\n\nPaper jams"); strings.Contains(got, "Wrong colors") || !strings.Contains(got, "Clean the print head") {
		t.Errorf("got\n%s", got)
	}
	if got := ask(t, question, corpus.Prose, steps+"White lines on the page can have these colors:\n\n- Red\n- Blue"); !strings.Contains(got, "- Blue") {
		t.Errorf("got\n%s", got)
	}
}

// TestSectionBehindPassage: a section goes on in the next passage of the document, which is cited for its part.
func TestSectionBehindPassage(t *testing.T) {
	t.Parallel()
	question := "the database is damaged and does not open, can I rescue the data"
	damaged := passage(1, "Repair", "Repairing databases", "A damaged database does not open. The repair reads as much data as possible.")
	steps := passage(2, "Repair", "Repairing databases", "First create a new file. Then choose File → Import, and the format for repairs.")
	steps.Document, steps.DocumentID, steps.Ordinal = damaged.Document, damaged.DocumentID, damaged.Ordinal+1
	other := passage(3, "Backup", "Schedule", "The backup of the database runs at night.")
	got, sentences := Answer(testStatic, Query{Question: question, Searched: question, Passages: []Passage{damaged, other, steps}})
	if !strings.Contains(got, "does not open. The repair reads as much data as possible. [1]\n\nFirst create a new file.") {
		t.Fatalf("got\n%s", got)
	}
	for _, s := range sentences {
		if strings.Contains(got[s.Start:s.End], "Import") && s.Passages[0] != 3 {
			t.Errorf("%q cites %v", got[s.Start:s.End], s.Passages)
		}
	}
}
