package plain_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/plain"
	"docent/ingest/outline"
)

func TestReaders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		read              func(name, text string) *outline.Document
		text, title, want string
	}{
		"text":     {plain.Text, "Pump\n====\n\nIt has\na seal.\n\nNAME\n    pump\n", "Pump", "h1 Pump\\n====\np It has\\na seal.\nh1 NAME\np     pump\n"},
		"markdown": {plain.Markdown, "---\ntitle: Pumps\n---\n# The *pump*\n\ntext\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "Pumps", "h1 # The *pump*\np text\nli - one\nli - two\nth | a | b |\\n|---|---|\ntr | 1 | 2 |\n"},
		"manual": {
			plain.Text, "PUMP(1)\t\tManual\t\tPUMP(1)\n\nNAME\n       pump - moves water\n\nSYNOPSIS\n       pump [-v] LEVEL\n\nDESCRIPTION\n" +
				"       The pump  moves  water,  and it  stops  at the le‐\n       vel that you choose.\n\n   Small options\n       -v, --verbose\n" +
				"\t      Say  more   about  each  step.  This\n\t      is slow.\n\n\t      It has no other effect at all.\n\n       The end of the options follows.\n\n\t   $ pump start # it starts now, with the words of a person.\n\t   $ pump stop\n\nGNU                 2024-01-01              PUMP(1)\n",
			"pump(1)",
			"h1 NAME\np pump - moves water\nh1 SYNOPSIS\ncode pump [-v] LEVEL\nh1 DESCRIPTION\n" +
				"p The pump moves water, and it stops at the level that you choose.\nh2 Small options\nh16 -v, --verbose\n" +
				"p Say more about each step. This is slow.\np It has no other effect at all.\np The end of the options follows.\ncode $ pump start # it starts now, with the words of a person.\\n$ pump stop\n",
		},
		"csv": {plain.CSV, "Part;Price\n\"Seal; thin\";3\nValve\n", "", "th Part | Price\ntr Seal; thin | 3\ntr Valve\n"},
	} {
		doc := tt.read("", tt.text)
		extracttest.Verify(t, doc)
		if got := extracttest.Show(doc); got != tt.want || doc.Title != tt.title {
			t.Errorf("%s has the title %q and the blocks:\n%s\nwant:\n%s", name, doc.Title, got, tt.want)
		}
	}
}

// sections returns the names of the sections that the text does not show.
func sections(doc *outline.Document) string {
	var names []string
	for _, b := range doc.Blocks {
		if b.Kind == outline.Heading && b.Name != "" {
			names = append(names, b.Name)
		}
	}
	return strings.Join(names, " ")
}

func TestCode(t *testing.T) {
	t.Parallel()
	const text = "package pump\n\n// Start starts it.\nfunc Start() {\n\trun()\n}\n\ntype Seal struct{}\n"
	doc := plain.Code("src/pump.go", text)
	extracttest.Verify(t, doc)
	if got := sections(doc); got != "pump Start Seal" || doc.Title != "src/pump.go" || doc.Text != text {
		t.Errorf("title %q, sections %q, text %q", doc.Title, got, doc.Text)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	doc := plain.JSON("a.json", `{"name": "p\u00fcmp",`+strings.Repeat(" ", 300)+`"size": 3}`)
	extracttest.Verify(t, doc)
	if !strings.Contains(doc.Text, "pümp") || !strings.Contains(doc.Text, "\n") {
		t.Errorf("text %q", doc.Text)
	}
	if doc := plain.JSON("a.json", "{not valid"); doc.Text != "{not valid" {
		t.Errorf("invalid JSON becomes %q", doc.Text)
	}
}

func TestCodeType(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ head, want string }{
		"a.go": {"", "text/x-go"}, "Makefile": {"", "text/x-makefile"}, "run": {"#!/usr/bin/env python3\n", "text/x-python"}, "a.txt": {"", ""},
	} {
		if got := plain.CodeType(name, []byte(tt.head)); got != tt.want {
			t.Errorf("%s is %q, want %q", name, got, tt.want)
		}
	}
}
