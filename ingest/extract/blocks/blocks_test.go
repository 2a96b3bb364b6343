package blocks_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"docent/ingest/extract/blocks"
	"docent/ingest/extract/extracttest"
)

func TestWriter(t *testing.T) {
	t.Parallel()
	w := blocks.NewWriter(t.Context(), 100)
	w.Heading(2, "The\n pump")
	w.Prefix = "Note: "
	w.Para("Mind\n this.")
	w.Para(" ")
	w.Items, w.Marker = 1, "1. "
	w.Lines("one\ntwo")
	w.Para("more of it")
	w.Items = 0
	w.OpenTerm("seal")
	w.Para("A ring.")
	w.CloseTerm()
	w.Code("    if a {\n        b\n    }\n")
	w.Title = "Manual"
	doc, err := w.Document()
	if err != nil {
		t.Fatal(err)
	}
	extracttest.Verify(t, doc)
	want := "h2 The pump\np Note: Mind this.\nli 1. one\\ntwo\nli more of it\nh17 seal\np A ring.\ncode if a {\\n    b\\n}\n"
	if got := extracttest.Show(doc); got != want || doc.Title != "Manual" {
		t.Errorf("title %q, blocks:\n%s\nwant:\n%s", doc.Title, got, want)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"Part", "Price"}, {"Seal", "3"}, {"", ""}, {"Valve", ""}}
	for name, tt := range map[string]struct {
		grid blocks.Grid
		want string
	}{
		"header":       {blocks.Grid{Caption: "Spare parts", Rows: rows, Headers: 1}, "th Spare parts\\nPart | Price\ntr Seal | 3\ntr Valve\n"},
		"no header":    {blocks.Grid{Rows: rows}, "tr Part | Price\ntr Seal | 3\ntr Valve\n"},
		"only headers": {blocks.Grid{Rows: rows[:1], Headers: 1}, "tr Part | Price\n"},
		"caption":      {blocks.Grid{Caption: "Nothing"}, "tr Nothing\n"},
		"empty":        {blocks.Grid{}, ""},
	} {
		w := blocks.NewWriter(t.Context(), 100)
		w.Table(tt.grid)
		doc, err := w.Document()
		if err != nil {
			t.Fatal(err)
		}
		if got := extracttest.Show(doc); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, tt.want)
		}
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	w := blocks.NewWriter(extracttest.Canceled(t), 100)
	if _, err := w.Document(); !w.Done() || !errors.Is(err, context.Canceled) {
		t.Errorf("done %v: %v", w.Done(), err)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	lines := blocks.SplitLines("\ta \n  \tb\n\n c")
	if want := []string{"        a", "        b", "", " c"}; !slices.Equal(lines, want) {
		t.Errorf("lines %q", lines)
	}
	if got, want := blocks.Dedent([]string{"", "  a", "", "    b", " "}), []string{"a", "", "  b"}; !slices.Equal(got, want) {
		t.Errorf("dedented %q", got)
	}
	if got := blocks.Indented([]string{" a", "", " b", "", "c"}); got != 3 {
		t.Errorf("%d lines are indented", got)
	}
}

func TestCharacters(t *testing.T) {
	t.Parallel()
	const s = "é x"
	if !blocks.IsWordBefore(s, 2) || blocks.IsWordBefore(s, 0) || !blocks.IsSpaceAt(s, 2) || !blocks.IsSpaceAt(s, len(s)) {
		t.Error("the end of the first word is wrong")
	}
	if !blocks.IsSpaceBefore(s, 3) || !blocks.IsWordAt(s, 3) || blocks.IsWordAt(s, len(s)) {
		t.Error("the start of the second word is wrong")
	}
}
