package sheet_test

import (
	"errors"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/sheet"
	"docent/ingest/outline"
)

// gridOf returns a grid with rows of texts. A nil row is blank.
func gridOf(t *testing.T, rows ...[]string) *sheet.Grid {
	t.Helper()
	budget := 1000
	g := &sheet.Grid{Budget: &budget}
	for i, texts := range rows {
		row := sheet.Row{Number: i}
		for col, text := range texts {
			if text != "" {
				row.Cells = append(row.Cells, sheet.Cell{Column: col, Text: text, Numeric: text[0] <= '9'})
			}
		}
		if err := g.AddRow(row); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func TestAddTables(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		grid *sheet.Grid
		want string
	}{
		"header":       {gridOf(t, []string{"Part", "Price"}, []string{"Seal", "3"}), "th Part | Price\ntr Seal | 3\n"},
		"title":        {gridOf(t, []string{"Spare parts"}, []string{"Part", "Price"}, []string{"Seal", "3"}), "p Spare parts\nth Part | Price\ntr Seal | 3\n"},
		"two tables":   {gridOf(t, []string{"a", "1"}, []string{"b", "2"}, nil, []string{"c", "3"}), "tr a | 1\ntr b | 2\ntr c | 3\n"},
		"empty column": {gridOf(t, []string{"a", "", "1"}, []string{"b", "", "2"}), "tr a | 1\ntr b | 2\n"},
		"side by side": {gridOf(t, []string{"Part", "Bin", "", "Crew", "Phone"}, []string{"Seal", "B-2", "", "Vera", "117"}, []string{"Pump", "B-3"}), "th Part | Bin\ntr Seal | B-2\ntr Pump | B-3\nth Crew | Phone\ntr Vera | 117\n"},
		"same names":   {gridOf(t, []string{"Day", "Crew", "", "Day", "Crew"}, []string{"Monday", "A", "", "Friday", "C"}), "th Day | Crew\ntr Monday | A\nth Day | Crew\ntr Friday | C\n"},
		"one table":    {gridOf(t, []string{"Part", "Bin", "", "Crew", "Phone"}, []string{"Seal", "B-2", "", "Vera", "117"}), "th Part | Bin | Crew | Phone\ntr Seal | B-2 | Vera | 117\n"},
		"one cell":     {gridOf(t, []string{"", "note"}), "p note\n"},
	} {
		b := outline.NewBuilder(100)
		if err := tt.grid.AddTables(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if got := extracttest.Show(b.Document("")); got != tt.want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestRepeatMerged(t *testing.T) {
	t.Parallel()
	g := gridOf(t, []string{"Rotor", "shaft"}, []string{"", "blade"})
	g.Merges = []sheet.Area{{Top: 0, Left: 0, Bottom: 1, Right: 0}}
	b := outline.NewBuilder(100)
	if err := g.AddTables(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if got := extracttest.Show(b.Document("")); got != "th Rotor | shaft\ntr Rotor | blade\n" {
		t.Errorf("blocks:\n%s", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	budget := 1
	g := &sheet.Grid{Budget: &budget}
	err := g.AddRow(sheet.Row{Cells: []sheet.Cell{{Column: 0, Text: "a"}, {Column: 1, Text: "b"}}})
	extracttest.Refused(t, err, "too large: it has more than 2 million cells")
	budget = 10
	g = &sheet.Grid{Budget: &budget}
	err = g.AddRow(sheet.Row{Cells: []sheet.Cell{{Text: string(make([]byte, outline.MaxText+1))}}})
	if !errors.Is(err, sheet.ErrTextTooLarge) {
		t.Errorf("too much text: %v", err)
	}
}

func TestAddHeading(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		sheets int
		want   string
	}{{"Sheet1", 1, ""}, {"Tabelle 2", 1, ""}, {"Sheet1", 2, "h1 Sheet1\n"}, {"Spare  parts", 1, "h1 Spare parts\n"}} {
		b := outline.NewBuilder(100)
		sheet.AddHeading(b, tt.name, tt.sheets)
		if got := extracttest.Show(b.Document("")); got != tt.want {
			t.Errorf("%s of %d: %q", tt.name, tt.sheets, got)
		}
	}
}
